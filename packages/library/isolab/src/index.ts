/**
 * Decides whether a history of a database keeps an isolation level, explains why not, and draws it. The README has
 * examples.
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
export type { DriverModule, ModuleDatabase, ModuleSession } from '@isolab/collector';
export { FormatError } from '@isolab/formats';
export { type History, HistoryBuilder, nameTransaction, showOperation } from '@isolab/history';
export { type Evidence, type Place, RunnerError, restsOn } from '@isolab/runner';
export { type Story, TooLargeError, drawDot, drawSvg, storyMarkdown, viewHtml } from '@isolab/story';
export type { Checked, CheckedPart, Unchecked, Verification } from '@isolab/verifier';
export { type VerifyOptions, certificate, parseCertificate, verify } from './certificate.ts';
export { type CollectOptions, type Collected, collect } from './collect.ts';
export { type CompareOptions, type Compared, type Comparison, compare } from './compare.ts';
export { type Contention, contentionOf, hasHardlyMet } from './contention.ts';
export {
  type ConvertOptions,
  type Converted,
  type WritableStream,
  type WriteHistoryOptions,
  convert,
  writeHistory,
} from './convert.ts';
export * from './deciding.ts';
export { type FindOptions, type Stories, findAll, stories } from './findings.ts';
export { type GenerateOptions, type Generated, generate } from './generate.ts';
export {
  ModelError,
  type Operation,
  type OperationCheckOptions,
  type OperationExample,
  type OperationHistory,
  type OperationResult,
  type SequentialModel,
  type Value,
  checkOperations,
  defineModel,
  makeHistory,
  readOperationsAt,
} from './objects.ts';
export { RecordedTransaction, Recorder, type RecorderOptions } from './recorder.ts';
export type { Plain } from './recording-file.ts';
export {
  type NothingToReproduce,
  type ReplayOptions,
  type ReproduceOptions,
  type Reproduced,
  isSchedule,
  replay,
  reproduce,
} from './reproduce.ts';
export { type ShrinkOptions, type Shrunk, shrink } from './shrink.ts';
export { type Statistics, statistics } from './statistics.ts';
export { type StoryOptions, story } from './story.ts';
