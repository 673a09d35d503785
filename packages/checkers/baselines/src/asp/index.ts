export { baselinesAsp, baselinesAsp as default } from './baselines-asp.ts';
export { decidePolygraph } from './acyclic/decide-polygraph.ts';
