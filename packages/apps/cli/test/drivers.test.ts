import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { isolab } from './support/isolab.ts';

const folder = mkdtempSync(join(tmpdir(), 'isolab-drivers-'));
const example = fileURLToPath(new URL('../../../sources/collector/examples/memory-driver.mjs', import.meta.url));
const wrong = join(folder, 'wrong.mjs');
writeFileSync(wrong, readFileSync(example, 'utf8').replace('keep ||', ''));

describe('isolab test', () => {
  test('isolab test prints each property in a line', async () => {
    const { code, out } = await isolab('test', '--db', `module:${example}`, '--data', 'registers');
    expect(out).toContain('Memory, snapshot\n  holds      registers: prepare creates the storage of the keys');
    expect(out).toContain('  not shown  registers: compare-and-set');
    expect(out).toContain('The driver passes every check.');
    expect([code, out.includes('lists:')]).toEqual([0, false]);
  });

  test('isolab test fails where a check does', async () => {
    const args = ['test', '--db', `module:${wrong}`, '--data', 'lists'];
    const { code, out } = await isolab(...args);
    expect(out).toMatch(
      /FAILS {6}lists: prepare empties or keeps the data, as requested: found kept: \[\] instead of \[\d+\]; expected the value/,
    );
    expect([code, out.includes('1 check failed. See docs/drivers.md.')]).toEqual([3, true]);
    const json = JSON.parse((await isolab(...args, '--output', 'json')).out) as { holds: boolean; findings: object[] };
    expect(json.holds).toBe(false);
    expect(json.findings).toContainEqual(expect.objectContaining({ data: 'lists', holds: false }));
  });

  test.each([
    [['--db', 'sqlite:a', '--db', 'sqlite:b'], 'accepts only one --db'],
    [
      ['--db', `module:${example}`, '--data', 'rows'],
      '--data is rows; expected one of registers, lists, the kinds of data in Memory',
    ],
  ])('%j is refused', async (args, message) => {
    expect(await isolab('test', ...args)).toMatchObject({ code: 3, err: expect.stringContaining(message) });
  });
});

describe('isolab collect', () => {
  const collect = (...args: readonly string[]) =>
    isolab('collect', join(folder, 'h.jsonl'), '--force', '--db', `module:${example}`, ...args);

  test('isolab collect ends by time alone', async () => {
    const begin = performance.now();
    const { code, out } = await collect('--for', '700ms', '--output', 'json');
    const { committed } = JSON.parse(out) as { committed: number };
    expect(code).toBe(0);
    expect(performance.now() - begin).toBeLessThan(10_000);
    expect(committed).toBeGreaterThan(0);
    const lines = readFileSync(join(folder, 'h.jsonl'), 'utf8').trimEnd().split('\n');
    expect(lines.at(-1)).toBe('{"isolab":"end"}');
  });

  test('isolab collect ends by number where that is reached first', async () => {
    const { out } = await collect('--for', '60s', '--transactions', '2', '--sessions', '3', '--output', 'json');
    expect(JSON.parse(out)).toMatchObject({ committed: 6 });
  });

  test.each([
    [['--for', 'long'], '--for needs a time such as'],
    [['--db', 'duckdb:'], 'All nodes of a database need the same driver, found Memory and DuckDB.'],
    [['--db', `module:${example}`, '--connect-timeout', '1s'], 'All nodes must belong to one database.'],
  ])('%j is refused', async (args, message) => {
    expect(await collect(...args)).toMatchObject({ code: 3, err: expect.stringContaining(message) });
  });

  test('statements of the user’s are refused where a driver takes none', async () => {
    const { code, err } = await isolab(
      'collect',
      join(folder, 'n.jsonl'),
      '--db',
      'exec:cat',
      '--session-setup',
      'SET x',
    );
    expect([code, err]).toEqual([3, expect.stringContaining('does not support statements at the start of sessions')]);
  });
});
