/**
 * The part of the library that checks operations on objects: sequential models, linearizability, sequential
 * consistency.
 */
export { type OperationDocument, parseValue, readJepsenEvents, readOperationsAt } from '@isolab/formats';
export {
  ModelError,
  OPERATION_LEVELS,
  type Operation,
  OperationError,
  type OperationExample,
  type OperationHistory,
  type OperationLevel,
  MODELS,
  type SequentialModel,
  type Value,
  defineModel,
  makeHistory,
} from '@isolab/operations';
export { type OperationCheckOptions, checkOperations } from './objects/check-operations.ts';
export {
  type OperationCertificateFile,
  operationCertificate,
  verifyOperationCertificate,
} from './objects/certificates.ts';
export type { OperationResult } from './objects/judge.ts';
export { isModelFile, loadModelFile } from './objects/models.ts';
