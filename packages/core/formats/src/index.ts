export {
  type AtomRange,
  type Capabilities,
  anyAtom,
  anyInteger,
  lossesOf,
  naturals,
  signed64,
  unsigned64,
} from './format/capabilities.ts';
export { FormatError, mismatch } from './files/errors.ts';
export {
  type HistoryFormat,
  type HistoryWriter,
  type Loss,
  type LossName,
  type ReadOptions,
  defineFormat,
} from './format/format.ts';
export {
  type ByteStream,
  type Directory,
  type Input,
  directoryOfBytes,
  explainSystemError,
  inputOfBytes,
  openInput,
} from './files/input.ts';
export type { IsolabReader } from './isolab/isolab-reader.ts';
export { isolabReader } from './isolab/isolab.ts';
export type { ReadingThreads } from './files/file-parts.ts';
export { type Line, readLines } from './files/lines.ts';
export { asPart } from './format/recorded.ts';
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
  type ByteSink,
  type Output,
  OutputError,
  PRIVATE,
  PUBLIC,
  isOccupied,
  outputToMemory,
  outputToStream,
  writeFileTo,
  writeTo,
} from './files/output.ts';
export {
  ALL_FORMATS,
  type Document,
  HISTORY_FORMATS,
  type OpenFileOptions,
  findFormat,
  readDocumentAt,
  readDocumentFrom,
} from './registry.ts';
export { parseJson } from './files/parse-json.ts';
export { readDocument as readAllBytes } from './files/windows.ts';
export { type Unfinished, madeBeside, removedAtExit } from './files/unfinished.ts';
