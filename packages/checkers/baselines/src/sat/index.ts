export { baselinesSat, baselinesSat as default } from './baselines-sat.ts';
export { Formula } from './formula/formula.ts';
export { dbcopFileBytes, encodeHistory } from './history/encode-history.ts';
export { POLYGRAPH_ENCODINGS, type PolygraphEncoding } from './polygraph/options.ts';
export { decidePolygraph } from './polygraph/decide-polygraph.ts';
export { encodePolygraph } from './polygraph/encode-polygraph.ts';
export type { SolverName } from './solvers/solve.ts';
