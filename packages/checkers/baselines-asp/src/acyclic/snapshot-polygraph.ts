import type { CheckInput } from '@isolab/contract';
import type { PolygraphInput } from '@isolab/history';
import { SerialVersionBuilder } from '@isolab/polygraph';

type Tick = (steps: number) => void;

/**
 * The plain polygraph of snapshot isolation (Viper, section 3.1, and session order): node 2i stands for the begin of
 * txns[i], 2i + 1 for its commit. It follows from the polygraph of serializability, of which each edge says that a
 * transaction sees another one, or was not seen by it.
 */
export function snapshotPolygraph({ history, index }: CheckInput, txns: Int32Array, tick: Tick): PolygraphInput {
  const versions = new SerialVersionBuilder(history, index).build({ txns, base: null });
  const { keyStart, node, readerStart, reader } = versions;
  const edges: number[] = [];
  const constraints: number[] = [];
  const begin = (n: number): number => 2 * n;
  const commit = (n: number): number => 2 * n + 1;
  for (let n = 0; n < txns.length; n++) {
    edges.push(begin(n), commit(n));
    if (n > 0 && history.txnSession[txns[n]] === history.txnSession[txns[n - 1]]) edges.push(commit(n - 1), begin(n));
  }
  const forReaders = (row: number, visit: (r: number) => void): void => {
    for (let i = readerStart[row]; i < readerStart[row + 1]; i++) visit(reader[i]);
  };
  for (let key = 0; key + 1 < keyStart.length; key++) {
    const end = keyStart[key + 1];
    for (let v = keyStart[key]; v < end; v++) {
      const writer = node[v];
      forReaders(v, (r) => edges.push(commit(writer), begin(r)));
      // Behind the rows of versions come those of initial states.
      forReaders(node.length + key, (r) => {
        if (r !== writer) edges.push(begin(r), commit(writer));
      });
      for (let u = keyStart[key]; u < end; u++) {
        if (u === v) continue;
        const other = node[u];
        if (v < u) constraints.push(commit(writer), begin(other), commit(other), begin(writer));
        forReaders(v, (r) => {
          if (r !== other) constraints.push(begin(r), commit(other), commit(other), begin(writer));
        });
      }
      tick(end - keyStart[key]);
    }
  }
  return {
    name: 'history',
    nodes: 2 * txns.length,
    edges: Int32Array.from(edges),
    constraints: Int32Array.from(constraints),
  };
}
