export { baselinesSmt, baselinesSmt as default } from './baselines-smt.ts';
export { POLYGRAPH_ENCODINGS, decidePolygraph } from './polygraph/decide-polygraph.ts';
