/**
 * Exports for user interfaces around the library: escaping of foreign text, the registry of levels, and words for
 * verdicts.
 */
export type { Counts, FaultOptions } from '@isolab/collector';
export { Interrupted } from '@isolab/collector';
export {
  UNCERTIFIED,
  type UnknownReason,
  didYouMean,
  type BuiltInLevel,
  KNOWN_LEVELS,
  MISLEADING_NAMES,
  decidedAs,
  definitionOf,
  eachLevel,
  implies,
  levelInWords,
  levelsIn,
} from '@isolab/contract';
export {
  type Contention,
  type Shard,
  contentionOf,
  countKeys,
  countOperations,
  countSessions,
  countTransactions,
  grouped,
  hasLowContention,
  isFailedStart,
  plural,
  capitalised,
  shellPath,
  shellWord,
  started,
  visibleLine,
  visibleText,
  withoutHiddenColumns,
} from '@isolab/history';
export { StageClock, type StageTime, peakResidentBytes, restsOn, totalMs } from '@isolab/runner';
export { type BothWidths, drawBothWidths } from '@isolab/story';
export { contentionText, percent, statisticsRows, statisticsSentences } from './statistics-text.ts';
export { isSchedule } from './reproduce.ts';
export { withVersions } from './open.ts';
