import { buildReadFrom, type History, listVersions } from '@isolab/history';
import { arbitraryHistory, h } from '@isolab/testkit';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  Choice,
  type Dependencies,
  DependencyType,
  type GeneralizedPolygraph,
  InducedReachability,
  type Pruning,
  SessionVectors,
  beginEvent,
  commitEvent,
  generalizedPolygraph,
  listVersionTable,
  prunePolygraph,
  registerVersionTable,
} from '../src/index.ts';

const settledIn = ({ choice }: Pruning): number[] => [...choice.keys()].filter((c) => choice[c] !== Choice.Open);

const NAMES = ['SO', 'WR', 'WW', 'RW'];

/** Edges in the form T1 -WW(x)-> T2, transactions counted from 1 in the order of the sessions; T0 is the initial one. */
function show(edges: Dependencies, first = 0, end = edges.count): string[] {
  const name = (key: number): string => (key < 0 ? '' : `(${'xyzuv'[key]})`);
  return Array.from(
    { length: end - first },
    (_, i) =>
      `${edges.from[first + i]} ${NAMES[edges.type[first + i]!]}${name(edges.key[first + i]!)} ${edges.to[first + i]}`,
  ).toSorted();
}

const polygraphOf = (history: History, { compact = true, initialFirst = true } = {}): GeneralizedPolygraph =>
  generalizedPolygraph(registerVersionTable(history, buildReadFrom(history), { initialFirst }), { compact });

function sides({ constraints }: GeneralizedPolygraph): string[][][] {
  return Array.from({ length: constraints.count }, (_, c) => [
    show(constraints.edges, constraints.start[c]!, constraints.middle[c]!),
    show(constraints.edges, constraints.middle[c]!, constraints.start[c + 1]!),
  ]);
}

describe('generalized polygraphs', () => {
  // Figure 2: T and S write x; T' and S' read it from them.
  const figure2 = h`
    w(x,1)
    w(x,2)
    r(x,1)
    r(x,2)`;

  test('generalized polygraphs have one constraint for the pair of writers, compacted (figure 2)', () => {
    const polygraph = polygraphOf(figure2);
    expect(show(polygraph.known)).toEqual(['0 SO 1', '0 SO 2', '0 SO 3', '0 SO 4', '1 WR(x) 3', '2 WR(x) 4']);
    expect(sides(polygraph)).toEqual([
      [
        ['1 WW(x) 2', '3 RW(x) 2'],
        ['2 WW(x) 1', '4 RW(x) 1'],
      ],
    ]);
  });

  test('generalized polygraphs have three constraints without compaction', () => {
    expect(sides(polygraphOf(figure2, { compact: false }))).toEqual([
      [['1 WW(x) 2'], ['2 WW(x) 1']],
      [['3 RW(x) 2'], ['2 WW(x) 1']],
      [['4 RW(x) 1'], ['1 WW(x) 2']],
    ]);
  });

  test('generalized polygraphs merge the keys that two transactions write', () => {
    const history = h`
      w(x,1) w(y,1) w(x,2)
      w(y,3) w(x,3)
      r(x,3)`;
    expect(sides(polygraphOf(history))).toEqual([
      [
        ['1 WW(x) 2', '1 WW(y) 2'],
        ['2 WW(x) 1', '2 WW(y) 1', '3 RW(x) 1'],
      ],
    ]);
  });

  test('generalized polygraphs put a reader of the initial state before the first writer of every session', () => {
    const history = h`
      r(x,0)
      w(x,1) | w(x,2)
      w(x,3)`;
    const polygraph = polygraphOf(history);
    expect(show(polygraph.known)).toEqual(['0 SO 1', '0 SO 2', '0 SO 4', '1 RW(x) 2', '1 RW(x) 4', '2 SO 3']);
    expect(polygraph.constraints.count).toBe(3);
  });

  test('generalized polygraphs, as published, treat the initial transaction as a writer like any other', () => {
    const history = h`
      w(x,1) | r(x,0)`;
    const polygraph = polygraphOf(history, { initialFirst: false });
    expect(show(polygraph.known)).toEqual(['0 WR(x) 2', '1 SO 2']);
    expect(sides(polygraph)).toEqual([[['0 WW(x) 1', '2 RW(x) 1'], ['1 WW(x) 0']]]);
    // But not ours: the read is stale.
    expect(prunePolygraph(polygraphOf(history)).reachability.isAcyclic).toBe(false);
    expect(prunePolygraph(polygraph).reachability.isAcyclic).toBe(true);
  });

  test('generalized polygraphs count like Table 3, with the initial transaction among the writers', () => {
    fc.assert(
      fc.property(arbitraryHistory({ transactions: 8, operations: 3 }), fc.boolean(), (history, compact) => {
        const ours = polygraphOf(history, { compact });
        const published = polygraphOf(history, { compact, initialFirst: false }).constraints;
        expect(ours.size).toEqual({ constraints: published.count, unknownDependencies: published.edges.count });
      }),
      { numRuns: 200, seed: 1 },
    );
  });

  test('generalized polygraphs of lists leave open only the order of unread appends', () => {
    const history = h`
      a(x,1) | a(x,2) | a(x,9)
      a(x,3)
      r(x,[1 2])
      a(x,4) a(x,5)
      r(x,[])`;
    const index = buildReadFrom(history);
    const polygraph = generalizedPolygraph(listVersionTable(history, index, listVersions(history, index)));
    expect(show(polygraph.known).filter((edge) => !edge.includes('SO'))).toEqual([
      '1 WW(x) 2',
      '2 WR(x) 5',
      '2 WW(x) 3',
      '2 WW(x) 4',
      '2 WW(x) 6',
      '5 RW(x) 3',
      '5 RW(x) 4',
      '5 RW(x) 6',
      '7 RW(x) 1',
    ]);
    expect(sides(polygraph)).toEqual([
      [['3 WW(x) 4'], ['4 WW(x) 3']],
      [['3 WW(x) 6'], ['6 WW(x) 3']],
      [['4 WW(x) 6'], ['6 WW(x) 4']],
    ]);
  });
});

/** Returns whether edges close a cycle without adjacent anti-dependencies: by composing them, as Definition 3 does. */
function inducedClosure(numNodes: number, edges: readonly (readonly [number, number, number])[]): boolean[][] {
  const reach = Array.from({ length: numNodes }, () => Array.from({ length: numNodes }, () => false));
  for (const [from, to, type] of edges) {
    if (type === DependencyType.RW) continue;
    reach[from]![to] = true;
    for (const [middle, end, other] of edges)
      if (other === DependencyType.RW && middle === to) reach[from]![end] = true;
  }
  for (let k = 0; k < numNodes; k++)
    for (let i = 0; i < numNodes; i++)
      for (let j = 0; j < numNodes; j++) if (reach[i]![k] && reach[k]![j]) reach[i]![j] = true;
  return reach;
}

function listOf(edges: Dependencies, first = 0, end = edges.count): [number, number, number][] {
  return Array.from({ length: end - first }, (_, i) => [
    edges.from[first + i]!,
    edges.to[first + i]!,
    edges.type[first + i]!,
  ]);
}

test('reachability through split nodes is that of the induced graph', () => {
  const edge = fc.tuple(fc.nat({ max: 7 }), fc.nat({ max: 7 }), fc.nat({ max: 3 }));
  fc.assert(
    fc.property(fc.array(edge, { maxLength: 14 }), (drawn) => {
      const edges = drawn.filter(([from, to]) => from !== to);
      const columns = {
        count: edges.length,
        from: Int32Array.from(edges, ([from]) => from),
        to: Int32Array.from(edges, ([, to]) => to),
        key: new Int32Array(edges.length),
        type: Uint8Array.from(edges, ([, , type]) => type),
      };
      const reach = inducedClosure(8, edges);
      const found = new InducedReachability(8);
      found.extend(columns, 0, () => {});
      expect(found.isAcyclic).toBe(reach.every((row, i) => !row[i]));
      if (!found.isAcyclic) return;
      for (let a = 0; a < 8; a++) {
        for (let b = 0; b < 8; b++) {
          expect(found.reaches(commitEvent(a), commitEvent(b))).toBe(reach[a]![b]);
          const toBegin = edges.some(([p, to, type]) => {
            return to === b && type !== DependencyType.RW && (p === a || reach[a]![p]!);
          });
          expect(found.reaches(commitEvent(a), beginEvent(b))).toBe(toBegin);
        }
      }
      // The needed edges have the same closure as all.
      const needed = inducedClosure(
        8,
        [...found.needed].map((e) => edges[e]!),
      );
      expect(found.needed.length).toBeLessThanOrEqual(edges.length);
      expect(needed).toEqual(reach);
    }),
    { numRuns: 300, seed: 1 },
  );
});

/** All choices of sides under which a polygraph is SI-acyclic, as strings of 0 and 1. */
function solutions({ versions, known, constraints }: GeneralizedPolygraph): string[] {
  const found: string[] = [];
  for (let bits = 0; bits < 2 ** constraints.count; bits++) {
    const edges = listOf(known);
    for (let c = 0; c < constraints.count; c++) {
      const isOr = (bits >> c) & 1;
      const first = isOr ? constraints.middle[c]! : constraints.start[c]!;
      edges.push(...listOf(constraints.edges, first, isOr ? constraints.start[c + 1]! : constraints.middle[c]!));
    }
    if (inducedClosure(versions.numNodes, edges).every((row, i) => !row[i]))
      found.push(choiceOf(bits, constraints.count));
  }
  return found;
}

const choiceOf = (bits: number, count: number): string =>
  Array.from({ length: count }, (_, c) => (bits >> c) & 1).join('');

describe('pruning', () => {
  test('pruning settles the same constraints with vectors of sessions as with rows of bits', () => {
    let answers = 0;
    fc.assert(
      fc.property(arbitraryHistory({ transactions: 12, operations: 4, keys: 3 }), fc.boolean(), (history, compact) => {
        for (const initialFirst of [true, false]) {
          const polygraph = polygraphOf(history, { compact, initialFirst });
          const { numNodes, session, previous } = polygraph.versions;
          const byRows = prunePolygraph(polygraph);
          const byVectors = prunePolygraph(polygraph, { closure: new SessionVectors(session) });
          expect(byVectors.choice).toEqual(byRows.choice);
          expect(byVectors.contradiction).toEqual(byRows.contradiction);
          expect(byVectors.reachability.order).toEqual(byRows.reachability.order);
          expect(byVectors.reachability.needed).toEqual(byRows.reachability.needed);
          if (!byRows.reachability.isAcyclic) continue;
          const happened = (node: number): boolean => previous[node]! >= 0;
          for (let from = 0; from < 2 * numNodes; from++) {
            for (let to = 0; to < 2 * numNodes; to++) {
              if (!happened(from >> 1) || !happened(to >> 1)) continue;
              expect(byVectors.reachability.reaches(from, to)).toBe(byRows.reachability.reaches(from, to));
              answers++;
            }
          }
        }
      }),
      { numRuns: 200, seed: 4 },
    );
    expect(answers).toBeGreaterThan(10_000);
  });

  test('pruning refutes the long fork of figure 3', () => {
    const history = h`
      w(x,1) w(y,1)
      w(x,2) | w(x,3)
      w(y,2)
      r(x,2) r(y,1)
      r(x,1) r(y,2)`;
    const polygraph = polygraphOf(history);
    expect(solutions(polygraph)).toEqual([]);
    const pruning = prunePolygraph(polygraph);
    // Both constraints with the first writer are settled, and that of the session. The paper's solver finds the cycle
    // that is left; we see it when the last round closes the known graph.
    expect(pruning.numOpen).toBe(1);
    expect(pruning.reachability.isAcyclic).toBe(false);
  });

  test.each([true, false])(
    'pruning keeps all solutions, and settles only constraints that they agree on (compact: %s)',
    (compact) => {
      let settled = 0;
      fc.assert(
        fc.property(arbitraryHistory({ transactions: 6, operations: 2, keys: 2 }), (history) => {
          const polygraph = polygraphOf(history, { compact });
          if (polygraph.constraints.count > 8) return;
          const truth = solutions(polygraph);
          for (const stop of ['paper', 'artifact'] as const) {
            const pruning = prunePolygraph(polygraph, { stop });
            if (pruning.contradiction !== null || !pruning.reachability.isAcyclic) {
              expect(truth).toEqual([]);
              continue;
            }
            for (const c of settledIn(pruning)) {
              settled++;
              for (const solution of truth) expect(Number(solution[c])).toBe(pruning.choice[c]);
            }
            if (pruning.numOpen === 0) expect(truth).toHaveLength(1);
            expect([...pruning.choice].filter((choice) => choice === Choice.Open)).toHaveLength(pruning.numOpen);
          }
        }),
        { numRuns: 300, seed: 1 },
      );
      expect(settled).toBeGreaterThan(100);
    },
  );

  test('pruning names the edges that made a side impossible', () => {
    fc.assert(
      fc.property(arbitraryHistory({ transactions: 7, operations: 3 }), (history) => {
        const polygraph = polygraphOf(history);
        const pruning = prunePolygraph(polygraph);
        for (const c of settledIn(pruning)) {
          const [e, before] = [pruning.impossibleEdge[c]!, pruning.knownBefore[c]!];
          const edges = [...listOf(pruning.known, 0, before), ...listOf(polygraph.constraints.edges, e, e + 1)];
          const isOr = e >= polygraph.constraints.middle[c]!;
          expect(pruning.choice[c]).toBe(isOr ? Choice.Either : Choice.Or);
          expect(inducedClosure(polygraph.versions.numNodes, edges).some((row, i) => row[i])).toBe(true);
        }
      }),
      { numRuns: 200, seed: 2 },
    );
  });

  test('pruning is disabled on request', () => {
    const polygraph = polygraphOf(h`
      w(x,1) | w(x,2)`);
    expect(prunePolygraph(polygraph, { enabled: false })).toMatchObject({
      numOpen: 1,
      rounds: 0,
      unknownDependencies: 2,
    });
    expect(prunePolygraph(polygraph)).toMatchObject({ numOpen: 0, unknownDependencies: 0 });
  });

  test('pruning stops on request', () => {
    const stop = new Error('enough');
    const tick = (): void => {
      throw stop;
    };
    const polygraph = polygraphOf(h`
      w(x,1) | w(x,2)`);
    expect(() => prunePolygraph(polygraph, { tick })).toThrow(stop);
  });
});
