export { type Dependencies, DependencyType } from './generalized-dependencies.ts';
export { type GeneralizedPolygraph, generalizedPolygraph } from './generalized-polygraph.ts';
export { Choice, type Pruning, type StopRule, prunePolygraph } from './generalized-pruning.ts';
export { EventRows, InducedReachability, beginEvent, commitEvent } from './generalized-reachability.ts';
export {
  INITIAL_NODE,
  type VersionTable,
  listVersionTable,
  registerVersionTable,
  transactionOfNode,
} from './generalized-versions.ts';
export { SessionVectors } from './session-vectors.ts';
