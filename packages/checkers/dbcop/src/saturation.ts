import type { RunContext } from '@isolab/contract';
import { type Adjacency, IntList } from '@isolab/graph';
import type { Dependencies } from './dependencies/dependencies.ts';
import type { Premise } from './premises.ts';

/** Edges that Algorithm 1 adds to SO ∪ WR, as predecessors, each with a read that requires it. */
export interface Saturation {
  readonly edges: Adjacency;
  readonly read: Int32Array;
  /**
   * Nodes that would have to precede the initial transaction, each with the read of the initial state that requires it.
   */
  readonly beforeInitial: readonly { readonly node: number; readonly read: number }[];
}

/**
 * Algorithm 1, lines 3 to 7 (Biswas & Enea, OOPSLA 2019), for all polynomial levels: for every pair t₁ WR(x) t₃ and
 * every other writer t₂ of x that fulfils the premise, t₂ must come before t₁. One pass is enough, since no premise
 * depends on co.
 * All these edges are found and counted, but of the edges from one session to one t₁ only the last is stored: the
 * others follow from SO, which is in the graph anyway. So the number of stored edges is at most nodes times sessions.
 */
export function saturate(
  deps: Dependencies,
  premise: Premise,
  context: RunContext,
  takes: { readonly initialReads: boolean },
): Saturation {
  const { numNodes, session, readKey, reader, readsOf, writerStart, writer } = deps;
  const start = new Int32Array(numNodes + 1);
  const target = new IntList();
  const evidence = new IntList();
  const found = new Int32Array(numNodes).fill(-1); // by t₂: the t₁ of the latest edge found
  const latest = new Int32Array(deps.numSessions).fill(-1); // by session: the last t₂ found for this t₁ …
  const latestRead = new Int32Array(deps.numSessions); // … and its read
  const touched = new IntList();
  let pairs = 0;
  let edges = 0;
  for (let t1 = 0; t1 < numNodes; t1++) {
    const before = pairs;
    touched.length = 0;
    for (let i = readsOf.start[t1], end = readsOf.start[t1 + 1]; i < end; i++) {
      const read = readsOf.item[i];
      const t3 = reader[read];
      const first = writerStart[readKey[read]];
      const last = writerStart[readKey[read] + 1];
      pairs += last - first;
      for (let w = first; w < last; w++) {
        const t2 = writer[w];
        if (found[t2] === t1 || t2 === t1 || t2 === t3 || !premise.holds(t2, read)) continue;
        found[t2] = t1;
        edges++;
        const s = session[t2];
        if (latest[s] < 0) touched.push(s);
        if (t2 <= latest[s]) continue;
        latest[s] = t2;
        latestRead[s] = read;
      }
    }
    for (let i = 0; i < touched.length; i++) {
      const s = touched.items[i];
      if (s !== session[t1] || latest[s] > t1) {
        target.push(latest[s]);
        evidence.push(latestRead[s]);
      }
      latest[s] = -1;
    }
    start[t1 + 1] = target.length;
    context.tick(1 + pairs - before);
  }
  const initial = takes.initialReads ? saturateInitial(deps, premise, context) : { beforeInitial: [], pairs: 0 };
  context.count('pairsTried', pairs + initial.pairs);
  context.count('saturationEdges', edges + initial.beforeInitial.length);
  context.count('edgesStored', target.length);
  const read = evidence.toArray();
  return { edges: { numNodes, start, target: target.toArray() }, read, beforeInitial: initial.beforeInitial };
}

/**
 * Saturation for reads of the initial state: an edge to the initial transaction, which precedes all others, is a cycle.
 */
function saturateInitial(
  { numNodes, readKey, reader, readsOf, writerStart, writer }: Dependencies,
  premise: Premise,
  context: RunContext,
): { beforeInitial: { node: number; read: number }[]; pairs: number } {
  const beforeInitial: { node: number; read: number }[] = [];
  let pairs = 0;
  for (let i = readsOf.start[numNodes], end = readsOf.start[numNodes + 1]; i < end; i++) {
    const read = readsOf.item[i];
    const first = writerStart[readKey[read]];
    const last = writerStart[readKey[read] + 1];
    pairs += last - first;
    context.tick(1 + last - first);
    for (let w = first; w < last; w++) {
      if (writer[w] === reader[read] || !premise.holds(writer[w], read)) continue;
      beforeInitial.push({ node: writer[w], read });
      if (!context.findAll) return { beforeInitial, pairs };
      break;
    }
  }
  return { beforeInitial, pairs };
}
