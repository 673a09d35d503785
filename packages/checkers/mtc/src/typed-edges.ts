import { type Digraph, EdgeColumns } from '@isolab/graph';
import { type History, OpKind } from '@isolab/history';
import type { Dependencies } from './dependencies.ts';
import { timeLineOf } from './real-time.ts';

export const EdgeType = { SO: 0, WR: 1, RW: 2, RT: 3 } as const;

/** An edge of the dependency graph. A WR edge whose `to` writes the key later is also a WW edge. */
export interface TypedEdge {
  readonly type: number;
  readonly from: number;
  readonly to: number;
  /** The read of `to` for WR, the read of `from` for RW, and −1 for other edges. */
  readonly read: number;
}

/** Scope of a search for cycles: dependencies, or cycles that a level forbids. */
export type Scope = 'dependencies' | 'non-adjacent' | 'serial' | 'strict';

/**
 * The explicit edges between some transactions, for a search for cycles. Nodes are places in `txns`. If no two
 * anti-dependencies may be adjacent, a second copy of the nodes follows, which anti-dependencies enter and never leave.
 * If real time counts, the returns on the time line follow instead, as nodes without cost.
 */
export interface TypedGraph {
  readonly graph: Digraph;
  /** Nodes from this number on have no cost. */
  readonly firstRelay: number;
  edgesOf(path: readonly number[]): TypedEdge[];
}

export function typedGraph(dependencies: Dependencies, txns: Int32Array, scope: Scope): TypedGraph {
  const { history, txnOf, next, version, lastReader, readerBefore, overwriter } = dependencies;
  const { txnStart, opKind } = history;
  const size = txns.length;
  const layered = scope === 'non-adjacent';
  const edges = new TypedEdges(size, layered);
  const place = new Map<number, number>();
  txns.forEach((t, i) => place.set(t, i));

  for (let i = 0; i < size; i++) {
    const t = txns[i];
    if (next[t] >= 0) edges.add(EdgeType.SO, i, place.get(next[t]), -1);
    for (let op = txnStart[t], end = txnStart[t + 1]; op < end; op++) {
      if (opKind[op] === OpKind.Write) {
        for (let read = lastReader[op]; read >= 0; read = readerBefore[read])
          edges.add(EdgeType.WR, i, place.get(txnOf[read]), read);
      } else if (version[op] >= 0 && scope !== 'dependencies') {
        const by = overwriter[version[op]];
        if (by >= 0) edges.add(EdgeType.RW, i, place.get(by), op);
      }
    }
  }
  const firstRelay = layered ? 2 * size : size;
  const numRelays = scope === 'strict' ? addTimeLine(edges, history, txns, place) : 0;
  const { ends, type, reads } = edges;
  return {
    graph: ends.digraph(firstRelay + numRelays),
    firstRelay,
    edgesOf(path) {
      const typed: TypedEdge[] = [];
      let from = -1;
      for (const e of path) {
        if (ends.from[e] < firstRelay) from = txns[ends.from[e] % size];
        if (ends.to[e] < firstRelay) typed.push({ type: type[e], from, to: txns[ends.to[e] % size], read: reads[e] });
      }
      return typed;
    },
  };
}

class TypedEdges {
  readonly ends = new EdgeColumns();
  readonly type: number[] = [];
  readonly reads: number[] = [];
  readonly #size: number;
  readonly #layered: boolean;

  constructor(size: number, layered: boolean) {
    this.#size = size;
    this.#layered = layered;
  }

  add(type: number, from: number, to: number | undefined, read: number): void {
    if (to === undefined || to === from) return;
    const isAntiDependency = type === EdgeType.RW;
    this.#push(type, from, this.#layered && isAntiDependency ? this.#size + to : to, read);
    if (this.#layered && !isAntiDependency) this.#push(type, this.#size + from, to, read);
  }

  #push(type: number, from: number, to: number, read: number): void {
    this.ends.add(from, to);
    this.type.push(type);
    this.reads.push(read);
  }
}

/** Adds the edges to, along and from a time line of these transactions; returns the number of its nodes. */
function addTimeLine(
  edges: TypedEdges,
  history: History,
  txns: Int32Array,
  place: ReadonlyMap<number, number>,
): number {
  const size = txns.length;
  const line = timeLineOf(history, txns.slice());
  if (line === null) return 0;
  const { byReturn, byCall, waitsFor } = line;
  byReturn.forEach((t, k) => {
    edges.add(EdgeType.RT, place.get(t)!, size + k, -1);
    if (k > 0) edges.add(EdgeType.RT, size + k - 1, size + k, -1);
  });
  byCall.forEach((t, i) => {
    if (waitsFor[i] > 0) edges.add(EdgeType.RT, size + waitsFor[i] - 1, place.get(t), -1);
  });
  return byReturn.length;
}
