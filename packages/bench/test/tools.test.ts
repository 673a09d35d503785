import { expect, test } from 'vitest';
import { readRows } from '../src/index.ts';
import { experimentWith, laboratory } from './support/laboratory.ts';

const grid = { ci: [2], laptop: [2], paper: [2] };
const series = (name: string) => [{ name, checker: `tool:${name}` }];

test.each([
  ['accepting', 'satisfied', null],
  ['rejecting', 'violated', null],
  ['contradictory', 'unknown', /^crashed: contradictory ended with 0 and no verdict/],
  ['absent', 'skipped', /^absent tool: a-program-that-is-not-there is not on the PATH$/],
  ['unheard-of', 'skipped', /^absent tool: no unheard-of in tools.json$/],
] as const)('a program that is %s gives %s', async (name, verdict, reason) => {
  const lab = laboratory();
  await lab.run(experimentWith({ grid, series: series(name) }));
  const [row] = readRows(lab.results);
  expect(row!.verdict).toBe(verdict);
  if (reason === null) expect(row!.reason).toBeNull();
  else expect(row!.reason).toMatch(reason);
});

test('a program that does not end is ended, with all that it started', async () => {
  const lab = laboratory();
  await lab.run(experimentWith({ grid, series: series('hanging') }), { limits: { seconds: 0.3 } });
  expect(readRows(lab.results)[0]).toMatchObject({ verdict: 'unknown', reason: 'timeout' });
});

test('a program that disagrees stops the experiment', async () => {
  const both = [...series('accepting'), ...series('rejecting')];
  const { summary } = await laboratory().run(experimentWith({ grid, series: both }));
  expect(summary.problems).toMatchObject([{ kind: 'disagreement', satisfied: 'accepting (tool:accepting)' }]);
});

test('a level that a program does not check is no pass', async () => {
  const lab = laboratory();
  await lab.run(experimentWith({ grid, series: series('accepting'), level: 'causal' }));
  expect(readRows(lab.results)[0]).toMatchObject({
    verdict: 'skipped',
    reason: 'unsupported: accepting does not check causal',
  });
});
