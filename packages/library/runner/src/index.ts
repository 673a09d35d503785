export { type Candidate, chooseEngines } from './choose-engines.ts';
export { internalOnly } from './internal-only.ts';
export { type LevelsReport, checkLevels } from './check-levels.ts';
export { RunnerError } from './errors.ts';
export { type Evidence, restsOn } from './evidence.ts';
export type { Progress } from './job.ts';
export { type CheckerRef, loadChecker, specifierUrl } from './load-checker.ts';
export { type OwnImports, provideImports } from './own-imports.ts';
export { type PluginLimits, loadPlugin } from './load-plugin.ts';
export { type Asked, type OptionValues, resolveOptions } from './options.ts';
export { type Prepared, type PreparedHistory, prepare, preparePolygraph } from './prepare.ts';
export type { RunPlace, Report } from './report.ts';
export type { StageTime } from './board.ts';
export { StageClock, totalMs } from './stage-clock.ts';
export {
  Refusal,
  type Unknown,
  partial,
  refuseUnmodelled,
  unknownOf,
  unmetRequirement,
  whyNotSatisfied,
  whyVacuous,
} from './refusals.ts';
export { type ChosenChecker, type RunOptions, judged, run, runUnjudged } from './run.ts';
export { share } from './columns.ts';
export { bundledScript } from './entry-point.ts';
export { peakResidentBytes } from './memory.ts';
export { asChecker } from './checker-shape.ts';
