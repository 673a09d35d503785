/** The part of the library that opens and checks, for programs that have to start quickly: it loads nothing of stories. */
export { type CheckOptions, type EngineOptions, type LevelWord, type LimitOptions, check } from './check.ts';
export { CHECKERS, type KnownChecker, loadChecker, loadCheckers } from './checkers.ts';
export { type DefinedLevel, defineLevel } from './define-level.ts';
export { LevelError } from '@isolab/levels';
export { orNearest } from '@isolab/contract';
export { type OpenOptions, type Opened, type Source, type Subject, open, openedHistory } from './open.ts';
export { type CheckerRef, Refusal, type Report, type Unknown } from '@isolab/runner';
export { type CheckJson, jsonOf } from './json.ts';
export type { Anomaly, CheckResult, Kind, LevelResult } from './result.ts';
