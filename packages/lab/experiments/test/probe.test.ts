import { OpKind, fromPlain } from '@isolab/history';
import { type CheckerRef, prepare, run } from '@isolab/runner';
import { loadChecker } from 'isolab';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { readRows, readTools } from '../src/index.ts';
import { probeFor } from '../src/measurement/probe.ts';
import { experimentWith, laboratory, tool } from './support/laboratory.ts';

const grid = { ci: [2, 3], laptop: [2], paper: [2] };
const series = (...names: string[]) => names.map((name) => ({ name, checker: `tool:${name}` }));

test('a program that accepts every history has no verdict, and the other series of its points have theirs', async () => {
  const lab = laboratory();
  const { summary } = await lab.run(experimentWith({ grid, series: series('blind', 'accepting') }));
  expect(summary.problems).toEqual([]);
  const said = readRows(lab.results).map(({ series: name, verdict, reason }) => [name, verdict, reason]);
  const reason = 'not trusted: blind does not reject a small history that violates serializable: it is satisfied';
  expect(said.filter(([name]) => name === 'blind')).toEqual(grid.ci.map(() => ['blind', 'skipped', reason]));
  expect(said.filter(([name]) => name === 'accepting')).toEqual(grid.ci.map(() => ['accepting', 'satisfied', null]));
  const tools = { blind: tool('accept') };
  await lab.run(experimentWith({ grid, series: series('blind') }), { tools });
  expect(readRows(lab.results).at(-1)).toMatchObject({ series: 'blind', verdict: 'satisfied' });
});

test('a program gets the violated history once in a run, before its first cell', async () => {
  const lab = laboratory();
  const log = join(lab.folder, 'asked.txt');
  await lab.run(experimentWith({ grid, series: series('own') }), { tools: { own: tool('accept', log) } });
  const asked = readFileSync(log, 'utf8').trim().split('\n');
  expect(asked).toHaveLength(1 + grid.ci.length);
  expect(new Set(asked).size).toBe(asked.length);
  expect(readFileSync(asked[0]!, 'utf8')).toContain('r(2,12,1,0)');
});

const tools = readTools([fileURLToPath(new URL('../../../../benchmarks/tools.json', import.meta.url))], 'isolab');
const asked = Object.values(tools).flatMap(({ format, levels }) =>
  Object.keys(levels).map((level) => ({ level, operations: format === 'jepsen-edn' ? OpKind.Append : OpKind.Write })),
);
const REGISTERS = ['weave', 'dbcop', 'porcupine'];

test.each(asked)('the history that programs have to reject violates $level', async ({ level, operations }) => {
  const names = operations === OpKind.Append ? ['elle'] : REGISTERS;
  const checkers = await Promise.all(names.map((name) => loadChecker(name)));
  const checks = ({ checker }: CheckerRef): boolean => (checker.info.levels as readonly string[]).includes(level);
  const prepared = prepare(fromPlain(probeFor(level, { opKind: new Uint8Array([operations]) })));
  const question = { checker: checkers.find(checks)!, prepared, level: level as 'causal' };
  expect((await run(question, { place: 'thread' })).verdict).toMatchObject({ status: 'violated' });
});
