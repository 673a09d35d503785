export { type Arrange } from './arrange.ts';
export {
  type Atom,
  type Atoms,
  AtomType,
  type Token,
  UNKNOWN,
  atomIdentity,
  atomOf,
  countAtoms,
  joinInteger,
  keyword,
  literal,
  nameAtom,
  printAtom,
  showAtom,
  textOf,
} from './atoms.ts';
export { type BuilderOptions, HistoryBuilder, type TimeColumn } from './builder.ts';
export { type Evidence, countFailedCompareAndSets, weighEvidence } from './evidence.ts';
export {
  commonPlace,
  locateOperation,
  locateTransaction,
  nameTransaction,
  showOperation,
  showTransaction,
} from './describe.ts';
export { type Entries, entriesByKey, valueRead, valueWritten } from './entries.ts';
export { PrintableLines, visibleLine, visibleText } from './foreign-text.ts';
export {
  type Exchanges,
  type History,
  type PositionUnit,
  type Ranges,
  type Source,
  type TimeUnit,
  countKeys,
  countOperations,
  countSessions,
  countTransactions,
  countValues,
  memoryOf,
  transactionOf,
  transactionOfOperations,
  transferList,
} from './history.ts';
export { Interner, hashPair } from './interner.ts';
export { findInternalAnomalies } from './internal-anomalies.ts';
export {
  INTERNAL_ANOMALIES,
  type InternalAnomalies,
  type InternalAnomaly,
  type InternalAnomalyName,
} from './internal-anomaly.ts';
export { type ListConflict, type ListVersions, listVersions } from './list-versions.ts';
export { type Lists, ListTree, listElements } from './lists.ts';
export * from './operation.ts';
export { type PolygraphInput } from './polygraph.ts';
export { Outcome, ReadFrom, type ReadFromIndex, buildReadFrom } from './read-from.ts';
export {
  type PlainHistory,
  type PlainOperation,
  type PlainRow,
  type PlainSession,
  type PlainTransaction,
  essence,
  fromPlain,
  namesOnlyCount,
  sameHistory,
  toPlain,
} from './plain.ts';
export { findInitialTransaction, foldInitialTransaction, whyNotInitial } from './initial-transaction.ts';
export { type RegisterHistory, hasRegistersOrLists, toRegisters } from './registers.ts';
export { type SameExecutionOptions, sameExecution } from './same-execution.ts';
export { HISTORY_SHAPES, type HistoryShape, type ShapeReport, checkShape } from './shape.ts';
export { shellPath, shellWord } from './shell-word.ts';
export { type Kept, type Slice, slice } from './slice.ts';
export { type Conflicts, type Coverage, type ReadCounts, type Statistics, computeStatistics } from './statistics.ts';
export { findInvalid } from './validate.ts';
export { Times, sortByTime, withoutTimes } from './times.ts';
