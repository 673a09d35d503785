import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { programsIn, readRows, readTools } from '../src/index.ts';
import { toolVersion } from '../src/experiment/tools.ts';
import { experimentWith, laboratory } from './support/laboratory.ts';

const COMMAND = fileURLToPath(new URL('../../../apps/cli/isolab.cjs', import.meta.url));
const grid = { ci: [2], laptop: [2], paper: [2] };
const series = (name: string) => [{ name, checker: `tool:${name}` }];

test.each([
  ['accepting', 'satisfied', null],
  ['rejecting', 'violated', null],
  ['contradictory', 'unknown', /^crashed: contradictory ended with exit code 0 and both verdicts/],
  ['crashing', 'unknown', /^crashed: crashing ended with exit code 1 and no verdict: Error: Cannot find module 'x'$/],
  ['killed', 'unknown', /^crashed: a signal ended killed$/],
  ['absent', 'skipped', /^absent tool: a-program-that-is-not-there; isolab list tools absent says how to get it$/],
  ['unheard-of', 'skipped', /^absent tool: tools.json has no unheard-of$/],
] as const)('a program that is %s gives %s', async (name, verdict, reason) => {
  const lab = laboratory();
  await lab.run(experimentWith({ grid, series: series(name) }));
  const [row] = readRows(lab.results);
  expect(row!.verdict).toBe(verdict);
  if (reason === null) expect(row!.reason).toBeNull();
  else expect(row!.reason).toMatch(reason);
});

test('a program that does not end is ended, with its child processes', async () => {
  const lab = laboratory();
  await lab.run(experimentWith({ grid, series: series('hanging') }), { limits: { seconds: 0.3 } });
  expect(readRows(lab.results)[0]).toMatchObject({ verdict: 'unknown', reason: 'timeout' });
});

test('a child of a program counts as its own memory, and ends with it', async () => {
  const lab = laboratory();
  const limits = { seconds: 20, megabytes: 150 };
  await lab.run(experimentWith({ grid, series: series('starting') }), { limits });
  expect(readRows(lab.results)[0]).toMatchObject({ verdict: 'unknown', reason: 'memory' });
});

test('a program that crashes with the exit code of a violation contradicts no other', async () => {
  const both = [...series('accepting'), ...series('crashing')];
  const { summary } = await laboratory().run(experimentWith({ grid, series: both }));
  expect(summary.problems).toEqual([]);
});

test('a tool whose verdict is an exit code alone is refused', () => {
  const { folder } = laboratory();
  const verdict = { satisfied: { output: 'yes' }, violated: { exit: 1 } };
  const path = join(folder, 'tools.json');
  writeFileSync(path, JSON.stringify({ own: { command: ['own'], format: 'text', levels: { causal: 'cc' }, verdict } }));
  expect(() => readTools([path], '')).toThrow(/own: "violated" has no "output".* a crash has one too/);
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

test('a program beside tools.json is found through links, and its code decides the repeated measurements', () => {
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
  const tools = readTools([fileURLToPath(new URL('../../../../benchmarks/tools.json', import.meta.url))], COMMAND);
  const lab = laboratory();
  await lab.run(experimentWith({ grid, series: series('isolab') }), { tools, limits: { seconds: 60 } });
  const row = readRows(lab.results)[0]!;
  expect(row).toMatchObject({ verdict: 'satisfied', reason: null });
  // The start of the program is measured apart from its time.
  expect(row.fromFileMs).toBeGreaterThan(0);
  expect(row.fromFileMs).toBeLessThan(row.wallMs! - 20);
});

test('programs are grouped with all the ways to call them; isolab itself is none', () => {
  const verdict = { satisfied: { output: 'yes' }, violated: { output: 'no' } };
  const way = { command: ['sh', '{history}'], format: 'text', levels: { causal: 'cc' }, verdict };
  const program = { title: 'T', paper: 'P', source: 'https://x', needs: 'n', setUp: 's', errs: ['e'] };
  const absent = { ...way, command: ['no-such-program'], program: 'one' };
  const listed = programsIn({ 'isolab-x': way, one: { ...way, program }, other: absent, own: way });
  expect(listed.map(({ name, about, ways }) => [name, about?.title, ways.map((each) => each.name)])).toEqual([
    ['one', 'T', ['one', 'other']],
    ['own', undefined, ['own']],
  ]);
  expect(listed[0]!.ways[0]!.path).toMatch(/\/sh$/);
  expect(listed[0]!.ways[1]).toMatchObject({ path: null, format: 'text', levels: ['causal'] });
});

test('the description of a program decides nothing that was measured with it', () => {
  const verdict = { satisfied: { output: 'yes' }, violated: { output: 'no' } };
  const tool = { command: ['sh'], format: 'text', levels: { causal: 'cc' }, verdict };
  expect(toolVersion({ ...tool, program: 'another' })).toBe(toolVersion(tool));
  expect(toolVersion({ ...tool, command: ['sh', '-x'] })).not.toBe(toolVersion(tool));
});

test('an invalid pattern is reported with its file and tool', () => {
  const { folder } = laboratory();
  const verdict = { satisfied: { output: '^yes(' }, violated: { output: 'no' } };
  const path = join(folder, 'tools.json');
  writeFileSync(path, JSON.stringify({ own: { command: ['own'], format: 'text', levels: { causal: 'cc' }, verdict } }));
  expect(() => readTools([path], '')).toThrow(/tools.json: own: .*\^yes\(.*Unterminated group/);
});
