import { expect, test } from 'vitest';
import { readRows } from '../src/index.ts';
import { experimentWith, laboratory } from './support/laboratory.ts';

test('a prediction is the verdict violated, and an unknown boundary has no row', async () => {
  const lab = laboratory();
  const variants = ['relaxed', 'none'];
  const recipe = { sessions: 3, transactions: 4, level: 'strict-serializable', seed: 2, retry: true } as const;
  await lab.run(
    experimentWith({
      level: 'causal',
      history: { workload: 'smallbank', set: { accounts: 5 }, ...recipe },
      grid: { ci: [1], laptop: [1], paper: [1] },
      repeats: { ci: 1, laptop: 1, paper: 1 },
      series: variants.map((variant) => ({ name: variant, checker: 'predict', variant })),
    }),
  );
  const rows = Object.fromEntries(readRows(lab.results).map((row) => [row.series, row]));
  expect(rows['relaxed']).toMatchObject({ verdict: 'violated', counters: { 'predict.complete': 1 } });
  expect(rows['none']).toMatchObject({ verdict: 'skipped', reason: expect.stringContaining('absent variant') });
});
