import { NO_TIME, type PlainHistory, buildReadFrom, fromPlain } from '@isolab/history';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findVersions } from '../src/coverage.ts';
import { type DependencyGraph, Relation, dependencyGraph } from '../src/graph.ts';
import { type Model, buildModel } from '../src/model.ts';

const PLAIN = { wfrKeys: true, sequentialKeys: false, linearizableKeys: false };
const ALL = { antiDependencies: true, process: true, realTime: true };

/** All edges of a relation between nodes of the model, those through hubs as the edges that they stand for. */
function edgesOf({ numNodes, from, to, relation }: DependencyGraph, wanted: number, through: number): string[] {
  const found = new Set<string>();
  const edges = Array.from(relation.keys());
  for (const e of edges.filter((i) => relation[i] === wanted)) {
    const reached = [to[e]!];
    for (const node of reached) {
      if (node < numNodes) found.add(`${from[e]} ${node}`);
      else
        for (const i of edges) {
          if (from[i] !== node) continue;
          expect(relation[i]).toBe(through);
          if (!reached.includes(to[i]!)) reached.push(to[i]!);
        }
    }
  }
  return [...found].toSorted();
}

function modelOf(plain: PlainHistory): Model {
  const history = fromPlain(plain);
  return buildModel(history, buildReadFrom(history));
}

describe('hubs stand for the edges that they replace, and for no others', () => {
  /** Operation of each transaction on one list: reads the empty list, appends, or both. */
  const program = fc.array(fc.tuple(fc.boolean(), fc.boolean()), { minLength: 1, maxLength: 12, size: 'max' });

  test('hubs replace anti-dependencies of many readers on many unseen appends', () => {
    fc.assert(
      fc.property(program, (transactions) => {
        const model = modelOf({
          sessions: transactions.map(([reads, appends], i) => ({
            name: BigInt(i),
            transactions: [
              {
                status: 'committed',
                operations: [
                  ...(reads ? [{ kind: 'list-read' as const, key: 'x', elements: [] }] : []),
                  ...(appends ? [{ kind: 'append' as const, key: 'x', value: BigInt(i) }] : []),
                ],
              },
            ],
          })),
        });
        const graph = dependencyGraph(model, findVersions(model, PLAIN), ALL);
        const expected = transactions.flatMap(([reads], i) =>
          transactions.flatMap(([, appends], j) => (reads && appends && i !== j ? [`${i} ${j}`] : [])),
        );
        const writers = transactions.filter(([, appends]) => appends).length;
        const isMixed = transactions.some(([, appends]) => appends) && transactions.some(([reads]) => reads);
        expect(edgesOf(graph, Relation.RW, Relation.ThroughRW)).toEqual(isMixed ? expected.toSorted() : []);
        if (writers <= 4) expect(graph.numHubs).toBe(0);
      }),
      { numRuns: 300, seed: 3 },
    );
  });

  test('real time', () => {
    const times = fc.array(fc.tuple(fc.nat({ max: 12 }), fc.nat({ max: 6 }), fc.boolean()), {
      minLength: 1,
      maxLength: 9,
      size: 'max',
    });
    fc.assert(
      fc.property(
        times,
        fc.constantFrom(0n, 1_700_000_000_000_000_000n),
        fc.constantFrom(1n, 2n ** 57n),
        (all, zero, unit) => {
          const at = all.map(([begin, length, isKnown]) => ({
            begin: zero + BigInt(begin) * unit,
            end: isKnown ? zero + BigInt(begin + length) * unit : NO_TIME,
          }));
          const model = modelOf({
            sessions: at.map(({ begin, end }, i) => ({
              name: BigInt(i),
              transactions: [
                {
                  status: 'committed',
                  begin,
                  ...(end !== NO_TIME && { end }),
                  operations: [{ kind: 'append', key: 'x', value: BigInt(i) }],
                },
              ],
            })),
          });
          const graph = dependencyGraph(model, findVersions(model, PLAIN), ALL);
          const expected = at.flatMap((a, i) =>
            at.flatMap((b, j) => (a.end !== NO_TIME && a.end < b.begin ? [`${i} ${j}`] : [])),
          );
          expect(edgesOf(graph, Relation.RealTime, Relation.ThroughTime)).toEqual(
            model.history.txnEnd === null ? [] : expected.toSorted(),
          );
        },
      ),
      { numRuns: 300, seed: 3 },
    );
  });
});

test('edges grow with the history, not with its square', () => {
  const numEdges = (n: number): number => {
    const model = modelOf({
      sessions: Array.from({ length: n }, (_, i) => ({
        name: BigInt(i),
        transactions: [
          {
            status: 'committed',
            begin: BigInt(i % 7),
            end: BigInt(10 + (i % 5)),
            operations:
              i % 2 === 0
                ? [{ kind: 'list-read', key: 'x', elements: [] }]
                : [{ kind: 'append', key: 'x', value: BigInt(i) }],
          },
        ],
      })),
    });
    return dependencyGraph(model, findVersions(model, PLAIN), ALL).numEdges;
  };
  expect(numEdges(4000)).toBeLessThan(4.2 * numEdges(1000));
});
