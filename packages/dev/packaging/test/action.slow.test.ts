// Slow: runs the shell steps of action.yml, as a runner of GitHub does, in a folder of its own.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { unless } from '@isolab/needs';
import { afterAll, describe, expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '../../../..');
const action = readFileSync(path.join(root, 'action.yml'), 'utf8');

interface Step {
  readonly name: string;
  readonly run: string;
  /** Values with expressions of GitHub. */
  readonly env: Readonly<Record<string, string>>;
}

/** Steps with commands. oxfmt accepts the file only as YAML in the usual layout. */
const steps: readonly Step[] = action
  .split(/^ {4}- /m)
  .slice(1)
  .flatMap((step) => {
    const [, indented, line] = /^ {6}run: (?:\|\n((?: {8}.*\n|\n)+)|(.*)\n)/m.exec(step) ?? [];
    const [, env = ''] = /^ {6}env:\n((?: {8}.*\n)+)/m.exec(step) ?? [];
    const pairs = [...env.matchAll(/^ {8}(\w+): (.*)$/gm)].map(([, name, value]) => [name!, value!] as const);
    const run = indented?.replaceAll(/^ {8}/gm, '') ?? line;
    return run === undefined ? [] : [{ name: /^name: (.*)$/m.exec(step)![1]!, run, env: Object.fromEntries(pairs) }];
  });

const defaults = Object.fromEntries(
  [...action.matchAll(/^ {2}(\w+):\n {4}description: .*\n {4}default: (.*)$/gm)].map(([, name, value]) => [
    name!,
    value!.replaceAll("'", ''),
  ]),
);

const folder = mkdtempSync(path.join(tmpdir(), 'isolab-action-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Done {
  readonly code: number;
  readonly outputs: Readonly<Record<string, string>>;
  readonly summary: string;
}

let runs = 0;
/** Runs the steps until one fails. */
function act(inputs: Readonly<Record<string, string>>): Done {
  const place = path.join(folder, String(runs++));
  for (const name of ['work', 'temp']) mkdirSync(path.join(place, name), { recursive: true });
  const files = { GITHUB_OUTPUT: path.join(place, 'output'), GITHUB_STEP_SUMMARY: path.join(place, 'summary') };
  for (const file of Object.values(files)) writeFileSync(file, '');
  const valueOf = (expression: string): string => {
    const [, name] = /^\$\{\{ inputs\.(\w+) \}\}$/.exec(expression)!;
    return inputs[name!] ?? defaults[name!]!;
  };
  const base = {
    PATH: process.env['PATH']!,
    HOME: process.env['HOME'] ?? place,
    RUNNER_TEMP: path.join(place, 'temp'),
    GITHUB_ACTION_PATH: root,
    ...files,
  };
  let code = 0;
  for (const { run, env } of steps) {
    const own = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, valueOf(value)]));
    const options = { cwd: path.join(place, 'work'), env: { ...base, ...own }, encoding: 'utf8' } as const;
    code = spawnSync('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', run], options).status!;
    if (code !== 0) break;
  }
  const lines = readFileSync(files.GITHUB_OUTPUT, 'utf8').trim().split('\n');
  expect(readdirSync(path.join(place, 'work'))).toEqual([]);
  return {
    code,
    outputs: Object.fromEntries(lines.map((line) => line.split('=', 2))) as Record<string, string>,
    summary: readFileSync(files.GITHUB_STEP_SUMMARY, 'utf8'),
  };
}

describe('action.yml', unless('posix'), () => {
  test('the action has two steps with commands, and every input is described', () => {
    expect(steps.map(({ name }) => name)).toEqual(['Prepare isolab', 'Hunt']);
    expect(defaults).toEqual({ level: '', for: '5m' });
    const used = [...action.matchAll(/inputs\.(\w+)/g)].map(([, name]) => name!);
    expect(used).toEqual(['database', 'level', 'for']);
  });

  test('the action passes if nothing is violated, and keeps the hunt', () => {
    const { code, outputs, summary } = act({ database: 'simulated:serializable', for: '2s' });
    expect({ code, verdict: outputs['verdict'] }).toEqual({ code: 0, verdict: 'satisfied' });
    expect(readdirSync(outputs['evidence']!)).toContain('summary.json');
    expect(summary).toMatch(/^## isolab: satisfied\n\n {4}.*simulated/);
  });

  test('the action fails with the story of a violation', () => {
    const inputs = { database: 'simulated:serializable?write-skew=0.1', level: 'serializable', for: '60s' };
    const { code, outputs, summary } = act(inputs);
    expect({ code, verdict: outputs['verdict'] }).toEqual({ code: 1, verdict: 'violated' });
    const finding = readdirSync(outputs['evidence']!).find((name) => name.startsWith('finding-'))!;
    expect(readdirSync(path.join(outputs['evidence']!, finding))).toContain('certificate.json');
    expect(summary).toContain('    violated in trial');
  });

  test.each([
    ['no database', { database: 'postgres://me:hidden@127.0.0.1:1/none', for: '2s' }],
    ['a database like an option', { database: '--help', for: '2s' }],
    ['a level like a command', { database: 'simulated:serializable', level: '$(touch made); touch made', for: '2s' }],
  ])('the action fails without a verdict: %s', (_, inputs) => {
    const { code, outputs, summary } = act(inputs);
    expect({ code, verdict: outputs['verdict'] }).toEqual({ code: 3, verdict: 'failed' });
    expect(summary).toMatch(/^## isolab: failed\n\n {4}isolab: /);
    expect(summary).not.toContain('hidden');
  });
});
