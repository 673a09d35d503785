export { type Confirmation, confirm } from './confirm.ts';
export { BOUNDARIES, type Boundary } from './execution.ts';
export { type PredictOptions, type Prediction, type Predictions, predict } from './predict.ts';
export type { Repair, Repairs } from './repair.ts';
