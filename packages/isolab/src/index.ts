/**
 * Decides whether a history of a database keeps an isolation level, tells why not, and draws it. The README has examples.
 */
export {
  ALL_ANOMALIES,
  type Anomaly,
  type CertificateFile,
  type Checker,
  type FoundAnomaly,
  LEVELS,
  type Level,
  type LevelName,
  type VerdictStatus,
  defineChecker,
  findAnomaly,
  findLevel,
} from '@isolab/contract';
export { type Verification, verifyCertificateFile as verify } from '@isolab/verifier';
export { FormatError } from '@isolab/formats';
export { type History, HistoryBuilder, computeStatistics, nameTransaction, showOperation } from '@isolab/history';
export { type Evidence, type Place, type Report, RunnerError, restsOn } from '@isolab/runner';
export { type Story, TooLargeError, drawDot, drawSvg, storyMarkdown, viewHtml } from '@isolab/story';
export { type CheckOptions, type CheckResult, type LevelWord, type LevelsResult, check, checkLevels } from './check.ts';
export { type HistorySource, type ReadHistoryOptions, readHistory } from './read-history.ts';
export { type Plain, RecordedTransaction, Recorder, type RecorderOptions } from './recorder.ts';
export { type Shrunk, type TellOptions, explain, shrink } from './tell.ts';
