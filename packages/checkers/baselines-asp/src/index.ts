export { baselinesAsp, baselinesAsp as default } from './baselines-asp.ts';
export type { AspOptions, Encoding } from './options.ts';
export {
  type PolygraphAnswer,
  type PolygraphEncoding,
  POLYGRAPH_ENCODINGS,
  decidePolygraph,
} from './acyclic/decide-polygraph.ts';
