/**
 * Decides whether a history of a database keeps an isolation level, explains violations, and draws the history. The
 * README has examples.
 */
export {
  type Anomaly as AnomalyName,
  type CertificateFile,
  type Checker,
  type FoundAnomaly,
  defineChecker,
} from '@isolab/contract';
export type { DriverModule, ModuleDatabase, ModuleSession } from '@isolab/collector';
export type { History } from '@isolab/history';
export type { Evidence, RunPlace } from '@isolab/runner';
export { type Story, TooLargeError, drawDot, drawSvg, storyMarkdown, viewHtml } from '@isolab/story';
export type { Checked, CheckedPart, Unchecked, Verification } from '@isolab/verifier';
export { type VerifyOptions, certificate, verify } from './certificate.ts';
export { type CollectOptions, type Collected, collect } from './collect.ts';
export { type CompareOptions, type Compared, type Comparison, compare } from './compare.ts';
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
export { type RecordedTransaction, Recorder, type RecorderOptions } from './recorder.ts';
export type { Plain } from './recording-file.ts';
export {
  type NothingToReproduce,
  type ReplayOptions,
  type ReproduceOptions,
  type Reproduced,
  replay,
  reproduce,
} from './reproduce.ts';
export { type ShrinkOptions, type Shrunk, shrink } from './shrink.ts';
export { type Statistics, statistics } from './statistics.ts';
export { type StoryOptions, story } from './story.ts';
