import { TestContext, draws, prepare } from '@isolab/testkit';
import type { Adjacency } from '@isolab/graph';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type BiconnectedComponents,
  biconnectedComponents,
  componentOfEdge,
  countComponents,
} from '../src/decomposition/biconnected-components.ts';
import { communicationGraph } from '../src/decomposition/communication-graph.ts';
import { decompose } from '../src/decomposition/decompose.ts';
import { LEVELS } from '../src/levels.ts';
import { expectVerified } from './support/certificates.ts';
import { h } from './support/notation.ts';
import { simulate } from './support/random-histories.ts';
import { check, statusOf } from './support/run.ts';

type Pair = readonly [number, number];

const neighbours = (n: number, edges: readonly Pair[]): number[][] =>
  Array.from({ length: n }, (_, u) => [
    ...new Set(edges.flatMap(([a, b]) => (a === b ? [] : a === u ? [b] : b === u ? [a] : []))),
  ]);

const rows = (lists: readonly (readonly number[])[]): Adjacency => ({
  numNodes: lists.length,
  start: Int32Array.from([0, ...lists].map((_, i) => lists.slice(0, i).flat().length)),
  target: Int32Array.from(lists.flat()),
});

const componentsOf = (found: BiconnectedComponents): number[][] =>
  Array.from({ length: countComponents(found) }, (_, c) =>
    Array.from(found.vertex.slice(found.start[c], found.start[c + 1])),
  );

const sorted = (sets: readonly (readonly number[])[]): string[] =>
  sets.map((set) => set.toSorted((a, b) => a - b).join(' ')).toSorted();

/** Components by their definition: largest sets whose members are pairwise adjacent or no third vertex parts them. */
function byDefinition(n: number, adjacent: readonly (readonly number[])[]): number[][] {
  const connected = (u: number, v: number, without: number): boolean => {
    const seen = new Set([u, without]);
    for (const a of seen) {
      if (a === without) continue;
      for (const b of adjacent[a]!) seen.add(b);
    }
    return seen.has(v);
  };
  const together = (u: number, v: number): boolean =>
    adjacent[u]!.includes(v) ||
    (connected(u, v, -1) &&
      Array.from({ length: n }, (_, c) => c).every((c) => c === u || c === v || connected(u, v, c)));
  const subsets = Array.from({ length: 2 ** n - 1 }, (_, bits) =>
    Array.from({ length: n }, (__, v) => v).filter((v) => ((bits + 1) >> v) & 1),
  ).filter((set) => set.every((u) => set.every((v) => u >= v || together(u, v))));
  return subsets.filter(
    (set) => !subsets.some((other) => other.length > set.length && set.every((v) => other.includes(v))),
  );
}

const graphs = fc
  .integer({ min: 1, max: 7 })
  .chain((n) => fc.tuple(fc.constant(n), fc.array(fc.tuple(fc.nat(n - 1), fc.nat(n - 1)), { maxLength: 10 })));

describe('biconnected components', () => {
  test('biconnected components are those of the definition', () => {
    fc.assert(
      fc.property(graphs, ([n, edges]) => {
        const adjacent = neighbours(n, edges);
        const found = biconnectedComponents(rows(adjacent));
        expect(sorted(componentsOf(found))).toEqual(sorted(byDefinition(n, adjacent)));
        adjacent.forEach((list, u) => {
          expect(componentsOf(found)[found.home[u]!]).toContain(u);
          for (const v of list)
            expect(componentsOf(found)[componentOfEdge(found, u, v)]).toEqual(expect.arrayContaining([u, v]));
        });
      }),
      { numRuns: draws(500) },
    );
  });

  test.each([
    ['a vertex alone', 1, [], ['0']],
    ['an edge', 2, [[0, 1]], ['0 1']],
    [
      'a path',
      3,
      [
        [0, 1],
        [1, 2],
      ],
      ['0 1', '1 2'],
    ],
    [
      'a triangle with a tail',
      4,
      [
        [0, 1],
        [1, 2],
        [2, 0],
        [2, 3],
      ],
      ['0 1 2', '2 3'],
    ],
    [
      'two triangles at a vertex',
      5,
      [
        [0, 1],
        [1, 2],
        [2, 0],
        [2, 3],
        [3, 4],
        [4, 2],
      ],
      ['0 1 2', '2 3 4'],
    ],
  ] as [string, number, Pair[], string[]][])('biconnected components of %s', (_, n, edges, expected) => {
    expect(sorted(componentsOf(biconnectedComponents(rows(neighbours(n, edges)))))).toEqual(expected);
  });

  test('biconnected components of a path of 300,000 vertices, without recursion', () => {
    const n = 300_000;
    const start = Int32Array.from({ length: n + 1 }, (_, v) => (v === 0 ? 0 : Math.min(2 * v - 1, 2 * n - 2)));
    const target = new Int32Array(2 * n - 2);
    for (let v = 0; v < n; v++) {
      if (v > 0) target[start[v]!] = v - 1;
      if (v < n - 1) target[start[v]! + (v > 0 ? 1 : 0)] = v + 1;
    }
    expect(countComponents(biconnectedComponents({ numNodes: n, start, target }))).toBe(n - 1);
  });
});

describe('the communication graph', () => {
  const keySets = fc.array(fc.uniqueArray(fc.nat(6), { maxLength: 7 }), { maxLength: 5 });

  test('the communication graph has the components of the graph in which a key makes its sessions a clique', () => {
    fc.assert(
      fc.property(keySets, (sets) => {
        const ascending = sets.map((set) => set.toSorted((a, b) => a - b));
        const clique = ascending.flatMap((set) => set.flatMap((u) => set.map((v) => [u, v] as const)));
        const found = biconnectedComponents(communicationGraph(rows(ascending), 7));
        expect(sorted(componentsOf(found))).toEqual(sorted(byDefinition(7, neighbours(7, clique))));
      }),
      { numRuns: draws(300) },
    );
  });

  test('the communication graph has no more edges than keys have sessions', () => {
    const everywhere = Array.from({ length: 1000 }, (_, s) => s);
    const { target } = communicationGraph(rows([everywhere, everywhere]), 1000);
    expect(target).toHaveLength(2000);
  });
});

describe('the parts of a history', () => {
  const partsOf = (history: ReturnType<typeof h>): number[][] =>
    decompose(prepare(history)).map(({ txns }) => Array.from(txns));

  test.each([
    [
      'sessions of two triangles',
      h`w(a,1) | w(d,1)
                                    w(a,2) w(b,1)
                                    w(b,2) r(a,1)
                                    w(d,2) w(e,1)
                                    w(e,2) r(d,1)`,
      ['0 2 3', '1 4 5'],
    ],
    [
      'a session without anything to do with the others',
      h`w(x,1)
                                                           r(x,1)
                                                           w(y,1) | r(y,1)`,
      ['0 1', '2 3'],
    ],
    [
      'a transaction with keys of two parts',
      h`w(x,1) w(y,1)
                                               r(x,1)
                                               r(y,1)`,
      ['0 1', '0 2'],
    ],
    [
      'only what happened',
      h`!w(x,1) | ?w(y,1) | w(z,1)
                             r(y,1)`,
      ['1 2 3'],
    ],
    ['no operations', h`|`, []],
  ])('the parts of a history are right for %s', (_, history, expected) => {
    expect(sorted(partsOf(history))).toEqual(expected.filter((set) => set !== '').toSorted());
  });
});

const TOPOLOGIES: readonly (readonly [string, (session: number) => readonly number[]])[] = [
  ['a chain', (s) => [2 * s, 2 * s + 1, 2 * s + 2, 2 * s + 3]],
  ['a star', (s) => (s === 0 ? [0, 1, 2, 3, 4, 5, 6, 7] : [s, 100 + s])],
  ['cliques that meet in a session', (s) => (s === 0 ? [0, 1, 2, 3] : s % 2 === 0 ? [0, 1] : [2, 3])],
  ['islands', (s) => [10 * (s >> 1), 10 * (s >> 1) + 1]],
];

describe.each(LEVELS)('at %s', (level) => {
  test.each(TOPOLOGIES)('all parts of %s satisfy it if and only if the whole does', (_, keysOf) => {
    const verdicts = { satisfied: 0, violated: 0 };
    for (let seed = 1; seed <= 32; seed++) {
      // The more is stale, the more is wrong.
      const staleness = [0, 0.01, 0.03, 0.1][seed % 4]!;
      const history = simulate({ seed, sessions: 8, txnsPerSession: 12, opsPerTxn: 4, keysOf, staleness });
      const whole = statusOf(history, level) as keyof typeof verdicts;
      const context = new TestContext({ findAll: true });
      const verdict = check(history, level, { decompose: true }, context);
      expect(verdict.status, `seed ${seed}`).toBe(whole);
      expectVerified(history, level, verdict);
      expect(context.counters.parts).toBeGreaterThan(1);
      verdicts[whole]++;
    }
    expect(Math.min(verdicts.satisfied, verdicts.violated)).toBeGreaterThan(2);
  });
});
