import { expect, test } from 'vitest';
import { type ExperimentFile, readRows } from '../src/index.ts';
import { experimentWith, laboratory } from './support/laboratory.ts';

const WAYS = ['random', 'mini'];

const experiment = (hunt: string, changes: Partial<ExperimentFile> = {}): ExperimentFile =>
  experimentWith({
    history: { hunt, seed: 1 },
    grid: { ci: [0.2], laptop: [0.2], paper: [0.2] },
    repeats: { ci: 2, laptop: 2, paper: 2 },
    series: WAYS.map((variant) => ({ name: variant, checker: 'hunt', variant })),
    ...changes,
  });

const shown = (results: string) =>
  readRows(results)
    .map(({ series, repeat, verdict, counters }) => JSON.stringify({ series, repeat, verdict, counters }))
    .toSorted();

test('a hunt says how soon it found a violation, and a simulated one says the same again', async () => {
  const lab = laboratory();
  const { summary } = await lab.run(experiment('simulated:serializable?write-skew=$x'));
  expect(summary).toMatchObject({ measured: 4, skipped: 0, problems: [] });
  const rows = readRows(lab.results);
  for (const { verdict, wallMs, counters, history } of rows) {
    expect(verdict).toBe('violated');
    expect(wallMs).toBeGreaterThan(0);
    expect(counters['hunt.histories']).toBeGreaterThan(0);
    expect(counters['hunt.transactions']).toBeGreaterThanOrEqual(counters['hunt.committed']!);
    expect(history.id).toMatch(/^hunt-simulated:serializable\?write-skew=0.2-[12]$/);
  }
  expect(new Set(rows.map(({ counters }) => counters['hunt.transactions'])).size).toBeGreaterThan(1);
  const other = laboratory();
  const [way] = experiment('').series;
  await other.run(experiment('simulated:serializable?write-skew=$x', { series: [way!] }));
  expect(shown(other.results)).toEqual(shown(lab.results).filter((row) => row.includes(`"series":"${way!.name}"`)));
  const again = await lab.run(experiment('simulated:serializable?write-skew=$x'));
  expect(again.summary).toMatchObject({ measured: 0, reused: 4 });
});

test('a hunt that finds nothing ran into its limit, which is no verdict', async () => {
  const lab = laboratory();
  const limits = { seconds: 1, megabytes: 1000 };
  await lab.run(
    experiment('simulated:serializable', {
      limits: { ci: limits, laptop: limits, paper: limits },
      repeats: { ci: 1, laptop: 1, paper: 1 },
      series: [{ name: 'random', checker: 'hunt', variant: 'random' }],
    }),
  );
  const [row] = readRows(lab.results);
  expect(row).toMatchObject({ verdict: 'unknown', reason: 'timeout' });
  expect(row!.counters['hunt.transactions']).toBeGreaterThan(0);
});

test('a database that cannot be hunted is skipped, with the reason', async () => {
  const lab = laboratory();
  const series = ['random', 'sideways'].map((variant) => ({ name: variant, checker: 'hunt', variant }));
  await lab.run(experiment('simulated:nothing', { series, repeats: { ci: 1, laptop: 1, paper: 1 } }));
  const reasons = Object.fromEntries(readRows(lab.results).map(({ series: name, reason }) => [name, reason]));
  expect(reasons['random']).toMatch(/^absent database: There is no simulated database at nothing/);
  expect(reasons['sideways']).toMatch(
    /^absent variant: a hunt has the variants known, guided, near, random, mini, not sideways/,
  );
});
