export { EventError, type JepsenEvent, operationsOf, pairsOf } from './events.ts';
export { type Operation, OperationError, type OperationHistory, makeHistory, previousInProcess } from './history.ts';
export { keyed } from './keyed.ts';
export { IMPOSSIBLE, Machine } from './machine.ts';
export {
  ModelError,
  OPERATION_LEVELS,
  type OperationExample,
  type OperationLevel,
  type OperationVerdict,
  type OrderCertificate,
  type PartCertificate,
  type SequentialModel,
  asModel,
  defineModel,
  nextStates,
} from './model.ts';
export { WholeMachine } from './product.ts';
export { MODELS, findModel } from './models.ts';
export type { RegisterOptions } from './models/registers.ts';
export { type Value, showValue, textOf } from './value.ts';
