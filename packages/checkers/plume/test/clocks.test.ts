import { Stop } from '@isolab/contract';
import { buildReadFrom, fromPlain } from '@isolab/history';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { TestContext, defaultsOf, prepare } from '@isolab/testkit';
import { buildReachability } from '../src/clocks.ts';
import { buildCoGraph, roundRobinOrder, topologicalOrder } from '../src/graph.ts';
import { plume } from '../src/index.ts';
import { buildModel } from '../src/model.ts';
import { plainHistories } from './support/arbitrary.ts';
import { history } from './support/notation.ts';
import { run } from './support/run.ts';

const never = (): void => {};

describe('vectors, tree clocks and searches', () => {
  test('vectors, tree clocks and searches agree on every pair of transactions, built in any order, cycles included', () => {
    let cyclic = 0;
    const shape = { sessions: 12, transactions: 60, operations: 4, keys: 20, uncertain: 20 };
    fc.assert(
      fc.property(plainHistories(shape), fc.infiniteStream(fc.nat()), (plain, dice) => {
        const source = fromPlain(plain);
        const model = buildModel(source, buildReadFrom(source), never);
        const graph = buildCoGraph(model);
        const sorted = topologicalOrder(graph);
        if (sorted.placed < model.numNodes) cyclic++;
        const orders = [sorted.order, roundRobinOrder(model), shuffledSessions(model.session, dice)];
        const counters = { visitedNodes: 0, joins: 0, joinedEntries: 0 };
        const search = buildReachability('none', model, graph, orders[0]!, counters, never);
        for (const order of orders) {
          for (const kind of ['tree', 'vector'] as const) {
            const clocks = buildReachability(kind, model, graph, order, counters, never);
            for (let u = 0; u < model.numNodes; u++) {
              for (let v = 0; v < model.numNodes; v++) {
                if (clocks.reaches(u, v) !== search.reaches(u, v)) expect.fail(`${kind}: ${u} to ${v}`);
              }
            }
          }
        }
      }),
      { numRuns: 300 },
    );
    expect(cyclic).toBeGreaterThan(20);
  });

  test('a tree clock skips the entries that its target knows already', () => {
    // Each session has seen the one before it; then one examines all of them, the last and best informed one first.
    const chain = Array.from({ length: 30 }, (_, i) => (i === 0 ? 'w(k0,1)' : `r(k${i - 1},${i}) w(k${i},${i + 1})`));
    const late = Array.from({ length: 30 }, (_, i) => `r(k${i},${i + 1}) w(q${i},${i + 1})`);
    const reader = `r(q29,30) | ${Array.from({ length: 29 }, (_, i) => `r(q${i},${i + 1})`).join(' ')}`;
    const sessions = history(...chain, ...late, reader);
    const tree = run(sessions, 'causal').counters;
    const vector = run(sessions, 'causal', { clocks: 'vector' }).counters;
    expect(tree['joins']).toBe(vector['joins']);
    expect(tree['joinedEntries']).toBeLessThan(vector['joinedEntries']! / 2);
  });

  test('without vectors there are no joins, but searches', () => {
    const { counters } = run(history('w(x,1)', 'r(x,1) w(x,2)', 'r(x,2)'), 'causal', { clocks: 'none' });
    expect(counters['joins']).toBe(0);
    expect(counters['visitedNodes']).toBeGreaterThan(0);
  });
});

describe('a run', () => {
  test('a run names its stages', () => {
    expect(run(history('w(x,1)', 'r(x,1)'), 'causal', {}, { certify: true }).stages).toEqual([
      'construct',
      'traverse',
      'certify',
    ]);
  });

  test('a run ends when its budget is spent', () => {
    const source = history('w(x,1) | w(x,2)', 'r(x,1) | r(x,2)');
    expect(() => plume.check(prepare(source), 'causal', defaultsOf(plume), new TestContext({ maxSteps: 3 }))).toThrow(
      Stop,
    );
  });

  test('a run keeps as many instances of a pattern as it may, and counts the rest', () => {
    const stale = history(...Array.from({ length: 9 }, (_, i) => `w(k${i},1) | r(k${i},0)`));
    const { verdict, counters } = run(stale, 'causal', { instances: 4 }, { findAll: true });
    expect(verdict.status === 'violated' && verdict.anomalies.length).toBe(4);
    expect(counters['instancesLeftOut']).toBe(5);
  });
});

/** All nodes, the sessions interleaved by dice. */
function shuffledSessions(session: Int32Array, dice: Iterator<number>): Int32Array {
  const queues = new Map<number, number[]>();
  session.forEach((s, node) => queues.set(s, [...(queues.get(s) ?? []), node]));
  const order: number[] = [];
  while (order.length < session.length) {
    const waiting = [...queues.values()].filter((queue) => queue.length > 0);
    order.push(waiting[dice.next().value! % waiting.length]!.shift()!);
  }
  return Int32Array.from(order);
}
