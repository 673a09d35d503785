export { EventError, type JepsenEvent, operationsOf, pairsOf } from './history/events.ts';
export {
  type Operation,
  OperationError,
  type OperationHistory,
  makeHistory,
  previousInProcess,
} from './history/history.ts';
export { keyed } from './machine/keyed.ts';
export { IMPOSSIBLE, Machine } from './machine/machine.ts';
export {
  ModelError,
  OPERATION_LEVELS,
  type OperationExample,
  type OperationLevel,
  type OperationVerdict,
  type OperationOrder,
  type PartCertificate,
  type SequentialModel,
  asModel,
  defineModel,
  nextStates,
} from './machine/model.ts';
export { WholeMachine } from './machine/product.ts';
export { MODELS, findModel } from './models.ts';
export type { RegisterOptions } from './models/registers.ts';
export { type Value, showValue, textOf } from './history/value.ts';
