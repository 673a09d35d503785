import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { KINDS } from '../src/new/kinds.ts';
import { isolab } from './support/isolab.ts';

// Where `isolab/plugin` is found: vitest knows nothing of the hooks by which it is found elsewhere, which the packed tests try.
const cache = fileURLToPath(new URL('../../../../node_modules/.cache/', import.meta.url));
mkdirSync(cache, { recursive: true });
const folder = mkdtempSync(join(cache, 'isolab-test-plugin-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let files = 0;
const newFile = async (kind: string): Promise<string> => {
  const name = `new-${kind}-${++files}`;
  const { code } = await isolab('new', kind, name, '--out', folder);
  expect(code).toBe(0);
  return join(folder, `${name}.${{ experiment: 'json', level: 'lvl' }[kind] ?? 'mjs'}`);
};

describe.each(KINDS.map(({ name }) => name))('a new %s', (kind) => {
  test('a new plug-in passes its test as it is', async () => {
    const file = await newFile(kind);
    const { code, out, err } = await isolab('test', file);
    expect(out).not.toContain('FAILS');
    expect(err).toBe('');
    expect(code).toBe(0);
    expect(out.split('\n').at(-1)).toBe(`The ${kind} passes every check.`);
  });
});

describe('a faulty plug-in fails its test', () => {
  test('a faulty plug-in fails its test as JSON, too', async () => {
    const file = join(folder, 'out-of-range.mjs');
    writeFileSync(
      file,
      `import { defineDistribution } from 'isolab/plugin';
       export default defineDistribution({ name: 'wrong', title: 'wrong', draw: (size) => () => size });`,
    );
    const { code, out } = await isolab('test', file, '--output', 'json');
    expect(code).toBe(3);
    expect(JSON.parse(out)).toMatchObject({ kind: 'distribution', name: 'wrong', holds: false });
    const text = await isolab('test', file);
    expect(text.out).toMatch(
      /FAILS {6}it draws whole numbers .*: found .* drew 1, expected a whole number from 0 to 0/,
    );
    expect(text.out).toContain('checks failed');
  });

  test('a checker that is always content', async () => {
    const file = join(folder, 'content.mjs');
    const text = readFileSync(await newFile('checker'), 'utf8');
    writeFileSync(
      file,
      text.replace(
        'const anomalies = internalViolations',
        "return { status: 'satisfied' };\n    const anomalies = internalViolations",
      ),
    );
    const { code, out } = await isolab('test', file);
    expect(code).toBe(3);
    expect(out).toMatch(/FAILS {6}read-committed: agrees with the oracle on small histories/);
  });
});

test('a model that changes its states fails its test, by its line', async () => {
  const file = join(folder, 'changing.mjs');
  const text = readFileSync(await newFile('model'), 'utf8');
  writeFileSync(
    file,
    text
      .replace('initial: 0', 'initial: [0]')
      .replace('show: (state) =>', 'show: ([state]) =>')
      .replace(/step\(state,[^]*?\n {2}\},/, 'step: (state, { f }) => (f === "put" ? (state[0] += 1, state) : state),'),
  );
  const { code, out } = await isolab('test', file);
  expect(code).toBe(3);
  expect(out).toContain(
    'FAILS      a step does not modify the state that it is given: found put → nil made [0] into [1]',
  );
});

test('a model that throws is said to, with the line', async () => {
  const file = join(folder, 'throwing.mjs');
  const text = readFileSync(await newFile('model'), 'utf8');
  writeFileSync(file, text.replace('if (f ===', 'throw new Error("oh"); if (f ==='));
  const { code, out } = await isolab('test', file);
  expect(code).toBe(3);
  expect(out).toMatch(
    /FAILS {6}its states can be reached .* was asked .* and threw Error: oh \(line \d+, column \d+\)/,
  );
});

test('a parameter is for workloads', async () => {
  const file = await newFile('fault');
  expect(await isolab('test', file, '--set', 'keys=3')).toMatchObject({
    code: 3,
    err: expect.stringContaining('--set sets a parameter of a workload') as string,
  });
});

test('the contention of a workload is that of its parameters', async () => {
  const file = await newFile('workload');
  const { code, out } = await isolab('test', file, '--set', 'keys=1000000');
  expect(code).toBe(3);
  expect(out).toMatch(/not shown {2}its transactions overlap on keys: 0 % of the transactions/);
  expect(out).toMatch(/FAILS {6}a database with a fault is detected: found no violation with any of /);
});
