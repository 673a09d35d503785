export { CommandRuns } from './command/confirm-command.ts';
export { confirm } from './confirm.ts';
export type { Confirmation } from './command/outcome.ts';
export { BOUNDARIES, type Boundary } from './execution.ts';
export { type PredictOptions, type Prediction, type Predictions, predict } from './predict.ts';
export { freshDatabase } from './command/fresh-database.ts';
export { type Told, predictionsPage } from './page.ts';
export type { ProgramUse } from './programs.ts';
export type { Repair, Repairs } from './repair.ts';
