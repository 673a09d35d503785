export { ORIGINS, THRESHOLDS } from './problem/tuning.ts';
export { weave, weave as default } from './weave.ts';
