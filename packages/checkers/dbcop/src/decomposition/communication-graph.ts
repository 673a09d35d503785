import { type Adjacency, IntList, digraphOf } from '@isolab/graph';
import { type History, NO_KEY, Outcome, type ReadFromIndex, countKeys, countSessions } from '@isolab/history';

/** Sessions that access each key in a transaction that happened, in ascending order. */
export function sessionsByKey(history: History, { outcome }: ReadFromIndex): Adjacency {
  const { sessionStart, txnStart, opKey } = history;
  const seen = new Int32Array(countKeys(history)).fill(-1);
  const keys = new IntList();
  const sessions = new IntList();
  for (let s = 0; s < countSessions(history); s++) {
    for (let t = sessionStart[s]; t < sessionStart[s + 1]; t++) {
      if (outcome[t] !== Outcome.Happened) continue;
      for (let op = txnStart[t]; op < txnStart[t + 1]; op++) {
        const key = opKey[op];
        if (key === NO_KEY || seen[key] === s) continue;
        seen[key] = s;
        keys.push(key);
        sessions.push(s);
      }
    }
  }
  return digraphOf(countKeys(history), keys.view(), sessions.view());
}

/**
 * A graph over the sessions with the biconnected components of the communication graph (paper, section 5), where two
 * sessions are adjacent if they access a common key.
 * There, a key that k sessions access is a clique of k(k − 1)/2 edges. Here it is a cycle of k edges (one edge if k =
 * 2), which changes no component: Let c be any vertex. A clique without c is still connected, and a cycle without c is
 * a path over the same vertices. So without c both graphs have the same connected components, and so they have with c.
 * Two vertices are in a common biconnected component if and only if they are adjacent, or connected and not separated
 * by a third vertex (Menger). Vertices that only the clique makes adjacent (k ≥ 4) lie on the cycle; vertices adjacent
 * in the cycle are adjacent in the clique; and separation is the same in both graphs. Hence both graphs have the same
 * pairs, and a component is a maximal set of vertices that are pairwise together.
 */
export function communicationGraph(keySessions: Adjacency, numSessions: number): Adjacency {
  const { start, target } = keySessions;
  const from = new IntList();
  const to = new IntList();
  const connect = (u: number, v: number): void => {
    from.push(u);
    to.push(v);
    from.push(v);
    to.push(u);
  };
  for (let key = 0; key + 1 < start.length; key++) {
    const first = start[key];
    const end = start[key + 1];
    for (let i = first + 1; i < end; i++) connect(target[i - 1], target[i]);
    if (end - first > 2) connect(target[end - 1], target[first]);
  }
  return withoutRepetitions(digraphOf(numSessions, from.view(), to.view()));
}

function withoutRepetitions(edges: Adjacency): Adjacency {
  const n = edges.numNodes;
  const start = new Int32Array(n + 1);
  const target = new IntList();
  const seen = new Int32Array(n).fill(-1);
  for (let u = 0; u < n; u++) {
    for (let i = edges.start[u]; i < edges.start[u + 1]; i++) {
      const v = edges.target[i];
      if (seen[v] === u) continue;
      seen[v] = u;
      target.push(v);
    }
    start[u + 1] = target.length;
  }
  return { numNodes: n, start, target: target.toArray() };
}
