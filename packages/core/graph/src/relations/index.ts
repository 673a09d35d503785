export {
  INITIAL,
  type Nodes,
  type Sessions,
  happenedIn,
  neighboursOf,
  nodesAmong,
  nodesInPlace,
  nodesThatHappened,
  sessionsOf,
  transactionsThatHappened,
} from './nodes.ts';
export { NO_SOURCE, type Reads } from './reads.ts';
export { RecentKeys } from './recent-keys.ts';
export { Relations } from './relations.ts';
export { type KeyVersions, initialVersion, listAppendVersions, registerVersions } from './versions.ts';
export { type WriteSets, type Writers, placeOfWriter, writesKey } from './writes.ts';
