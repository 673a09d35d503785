import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { latestRows, loadExperiments, readManifest, readRows, readTools, resultsFile } from '@isolab/experiments';
import { expect, test } from 'vitest';
import { estimateOf, sourcesOf } from '../src/bench/estimate.ts';
import { duration } from '../src/terminal/print.ts';

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const all = loadExperiments(join(root, 'benchmarks')).filter(({ id }) => id.startsWith('plume/'));

test('an experiment takes as long as its cells took before; of others nothing is known', () => {
  const file = resultsFile(join(root, 'reports'), 'laptop');
  expect(existsSync(file)).toBe(true);
  const rows = latestRows(readRows(file));
  const spent = rows
    .filter(({ experiment, wallMs }) => experiment === 'plume/fig10a' && wallMs !== null)
    .reduce((sum, { wallMs }) => sum + wallMs!, 0);
  const one = all.filter(({ id }) => id === 'plume/fig10a');
  expect(estimateOf(one, 'laptop', rows)).toMatch(
    new RegExp(`^\\d+ cells at scale laptop: ${duration(spent)} of checking, estimated from earlier results \\(`),
  );
  expect(estimateOf(one, 'laptop', [])).toBeNull();
  const [first] = rows.filter(({ experiment, wallMs }) => experiment === 'plume/fig10a' && wallMs !== null);
  expect(estimateOf(one, 'laptop', [first!])).toMatch(/, plus \d+ cells of unknown duration\. Known/);
});

test('durations are rounded up, in the unit that a person would take', () => {
  expect([1, 119_001, 120_001, 7_200_000].map(duration)).toEqual(['1 s', '120 s', '3 min', '2.0 h']);
});

test('the data of a run, and the programs that are not here, are named before it', () => {
  const polysi = loadExperiments(join(root, 'benchmarks')).filter(({ id }) => id === 'polysi/fig6a');
  const tools = readTools([join(root, 'benchmarks/tools.json')], 'isolab');
  const [data, programs] = sourcesOf(polysi, 'laptop', readManifest(join(root, 'datasets')), tools);
  expect(data).toContain('paper’s own (1 experiment), simulated (1 experiment)');
  expect(programs).toContain('polysi, dbcop-2019');
});
