export { baselinesSmt, baselinesSmt as default } from './baselines-smt.ts';
export type { Encoding, SmtOptions } from './options.ts';
export {
  type PolygraphAnswer,
  type PolygraphEncoding,
  POLYGRAPH_ENCODINGS,
  decidePolygraph,
} from './polygraph/decide-polygraph.ts';
