/**
 * Decides whether a history of a database keeps an isolation level, tells why not, and draws it. The README has examples.
 */
export {
  ALL_ANOMALIES,
  type Anomaly as AnomalyName,
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
export { FormatError } from '@isolab/formats';
export { type History, HistoryBuilder, computeStatistics, nameTransaction, showOperation } from '@isolab/history';
export { type CheckerRef, type Evidence, type Place, type Report, RunnerError, restsOn } from '@isolab/runner';
export { type Story, TooLargeError, drawDot, drawSvg, storyMarkdown, viewHtml } from '@isolab/story';
export type { Verification } from '@isolab/verifier';
export { certificate, verify } from './certificate.ts';
export { type CheckOptions, type EngineOptions, type LevelWord, type LimitOptions, check } from './check.ts';
export { CHECKERS, type KnownChecker, loadChecker, loadCheckers } from './checkers.ts';
export { type CompareOptions, type Compared, type Comparison, compare } from './compare.ts';
export { type FindOptions, findAll } from './findings.ts';
export { orNearest } from './nearest.ts';
export { type OpenOptions, type Opened, type Source, type Subject, open, opened, openedHistory } from './open.ts';
export { type Plain, RecordedTransaction, Recorder, type RecorderOptions } from './recorder.ts';
export { Refusal, type Unknown } from './refusals.ts';
export { type Anomaly, type CheckResult, type Kind, askedLevels, decidingRun, runAt, toldRuns } from './result.ts';
export { type ShrinkOptions, type Shrunk, shrink } from './shrink.ts';
export { type StoryOptions, story } from './story.ts';
