/**
 * The part of the library that opens and checks histories, for programs that must start quickly: it does not load
 * stories.
 */
export { LEVELS, type Level, type LevelName, type VerdictStatus, findAnomaly, findLevel } from '@isolab/contract';
export { FormatError } from '@isolab/formats';
export { LevelError } from '@isolab/levels';
export { type CheckerRef, Refusal, type Report, RunnerError, type Unknown } from '@isolab/runner';
export { type CheckOptions, type EngineOptions, type LevelWord, type LimitOptions, check } from './check.ts';
export { CHECKERS, type KnownChecker, loadChecker, loadCheckers } from './checkers.ts';
export { type DefinedLevel, defineLevel } from './define-level.ts';
export { type CheckJson, jsonOf } from './json.ts';
export { type OpenOptions, type Opened, type Source, type Subject, open } from './open.ts';
export type { ReportedAnomaly, CheckResult, Kind, LevelResult } from './result.ts';
