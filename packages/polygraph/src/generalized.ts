export { type Dependencies, DependencyType, DependencyColumns } from './generalized-dependencies.ts';
export {
  type GeneralizedConstraints,
  type GeneralizedPolygraph,
  type PolygraphSize,
  Side,
  generalizedPolygraph,
} from './generalized-polygraph.ts';
export { Choice, type Contradiction, type Pruning, type StopRule, prunePolygraph } from './generalized-pruning.ts';
export { InducedReachability, beginEvent, commitEvent, inducedReachability } from './generalized-reachability.ts';
export {
  INITIAL_NODE,
  type VersionTableOptions,
  type VersionTable,
  listVersionTable,
  nodeOf,
  registerVersionTable,
  transactionOfNode,
} from './generalized-versions.ts';
