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
} from './columns/atoms.ts';
export type { IdColumn, KeyId, OperationId, TransactionId } from './columns/ids.ts';
export { HistoryBuilder } from './history/builder.ts';
export type { BuilderPart } from './history/builder-part.ts';
export {
  type HistoryEvidence,
  beginEvidence,
  countFailedCompareAndSets,
  countOpaqueScans,
  weighEvidence,
} from './history/evidence.ts';
export {
  commonPlace,
  locateOperation,
  locateTransaction,
  nameTransaction,
  showOperation,
  showTransaction,
  grouped,
  plural,
  capitalised,
} from './history/describe.ts';
export { valueRead, valueWritten } from './history/entries.ts';
export { PrintableLines, visibleLine, visibleText } from './columns/foreign-text.ts';
export {
  type History,
  type PositionUnit,
  type RowsOfKeys,
  type Shard,
  type StatedLevels,
  type TimeUnit,
  countKeys,
  countOperations,
  countSessions,
  countTransactions,
  countValues,
  levelOf,
  rowsOf,
  memoryOf,
  isEarlierStatement,
  transactionOf,
  transactionOfOperations,
} from './history/history.ts';
export { Interner } from './columns/interner.ts';
export { findInternalAnomalies } from './history/internal-anomalies.ts';
export {
  INTERNAL_ANOMALIES,
  type InternalAnomalies,
  type InternalAnomaly,
  type InternalAnomalyName,
} from './history/internal-anomaly.ts';
export { type ListConflict, type ListVersions, listVersions } from './history/list-versions.ts';
export { ListTree, listElements } from './columns/lists.ts';
export * from './columns/operation.ts';
export { type PolygraphInput } from './polygraph.ts';
export {
  Outcome,
  ReadFrom,
  type ReadFromIndex,
  happenedTransactions,
  hasHappened,
  mayHaveHappened,
} from './history/read-from.ts';
export { buildReadFrom } from './history/build-read-from.ts';
export type { ThreadTask, Threads } from './threads/threads.ts';
export { openAggregates } from './registers/open-aggregates.ts';
export {
  type PlainHistory,
  type PlainOperation,
  type PlainSession,
  type PlainTransaction,
  fromPlain,
  namesOnlyCount,
  sameHistory,
  toPlain,
} from './history/plain.ts';
export { type WithVersions, type WrongVersions, withStatedVersions } from './history/stated-versions.ts';
export { findInitialTransaction, foldInitialTransaction, whyNotInitial } from './history/initial-transaction.ts';
export {
  type RegisterHistory,
  RepeatedLowering,
  hasRegistersOrLists,
  passesOverFew,
  passesOverMore,
  toRegisters,
} from './registers/registers.ts';
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
export { excludedFrom } from './registers/excluded.ts';
export type { PassedOver } from './registers/items.ts';
export { type Contents, contentsOf, indexRows } from './registers/versions-of-rows.ts';
export type { MatchingRow } from './rows/row-index.ts';
export { mergesVersions, withoutHiddenColumns } from './registers/hidden-columns.ts';
export { KEYWORDS as NOTATION_KEYWORDS, printName, printPredicate, printScalar } from './rows/notation.ts';
export { keysInOrder } from './registers/keys-of-rows.ts';
export { type NamedRows, namedRows, registersOf } from './registers/named-rows.ts';
export { askedRows } from './registers/asked-rows.ts';
export { type Row, type Scalar, rowOfText, rowProblem, textOfRow } from './rows/row.ts';
export {
  AGGREGATES,
  type Aggregate,
  type AggregateOf,
  aggregateOf,
  keyOfRow,
  rowName,
  tableOfRow,
} from './rows/scans.ts';
export { AMOUNT, CounterProblem, PLAIN_WRITES_OF_COUNTERS } from './rows/counters.ts';
export { findMisusedRow } from './history/misused-rows.ts';
export {
  HISTORY_SHAPES,
  type HistoryShape,
  LIST_KINDS,
  SHAPES_WITHOUT_EXCHANGES,
  type ShapeReport,
  checkShape,
} from './history/shape.ts';
export { shellPath, shellWord } from './columns/shell-word.ts';
export { slice } from './history/slice.ts';
export { isFailedStart, started } from './started.ts';
export { type Contention, contentionOf, hasLowContention } from './contention.ts';
export { type HistoryStatistics, computeStatistics } from './registers/statistics.ts';
export { findInvalid } from './history/validate.ts';
export { printOperation } from './history/print-operation.ts';
export {
  TimeBounds,
  type TransactionTime,
  Times,
  asStated,
  findReversed,
  findReversedTimes,
  printTimes,
  sortByTime,
  withoutTimes,
} from './history/times.ts';
export { LoweredOperations } from './columns/lowered-operations.ts';
