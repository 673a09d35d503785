import type { Model } from './model.ts';
import type { InferredVersions } from './versions.ts';

/** Transactions that read the same version of a key, and all write the key. */
export interface LostUpdate {
  readonly version: number;
  /** The nodes, and the read of the version by each node. */
  readonly nodes: readonly number[];
  readonly reads: readonly number[];
}

/** All lost updates, or only the first, in order of the transaction that reveals it. */
export function findLostUpdates(model: Model, versions: InferredVersions, findAll: boolean): LostUpdate[] {
  const { history, numNodes, txnOf } = model;
  const { numKeys, key, left, versionRead } = versions;
  const writes = new Int32Array(numKeys).fill(-1); // by key: the last visited node that writes it
  const first = new Int32Array(key.length).fill(-1); // by version: its first read by a node that writes the key
  const found = new Map<number, { nodes: number[]; reads: number[] }>();
  for (let node = 0; node < numNodes; node++) {
    if (left.start[node] === left.start[node + 1]) continue;
    for (let i = left.start[node]; i < left.start[node + 1]; i++) writes[key[left.target[i]]] = node;
    for (let op = history.txnStart[txnOf[node]], end = history.txnStart[txnOf[node] + 1]; op < end; op++) {
      const version = versionRead[op];
      if (version < 0 || writes[history.opKey[op]] !== node) continue;
      if (first[version] < 0) {
        first[version] = op;
        continue;
      }
      const before = model.nodeOfOp[first[version]];
      const update = found.get(version) ?? { nodes: [before], reads: [first[version]] };
      if (update.nodes.at(-1) === node) continue;
      update.nodes.push(node);
      update.reads.push(op);
      found.set(version, update);
      if (!findAll) return [{ version, nodes: [before, node], reads: [first[version], op] }];
    }
  }
  return Array.from(found, ([version, update]) => ({ version, ...update }));
}
