import fc from 'fast-check';
import type { Literal, SolverOptions } from '../../src/index.ts';

/** Numbers from 0 to 1, repeatable. */
export function randomNumbers(seed: number): () => number {
  let state = seed * 2654435761 + 1;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t ^= t + Math.imul(t ^ (t >>> 7), 61 | t);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Clauses of three different variables. */
export function random3Sat(numVariables: number, numClauses: number, seed: number): Literal[][] {
  const random = randomNumbers(seed);
  return Array.from({ length: numClauses }, () => {
    const variables = new Set<number>();
    while (variables.size < 3) variables.add(Math.floor(random() * numVariables));
    return [...variables].map((v) => 2 * v + (random() < 0.5 ? 1 : 0));
  });
}

/** One more pigeon than holes: pigeon p sits in hole h if variable p · holes + h is true. */
export function pigeonHole(holes: number): { numVariables: number; clauses: Literal[][] } {
  const clauses: Literal[][] = [];
  const sits = (pigeon: number, hole: number): Literal => 2 * (pigeon * holes + hole);
  for (let p = 0; p <= holes; p++) clauses.push(Array.from({ length: holes }, (_, h) => sits(p, h)));
  for (let h = 0; h < holes; h++) {
    for (let p = 0; p <= holes; p++) for (let q = 0; q < p; q++) clauses.push([sits(p, h) ^ 1, sits(q, h) ^ 1]);
  }
  return { numVariables: (holes + 1) * holes, clauses };
}

export interface Polygraph {
  readonly numNodes: number;
  readonly known: [number, number][];
  readonly choices: { readonly either: [number, number][]; readonly or: [number, number][] }[];
}

/**
 * Transactions of sessions, in a hidden serial order, that read and write keys. Known are the edges of the sessions and
 * those from writers to readers; for every two writers of a key there is a choice of the first, and with it of the
 * edges from the readers of the first to the second. A stale read sees the version before the last one.
 */
export function polygraph(numNodes: number, numKeys: number, stale: number, seed: number): Polygraph {
  const random = randomNumbers(seed);
  const below = (count: number) => Math.floor(random() * count);
  const name = Array.from({ length: numNodes }, (_, i) => i);
  for (let i = numNodes - 1; i > 0; i--) {
    const j = below(i + 1);
    [name[i], name[j]] = [name[j]!, name[i]!];
  }
  const versions: Version[][] = Array.from({ length: numKeys }, () => []);
  const sessions: number[] = [];
  const known: [number, number][] = [];
  for (const node of name) {
    const session = below(8);
    if (sessions[session] !== undefined) known.push([sessions[session], node]);
    sessions[session] = node;
    for (const key of new Set([below(numKeys), below(numKeys), below(numKeys)])) {
      const writers = versions[key]!;
      if (writers.length === 0 || random() < 0.5) {
        writers.push({ node, readers: [] });
        continue;
      }
      const seen = writers[Math.max(0, writers.length - (random() < stale ? 2 : 1))]!;
      seen.readers.push(node);
      known.push([seen.node, node]);
    }
  }
  const choices: Polygraph['choices'] = [];
  for (const writers of versions) {
    for (const [i, a] of writers.entries()) {
      for (const b of writers.slice(i + 1)) choices.push({ either: edgesOf(a, b), or: edgesOf(b, a) });
    }
  }
  return { numNodes, known, choices };
}

interface Version {
  readonly node: number;
  readonly readers: number[];
}

function edgesOf(first: Version, second: Version): [number, number][] {
  const edges: [number, number][] = [[first.node, second.node]];
  for (const reader of first.readers) if (reader !== second.node) edges.push([reader, second.node]);
  return edges;
}

export const solverOptions: fc.Arbitrary<SolverOptions> = fc.record(
  {
    seed: fc.nat(),
    chronological: fc.constantFrom(0, 1, 3),
  },
  { requiredKeys: [] },
);
