// Orders the transactions vertically so that as many edges as possible point downwards.

import type { Story, StoryEdge, StoryEdgeKind } from '../story/story.ts';

/** Edges that mean "earlier", by priority. An anti-dependency means "did not see". */
const DOWNWARDS: readonly StoryEdgeKind[] = ['session', 'read-from', 'real-time', 'version', 'write-order'];

export interface Order {
  /** Positions of transactions in the story, sorted so that each comes after its predecessors. */
  readonly sequence: readonly number[];
  /** For each transaction, its incoming edges that point downwards. */
  readonly above: readonly (readonly StoryEdge[])[];
}

export function orderOf({ transactions, edges }: Story): Order {
  const indexOf = new Map(transactions.map(({ id }, i) => [id, i]));
  const below: number[][] = transactions.map(() => []);
  const above: StoryEdge[][] = transactions.map(() => []);
  const last = new Map<string, number>();
  transactions.forEach(({ session }, t) => {
    if (session === null) return;
    const before = last.get(session);
    if (before !== undefined) below[before]!.push(t);
    last.set(session, t);
  });
  for (const kind of DOWNWARDS) {
    for (const edge of edges) {
      if (edge.kind !== kind || edge.part === 'refuted') continue;
      const from = indexOf.get(edge.from.transaction);
      const to = indexOf.get(edge.to.transaction);
      if (from === undefined || to === undefined || from === to || reaches(below, to, from)) continue;
      below[from]!.push(to);
      above[to]!.push(edge);
    }
  }
  return { sequence: topologicalOrder(below), above };
}

function reaches(below: readonly (readonly number[])[], from: number, to: number): boolean {
  const seen = new Uint8Array(below.length);
  const stack = [from];
  while (stack.length > 0) {
    const t = stack.pop()!;
    if (t === to) return true;
    if (seen[t]) continue;
    seen[t] = 1;
    stack.push(...below[t]!);
  }
  return false;
}

function topologicalOrder(below: readonly (readonly number[])[]): number[] {
  const indegree = new Int32Array(below.length);
  for (const targets of below) for (const t of targets) indegree[t]!++;
  const sequence = [...below.keys()].filter((t) => indegree[t] === 0);
  for (let i = 0; i < sequence.length; i++) {
    for (const t of below[sequence[i]!]!) if (--indegree[t]! === 0) sequence.push(t);
  }
  return sequence;
}
