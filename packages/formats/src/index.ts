export { FormatError, ReadingTimeout } from './errors.ts';
export type { HistoryFormat, HistoryWriter, Loss, LossName, PolygraphFormat, ReadOptions } from './format.ts';
export { type ByteStream, type Directory, type Input, directoryOfBytes, inputOfBytes, openInput } from './input.ts';
export {
  type ByteSink,
  type Output,
  OutputError,
  isOccupied,
  outputToMemory,
  type WriteOptions,
  writeFileTo,
  writeTo,
} from './output.ts';
export {
  ALL_FORMATS,
  type AnyFormat,
  type Document,
  HISTORY_FORMATS,
  type OpenOptions,
  POLYGRAPH_FORMATS,
  detectFormat,
  findFormat,
  readDocumentAt,
  readDocumentFrom,
} from './registry.ts';
export { readDocument as readAllBytes } from './windows.ts';
export { type Unfinished, madeBeside } from './unfinished.ts';
