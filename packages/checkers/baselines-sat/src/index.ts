export { baselinesSat, baselinesSat as default } from './baselines-sat.ts';
export { Formula, dimacsPieces, printDimacs } from './formula.ts';
export { type EncodedHistory, encodeHistory } from './history/encode-history.ts';
export type { BaselinesSatOptions, EncodingName, EncodingOptions } from './options.ts';
export { type PolygraphAnswer, decidePolygraph } from './polygraph/decide-polygraph.ts';
export {
  type EncodedPolygraph,
  POLYGRAPH_ENCODINGS,
  type PolygraphEncoding,
  encodePolygraph,
} from './polygraph/encode-polygraph.ts';
export type { GraphProblem, Problem } from './problem.ts';
export type { Satisfiable } from './solvers/answer.ts';
export type { SolverName } from './solvers/solve.ts';
