export {
  type Atom,
  type Atoms,
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
} from './atoms.ts';
export { HistoryBuilder } from './builder.ts';
export { type HistoryEvidence, countFailedCompareAndSets, countOpaqueScans, weighEvidence } from './evidence.ts';
export {
  commonPlace,
  locateOperation,
  locateTransaction,
  nameTransaction,
  showOperation,
  showTransaction,
} from './describe.ts';
export { valueRead, valueWritten } from './entries.ts';
export { PrintableLines, visibleLine, visibleText } from './foreign-text.ts';
export {
  type History,
  type PositionUnit,
  type RowsOfKeys,
  type TimeUnit,
  countKeys,
  countOperations,
  countSessions,
  countTransactions,
  countValues,
  rowsOf,
  memoryOf,
  transactionOf,
  transactionOfOperations,
} from './history.ts';
export { Interner } from './interner.ts';
export { findInternalAnomalies } from './internal-anomalies.ts';
export {
  INTERNAL_ANOMALIES,
  type InternalAnomalies,
  type InternalAnomaly,
  type InternalAnomalyName,
} from './internal-anomaly.ts';
export { type ListConflict, type ListVersions, listVersions } from './list-versions.ts';
export { ListTree, listElements } from './lists.ts';
export * from './operation.ts';
export { type PolygraphInput } from './polygraph.ts';
export {
  Outcome,
  ReadFrom,
  type ReadFromIndex,
  buildReadFrom,
  happenedTransactions,
  hasHappened,
  mayHaveHappened,
} from './read-from.ts';
export { openAggregates } from './rows/open-aggregates.ts';
export {
  type PlainHistory,
  type PlainOperation,
  type PlainSession,
  type PlainTransaction,
  fromPlain,
  namesOnlyCount,
  sameHistory,
  toPlain,
} from './plain.ts';
export { findInitialTransaction, foldInitialTransaction, whyNotInitial } from './initial-transaction.ts';
export {
  type RegisterHistory,
  RepeatedLowering,
  hasRegistersOrLists,
  passesOverFew,
  passesOverMore,
  toRegisters,
} from './registers.ts';
export {
  type ValueComparison,
  type Constant,
  type Predicate,
  comparisonsOf,
  isOpaque,
  matches,
  mayMatch,
  predicateProblem,
  showPredicate,
} from './rows/predicate.ts';
export type { AssumedRows, PassedOver } from './rows/items.ts';
export { mergesVersions, withoutHiddenColumns } from './rows/hidden-columns.ts';
export { KEYWORDS as NOTATION_KEYWORDS, printName, printPredicate, printScalar } from './rows/notation.ts';
export { keysInOrder } from './rows/keys-of-rows.ts';
export { type NamedRows, namedRows, registersOf } from './rows/named-rows.ts';
export { askedRows } from './rows/asked-rows.ts';
export { type Overlooked, type RowsOfAggregate, ScanReplay } from './rows/scan-replay.ts';
export { type Sight, VisibleScans } from './rows/visible-scans.ts';
export { type Row, type Scalar, rowOfText, rowProblem, textOfRow } from './rows/row.ts';
export { AGGREGATES, type Aggregate, aggregateOf, keyOfRow, rowName, tableOfRow } from './rows/scans.ts';
export { findMisusedRow } from './rows/misused-rows.ts';
export {
  HISTORY_SHAPES,
  type HistoryShape,
  LIST_KINDS,
  SHAPES_WITHOUT_EXCHANGES,
  type ShapeReport,
  checkShape,
} from './shape.ts';
export { shellPath, shellWord } from './shell-word.ts';
export { type Slice, slice } from './slice.ts';
export { isFailedStart, started } from './started.ts';
export { type Contention, contentionOf, hasLowContention } from './contention.ts';
export { type HistoryStatistics, computeStatistics } from './statistics.ts';
export { findInvalid } from './validate.ts';
export {
  TimeBounds,
  type TransactionTime,
  Times,
  asStated,
  findReversedTimes,
  printTimes,
  sortByTime,
  withoutTimes,
} from './times.ts';
