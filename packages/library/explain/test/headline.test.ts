import type { LevelName } from '@isolab/contract';
import { type History, OpKind } from '@isolab/history';
import { h, parseHistory } from '@isolab/testkit';
import { describe, expect, test } from 'vitest';
import { explain } from '../src/explain.ts';
import { CERTIFIED, certified } from './support/certificates.ts';

const summaryOf = (name: string): string => {
  const { history, level, certificate } = certified(name);
  return explain(history, level, { name: 'G-single', transactions: [], certificate }).summary;
};

describe('one sentence, in the values of the history', () => {
  test.each([
    ['aborted read', 'T2 reads x = 1, which was never committed: T1 wrote it and aborted.'],
    ['thin-air read', 'T1 reads x = 9, which no transaction wrote.'],
    ['non-repeatable read', 'T3 reads x = 1 and later x = 2, without writing it in between.'],
    ['incompatible lists', 'T3 reads x = [1 2], but T4 reads x = [2]: no order of the appends explains both.'],
    ['fractured read', 'T3 sees T2’s y = 2 but does not see its x = 2 (it reads x = 1).'],
    [
      'lost update',
      'T2 and T3 both read x = 1 and both overwrite it, and neither sees the other: one of the two updates is lost.',
    ],
    [
      'write skew',
      'T1 does not see T2’s y = 1 (it reads y = 0), and T2 does not see T1’s x = 1 (it reads x = 0): whichever came first, the other should have seen its write.',
    ],
    ['stale read', 'T2 began after T1 ended but does not see its x = 1 (it reads x = 0).'],
  ])('%s', (name, expected) => {
    expect(summaryOf(name)).toBe(expected);
  });

  test('an anomaly that needs more than a sentence is described in general', () => {
    expect(summaryOf('proof with reads that are choices')).toMatch(/^[A-Z].*, which causal consistency forbids\.$/);
  });

  test('one sentence, in the values of the history is a sentence for every history', () => {
    for (const { name } of CERTIFIED) expect(summaryOf(name)).toMatch(/^[A-Z][^]*\.$/);
  });
});

test.each([
  ['@1-5..6', '@0..1-9', 'T1 asked to commit after T2 had begun'],
  ['@5-', '@0..1-9', 'T1 began after T2 had begun'],
  ['@5-6', '@0-4', 'T1 began after T2 ended'],
  ['@1-5..6', '@0-4', 'T1 asked to commit after T2 ended'],
])('where the clock says %s of a write and %s of its reader, the sentence says that %s', (writer, reader, clock) => {
  const history = parseHistory(`w(x,1) ${writer}\nr(x,1) ${reader}`);
  const edges = [
    { from: 0, to: 1, reason: { kind: 'read-from', read: 1 } },
    { from: 1, to: 0, reason: { kind: 'real-time' } },
  ] as const;
  const anomaly = { name: 'early-read', transactions: [0, 1], certificate: { kind: 'cycle', edges } } as const;
  const { summary } = explain(history, 'generalized-snapshot-isolation', anomaly);
  expect(summary).toBe(`T2 sees T1’s x = 1, and ${clock}: each would have to come before the other.`);
});

test('a key that is a number is called one', () => {
  const history = h`w(7,1)
r(7,1) w(7,2)
r(7,1) w(7,3)`;
  const { summary, prose, transactions, edges } = lostUpdate(history);
  expect(summary).toMatch(/^T2 and T3 both read key 7 = 1 /);
  expect(transactions[1]!.operations.map(({ text }) => text)).toEqual(['read key 7 = 1', 'write key 7 = 2']);
  expect(prose[0]!.text).toContain('write key 7 = 1');
  expect(edges[0]!.key).toBe('key 7');
});

test('a read of the initial state stands in its bar, without a sentence that it came first', () => {
  const { history, level, certificate } = certified('write skew');
  const { transactions, edges } = explain(history, level, { name: 'G2-item', transactions: [], certificate });
  expect(transactions[0]).toMatchObject({ id: 'initial', status: 'initial', label: 'initial state' });
  expect(transactions[0]!.operations.map(({ text }) => text)).toEqual(['y = 0', 'x = 0']);
  const initial = edges.filter(({ from }) => from.transaction === 'initial');
  expect(initial.map(({ kind }) => kind)).toEqual(['read-from', 'read-from']);
  expect(initial[0]!.from.operation).toBe(transactions[0]!.operations[0]!.id);
});

test('places in several files are named without their common folder', () => {
  const { history } = certified('lost update');
  const files = ['/data/run/T0.log', '/data/run/T1.log', '/data/run/T2.log'];
  const { prose } = lostUpdate({ ...history, source: { ...history.source, files } });
  expect(prose[1]!.text).toContain('(T1.log, line ');
});

function lostUpdate(history: History) {
  const level: LevelName = 'snapshot-isolation';
  expect(history.opKind[1]).toBe(OpKind.Read);
  const { certificate } = certified('lost update');
  return explain(history, level, { name: 'lost-update', transactions: [], certificate });
}
