import { type Digraph, EdgeColumns } from '@isolab/graph';
import { OpKind } from '@isolab/history';
import type { Dependencies } from './dependencies.ts';
import { timeLineOf } from './real-time.ts';

export const EdgeType = { SO: 0, WR: 1, RW: 2, RT: 3 } as const;

/** An edge of the dependency graph. That a WR edge is one of WW, too, shows in its read: `to` writes the key later. */
export interface TypedEdge {
  readonly type: number;
  readonly from: number;
  readonly to: number;
  /** The read of `to` for WR, the read of `from` for RW, and −1 for the others. */
  readonly read: number;
}

/**
 * Which cycles are looked for: of dependencies alone, of those that snapshot isolation forbids, of any that
 * serializability forbids, or of those that strict serializability forbids.
 */
export type Scope = 'dependencies' | 'non-adjacent' | 'serial' | 'strict';

/**
 * The edges between some transactions, one by one, to find a cycle in. Nodes are places in `txns`; then, if no two
 * anti-dependencies may be adjacent, the same once more, which an anti-dependency leads to and none leaves; or else, if
 * real time counts, the returns on the time line, which are passed for nothing.
 */
export interface TypedGraph {
  readonly graph: Digraph;
  /** Nodes from this one on are passed for nothing. */
  readonly firstRelay: number;
  /** The typed edges behind those of a closed path. */
  edgesOf(path: readonly number[]): TypedEdge[];
}

export function typedGraph(dependencies: Dependencies, txns: Int32Array, scope: Scope): TypedGraph {
  const { history, txnOf, next, version, lastReader, readerBefore, overwriter } = dependencies;
  const { txnStart, opKind } = history;
  const size = txns.length;
  const place = new Map<number, number>();
  txns.forEach((t, i) => place.set(t, i));
  const edges = new EdgeColumns();
  const type: number[] = [];
  const reads: number[] = [];
  const layered = scope === 'non-adjacent';
  const add = (kind: number, from: number, to: number | undefined, read: number): void => {
    if (to === undefined || to === from) return;
    const isAntiDependency = kind === EdgeType.RW;
    edges.add(from, layered && isAntiDependency ? size + to : to);
    type.push(kind);
    reads.push(read);
    if (!layered || isAntiDependency) return;
    edges.add(size + from, to);
    type.push(kind);
    reads.push(read);
  };

  for (let i = 0; i < size; i++) {
    const t = txns[i];
    if (next[t] >= 0) add(EdgeType.SO, i, place.get(next[t]), -1);
    for (let op = txnStart[t], end = txnStart[t + 1]; op < end; op++) {
      if (opKind[op] === OpKind.Write) {
        for (let read = lastReader[op]; read >= 0; read = readerBefore[read])
          add(EdgeType.WR, i, place.get(txnOf[read]), read);
      } else if (version[op] >= 0 && scope !== 'dependencies') {
        const by = overwriter[version[op]];
        if (by >= 0) add(EdgeType.RW, i, place.get(by), op);
      }
    }
  }
  const firstRelay = layered ? 2 * size : size;
  const numRelays = scope === 'strict' ? addTimeLine() : 0;

  /** Adds the edges to, along and from a time line of these transactions; returns how many nodes it has. */
  function addTimeLine(): number {
    const line = timeLineOf(history, txns.slice());
    if (line === null) return 0;
    const { byReturn, byCall, waitsFor } = line;
    byReturn.forEach((t, k) => {
      add(EdgeType.RT, place.get(t)!, size + k, -1);
      if (k > 0) add(EdgeType.RT, size + k - 1, size + k, -1);
    });
    byCall.forEach((t, i) => {
      if (waitsFor[i] > 0) add(EdgeType.RT, size + waitsFor[i] - 1, place.get(t), -1);
    });
    return byReturn.length;
  }

  return {
    graph: edges.digraph(firstRelay + numRelays),
    firstRelay,
    edgesOf(path) {
      const typed: TypedEdge[] = [];
      let from = -1;
      for (const e of path) {
        if (edges.from[e] < firstRelay) from = txns[edges.from[e] % size];
        if (edges.to[e] < firstRelay) typed.push({ type: type[e], from, to: txns[edges.to[e] % size], read: reads[e] });
      }
      return typed;
    },
  };
}
