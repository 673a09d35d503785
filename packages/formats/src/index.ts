export { FormatError } from './errors.ts';
export type { HistoryFormat, Loss } from './format.ts';
export { type ByteStream, type Input, directoryOfBytes, explainSystemError, inputOfBytes, openInput } from './input.ts';
export type { IsolabReader } from './isolab/isolab-reader.ts';
export { isolabReader } from './isolab/isolab.ts';
export { asPart } from './isolab/recorded.ts';
export { type RecordedFault, faultsOf } from './isolab/recorded-faults.ts';
export {
  type OperationDocument,
  readJepsenEvents,
  readOperationsAt,
  readOperationsFrom,
} from './objects/read-operations.ts';
export { parseNotation } from './notation/parse-notation.ts';
export { printNotation } from './notation/print-notation.ts';
export { parseValue, parseValueFrom } from './objects/plain-values.ts';
export {
  type Output,
  OutputError,
  isOccupied,
  outputToMemory,
  outputToStream,
  writeFileTo,
  writeTo,
} from './output.ts';
export {
  ALL_FORMATS,
  type Document,
  HISTORY_FORMATS,
  type OpenOptions,
  findFormat,
  readDocumentAt,
  readDocumentFrom,
} from './registry.ts';
export { readDocument as readAllBytes } from './windows.ts';
export { type Unfinished, madeBeside } from './unfinished.ts';
