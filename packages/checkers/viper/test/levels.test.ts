import { digraphOf, topologicalOrder } from '@isolab/graph';
import { type History, NO_TIME, TxnStatus } from '@isolab/history';
import { beginCommitPolygraph, registerVersions } from '@isolab/polygraph';
import { arbitraryHistory, prepare } from '@isolab/testkit';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addRealTimeEdges, addSessionEdges } from '../src/levels.ts';
import { likelyOrder } from '../src/likely-order.ts';
import { chainPlaces, prune, pruneNothing } from '../src/heuristic-pruning.ts';

const histories = arbitraryHistory({ atLeast: 4, transactions: 14, sessions: 4, keys: 3, times: true, unknown: true });

function polygraphOf(history: History) {
  return beginCommitPolygraph(registerVersions(history, prepare(history).index, { combine: true }));
}

/** Reachability of nodes over edges from one number on. */
function reachability(numNodes: number, from: Int32Array, to: Int32Array): boolean[][] {
  const reaches = Array.from({ length: numNodes }, () => Array.from({ length: numNodes }, () => false));
  from.forEach((node, e) => (reaches[node]![to[e]!] = true));
  for (let k = 0; k < numNodes; k++)
    for (let i = 0; i < numNodes; i++)
      if (reaches[i]![k]) for (let j = 0; j < numNodes; j++) reaches[i]![j] ||= reaches[k]![j]!;
  return reaches;
}

describe('real time', () => {
  test.each(['commits', 'snapshots'] as const)(
    '%s: the time line orders exactly the pairs that it should',
    (realTime) => {
      fc.assert(
        fc.property(histories, fc.nat({ max: 3 }), (history, drift) => {
          const polygraph = polygraphOf(history);
          const { happened } = polygraph.versions;
          const before = polygraph.edges.count;
          addRealTimeEdges(history, polygraph, realTime, BigInt(drift));
          const { from, to, count } = polygraph.edges.columns;
          const reaches = reachability(polygraph.numNodes, from.slice(before, count), to.slice(before, count));
          const known = (times: BigInt64Array | null, t: number): bigint | null =>
            times === null || times[t] === NO_TIME ? null : times[t]!;
          const endOf = (t: number): bigint | null =>
            history.txnStatus[t] === TxnStatus.Committed ? known(history.txnEnd, t) : null;
          const timeOf = (event: number, asTarget: boolean): bigint | null => {
            const t = event >> 1;
            if (asTarget)
              return (event % 2 === 0 ? null : known(history.txnCommitting, t)) ?? known(history.txnBegin, t);
            return (event % 2 === 0 ? known(history.txnBegun, t) : null) ?? endOf(t);
          };
          const events = [...happened.keys()].filter((t) => happened[t]).flatMap((t) => [2 * t, 2 * t + 1]);
          for (const a of events) {
            for (const b of events) {
              const [early, late] = [timeOf(a, false), timeOf(b, true)];
              const isDemanded = b % 2 === 1 || (a % 2 === 1 && realTime === 'snapshots');
              const isEarlier = early !== null && late !== null && early + BigInt(drift) < late;
              // Strong snapshots chain: a commit before a begin, and so on; the order contains at least the demanded
              // edges.
              if (isDemanded && isEarlier) expect(reaches[a]![b]).toBe(true);
              if (!isEarlier || (realTime === 'commits' && !isDemanded)) expect(reaches[a]![b]).toBe(false);
            }
          }
        }),
        { numRuns: 200 },
      );
    },
  );

  test('costs a number of edges that grows with the number of events, not of pairs', () => {
    const [history] = fc.sample(arbitraryHistory({ atLeast: 200, transactions: 200, times: true, sessions: 9 }), 1);
    const polygraph = polygraphOf(history!);
    const before = polygraph.edges.count;
    addRealTimeEdges(history!, polygraph, 'snapshots', 0n);
    expect(polygraph.edges.count - before).toBeLessThan(2000);
    expect(polygraph.edges.count - before).toBeGreaterThan(600);
  });
});

describe('the likely order', () => {
  test('the likely order has all known edges lead forward, and exists unless they have a cycle', () => {
    fc.assert(
      fc.property(histories, fc.boolean(), (history, hasSessions) => {
        const polygraph = polygraphOf(history);
        if (hasSessions) addSessionEdges(history, polygraph);
        const { from, to, count } = polygraph.edges.columns;
        const isAcyclic =
          topologicalOrder(digraphOf(polygraph.numNodes, from, to, count)).length === polygraph.numNodes;
        const order = likelyOrder(history, polygraph, hasSessions);
        expect(order !== null).toBe(isAcyclic);
        expect(polygraph.edges.count).toBe(count);
        if (order === null) return;
        const place = new Map([...order.nodes].map((node, i) => [node, i]));
        for (let e = 0; e < count; e++) expect(place.get(from[e]!)!).toBeLessThan(place.get(to[e]!)!);
      }),
      { numRuns: 200 },
    );
  });
});

describe('heuristic pruning', () => {
  test('heuristic pruning lists enough settled constraints for the rest to follow, and leaves the other constraints open', () => {
    let settledPairs = 0;
    let omitted = 0;
    const many = arbitraryHistory({ atLeast: 12, transactions: 24, sessions: 3, keys: 2, operations: 2 });
    fc.assert(
      fc.property(many, fc.integer({ min: 1, max: 12 }), (history, k) => {
        const polygraph = polygraphOf(history);
        const order = likelyOrder(history, polygraph, false);
        if (order === null || polygraph.versions.divergence !== null) return;
        const places = chainPlaces(polygraph, order);
        const pruned = prune(polygraph, places, k, () => {});
        const all = pairsOf(pruneNothing(polygraph, () => {}).open);
        const mustPrecede = (a: number, b: number): boolean => places.last[b]! - places.first[a]! >= k;
        if (pruned === null) {
          expect(all.some(([a, b]) => mustPrecede(a, b) && mustPrecede(b, a))).toBe(true);
          return;
        }
        const numChains = polygraph.chainHead.length;
        const listed = pairsOf(pruned.settled);
        const reaches = reachability(
          numChains,
          Int32Array.from(listed, ([a]) => a),
          Int32Array.from(listed, ([, b]) => b),
        );
        for (const [a, b] of listed) expect(mustPrecede(a, b)).toBe(true);
        for (const [a, b] of all) {
          const isOpen = pairsOf(pruned.open).some(([c, d]) => c === a && d === b);
          expect(isOpen).toBe(!mustPrecede(a, b) && !mustPrecede(b, a));
          if (mustPrecede(a, b)) expect(reaches[a]![b]).toBe(true);
          if (mustPrecede(b, a)) expect(reaches[b]![a]).toBe(true);
        }
        expect(pruned.numSettled + pruned.open.length / 2).toBe(all.length);
        settledPairs += pruned.numSettled;
        omitted += pruned.numSettled - listed.length;
      }),
      { numRuns: 200, seed: 5 },
    );
    expect(settledPairs).toBeGreaterThan(100);
    expect(omitted).toBeGreaterThan(50);
  });
});

const pairsOf = (flat: Int32Array): (readonly [number, number])[] =>
  Array.from({ length: flat.length / 2 }, (_, i) => [flat[2 * i]!, flat[2 * i + 1]!] as const);
