import { fromPlain, type History } from '@isolab/history';
import { NAMED_HISTORIES, draws, randomNumbers, randomRows } from '@isolab/testkit';
import { expect, test } from 'vitest';
import { check, findAll, story } from '../src/index.ts';
import { openedHistory } from '../src/open.ts';
import { simplestOf } from '../src/simplest.ts';

/**
 * Histories of rows, whose anomalies have names of their own; some repeat values, leave outcomes open or count; the
 * last two are rare.
 */
const RANDOM_ROWS: readonly History[] = [...Array.from({ length: draws(100) }).keys(), 67, 46].map((seed) =>
  fromPlain(
    randomRows(randomNumbers(seed), { repeated: seed % 4 === 1, open: seed % 4 === 2, aggregates: seed % 4 === 3 }),
  ),
);
const LEVELS = [
  'read-committed',
  'cut-isolation',
  'read-atomic',
  'causal',
  'snapshot-isolation',
  'serializable',
] as const;

test('lists, stories and counts call an anomaly by one name', async () => {
  const called = new Set<string>();
  for (const history of [...RANDOM_ROWS, ...NAMED_HISTORIES.map((named) => named.history)]) {
    const opened = openedHistory(history, { name: 'a history', format: 'isolab', ms: 0 });
    for (const level of LEVELS) {
      const result = await check(opened, { level });
      if (result.verdict !== 'violated') continue;
      const { verdict } = result.deciding!;
      if (verdict.status !== 'violated') continue;
      const told = await story(opened, result, { whole: true });
      const listed = result.anomalies[verdict.anomalies.indexOf(simplestOf(verdict.anomalies))]!;
      expect([level, told!.anomaly!.name]).toEqual([level, listed.name]);
      called.add(listed.name);
      if (!RANDOM_ROWS.includes(history)) continue;
      const { kinds = [], anomalies } = await findAll(opened, result);
      expect(new Set(kinds.map(({ name }) => name))).toEqual(new Set(anomalies.map(({ name }) => name)));
    }
  }
  for (const name of [
    'inconsistent-aggregate',
    'G-single-predicate-process',
    'G2-item',
    'lost-update',
    'fractured-read',
    'G1a',
  ])
    expect(called).toContain(name);
});
