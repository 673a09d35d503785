/** `isolab run` with many seeds: `--trials`, `--until violated`. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { afterAll, describe, expect, test } from 'vitest';
import { ExitCode } from '../src/terminal/exit.ts';
import { isolab } from './support/isolab.ts';
import { write } from './support/program.ts';

const folder = mkdtempSync(join(tmpdir(), 'isolab-trials-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** A database of one client; from its third history on, every read is answered with an unwritten value. */
function database(name: string): string {
  const script = `import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
const values = new Map();
const [mark, begun] = ['${join(folder, `${name}.mark`)}', '${join(folder, `${name}.begun`)}'];
let histories = 0;
createInterface({ input: process.stdin }).on('line', (line) => {
  const { kind, key, value } = JSON.parse(line);
  if (kind === 'write' && key === -1) { writeFileSync(mark, String(value)); appendFileSync(begun, '.'); values.clear(); }
  else if (kind === 'write') values.set(key, value);
  let reply = {};
  if (kind === 'read' && key === -1) reply = { value: existsSync(mark) ? Number(readFileSync(mark)) : null };
  else if (kind === 'read') {
    const isWrong = existsSync(begun) && readFileSync(begun, 'utf8').length >= 3;
    reply = { value: isWrong ? 1234567 : (values.get(key) ?? 0) };
  }
  console.log(JSON.stringify(reply));
});`;
  return `exec:${process.execPath} ${write(join(folder, `${name}.mjs`), script)}`;
}

let runs = 0;
async function run(...words: readonly string[]): Promise<{ code: number; out: string; err: string; path: string }> {
  const name = `run-${runs++}`;
  const path = join(folder, `${name}.jsonl`);
  const asked = ['--db', database(name), '--sessions', '1', '--transactions', '20', '--skip', 'final-reads'];
  return { ...(await isolab('run', path, ...asked, ...words)), path };
}

describe('isolab run', () => {
  test('isolab run continues with the next seed until something is violated, and keeps that history', async () => {
    const { code, out, err, path } = await run('--until', 'violated', '--seed', '7');
    expect(code).toBe(ExitCode.Violated);
    const lines = err.split('\n');
    expect(
      lines.filter((line) => /^--seed \d+: 20 committed transactions, .*; (satisfied|unknown)$/.test(line)),
    ).toHaveLength(2);
    expect(lines.at(-1)).toBe('3 histories in total; to repeat this one: --seed 9');
    // The output is about the last history alone.
    expect(out.match(/^(violated|satisfied)/gm)).toEqual(['violated']);
    expect(readFileSync(path, 'utf8')).toContain('1234567');
  });

  test('isolab run ends after --trials histories, with one result', async () => {
    const { code, out, err } = await run('--trials', '2', '--output', 'json');
    expect(code).not.toBe(ExitCode.Violated);
    expect(code).not.toBe(ExitCode.Failed);
    expect(JSON.parse(out)).toMatchObject({ verdict: expect.stringMatching(/satisfied|unknown/) });
    expect(err.split('\n').at(-1)).toBe('2 histories in total; to repeat this one: --seed 2');
  });

  test.each([
    [['--trials', '0'], '--trials needs a whole number of at least 1, not 0.'],
    [['--trials', '2', '--resume'], '--resume continues one history; --trials and --until start new ones.'],
    [['--trials', '2', '--seed', 'a'], '--seed needs a whole number of at least 1, not a.'],
    [['--for', '0s'], '--for is 0s; expected a longer time, such as 60s, 10m or 2h.'],
  ])('%j is a wrong call', async (words, message) => {
    const { code, err } = await run(...words);
    expect(err).toContain(message);
    expect(code).toBe(ExitCode.Failed);
  });
});
