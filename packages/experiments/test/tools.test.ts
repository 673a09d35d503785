import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { readRows, readTools } from '../src/index.ts';
import { toolVersion } from '../src/tools.ts';
import { experimentWith, laboratory } from './support/laboratory.ts';

const COMMAND = fileURLToPath(new URL('../../cli/isolab.cjs', import.meta.url));
const grid = { ci: [2], laptop: [2], paper: [2] };
const series = (name: string) => [{ name, checker: `tool:${name}` }];

test.each([
  ['accepting', 'satisfied', null],
  ['rejecting', 'violated', null],
  ['contradictory', 'unknown', /^crashed: contradictory ended with 0 and both verdicts/],
  ['crashing', 'unknown', /^crashed: crashing ended with 1 and no verdict: Error: Cannot find module 'x'$/],
  ['killed', 'unknown', /^crashed: killed was ended by a signal$/],
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

test('a program that crashes with the exit code of a violation contradicts nobody', async () => {
  const both = [...series('accepting'), ...series('crashing')];
  const { summary } = await laboratory().run(experimentWith({ grid, series: both }));
  expect(summary.problems).toEqual([]);
});

test('a tool whose verdict is an exit code alone is refused', () => {
  const { folder } = laboratory();
  const verdict = { satisfied: { output: 'yes' }, violated: { exit: 1 } };
  const path = join(folder, 'tools.json');
  writeFileSync(path, JSON.stringify({ own: { command: ['own'], format: 'text', levels: { causal: 'cc' }, verdict } }));
  expect(() => readTools([path], '')).toThrow(/own: "violated" has no "output".* a crash has one, too/);
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

test('a program beside tools.json is found through links, and its code decides what is measured anew', () => {
  const { folder } = laboratory();
  const own = join(folder, 'package');
  mkdirSync(own);
  writeFileSync(join(own, 'package.json'), '{ "name": "own" }');
  writeFileSync(join(own, 'main.js'), 'one');
  const verdict = { satisfied: { output: 'yes' }, violated: { output: 'no' } };
  const tool = { command: ['node', '{here}/main.js', '{history}'], format: 'text', levels: { causal: 'cc' }, verdict };
  writeFileSync(join(own, 'tools.json'), JSON.stringify({ own: tool }));
  symlinkSync(own, join(folder, 'link'));
  const read = () => readTools([join(folder, 'link', 'tools.json')], '')['own']!;
  expect(read().command).toEqual(['node', join(own, 'main.js'), '{history}']);
  const before = toolVersion(read());
  expect(toolVersion(read())).toBe(before);
  writeFileSync(join(own, 'main.js'), 'another');
  expect(toolVersion(read())).not.toBe(before);
});

test('isolab itself can be run as a program', async () => {
  const tools = readTools([fileURLToPath(new URL('../../../benchmarks/tools.json', import.meta.url))], COMMAND);
  const lab = laboratory();
  await lab.run(experimentWith({ grid, series: series('isolab') }), { tools, limits: { seconds: 60 } });
  const row = readRows(lab.results)[0]!;
  expect(row).toMatchObject({ verdict: 'satisfied', reason: null });
  // Of the program's time, what it takes to start is told apart.
  expect(row.fromFileMs).toBeGreaterThan(0);
  expect(row.fromFileMs).toBeLessThan(row.wallMs! - 20);
});

test('a pattern that is none is told with its file and tool', () => {
  const { folder } = laboratory();
  const verdict = { satisfied: { output: '^yes(' }, violated: { output: 'no' } };
  const path = join(folder, 'tools.json');
  writeFileSync(path, JSON.stringify({ own: { command: ['own'], format: 'text', levels: { causal: 'cc' }, verdict } }));
  expect(() => readTools([path], '')).toThrow(/tools.json: own: .*\^yes\(.*Unterminated group/);
});
