// Slow: a PostgreSQL is started for each prediction, and for the runs of a command.
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { isolab } from './support/isolab.ts';

const folder = mkdtempSync(join(tmpdir(), 'isolab-predict-'));

test('a lost update predicted from a recording happens on PostgreSQL', async () => {
  const recording = fileURLToPath(new URL('fixtures/recorded-shop.jsonl', import.meta.url));
  const to = join(folder, 'predicted');
  const { code, out } = await isolab('predict', recording, '--confirm', '--out', to);
  expect(code).toBe(1);
  expect(out).toMatch(/It happened on PostgreSQL \S+ in 5 of 5 trials\./);
  expect(existsSync(join(to, '1.replay', 'history.jsonl'))).toBe(true);
});

test('REPEATABLE READ of PostgreSQL prevents a lost update', async () => {
  const file = join(folder, 'h.txt');
  writeFileSync(file, 'r(x,0) w(x,1)\nr(x,1) w(x,2)\n');
  const { out } = await isolab('predict', file, '--confirm', '--isolation', 'repeatable read');
  expect(out).toContain('prevented it in');
  expect(out).toContain('40001: could not serialize access due to concurrent update');
});

test('a lost update predicted from a run without overlaps happens in a run of the command', async () => {
  const application = fileURLToPath(new URL('../../../field/record/example/in-turns.mjs', import.meta.url));
  const recording = join(folder, 'shop.jsonl');
  const command = ['--', process.execPath, application];
  await isolab('record', recording, '--listen', '127.0.0.1:6547', '--skip', 'check', ...command);
  const to = join(folder, 'runs');
  const { code, out } = await isolab('predict', recording, '--confirm', '--out', to, ...command);
  expect(code).toBe(1);
  expect(out).toMatch(/It happened on PostgreSQL \S+ in trial 1: COMMIT of the transaction of line \d+ waited for/);
  const seen = await isolab('check', join(to, '1.run.jsonl'), '--level', 'serializable');
  expect(seen.code).toBe(1);
  expect(await isolab('verify', join(to, '1.run.jsonl'), join(to, '1.run.json'))).toMatchObject({ code: 0 });
});

test('a command that sends other statements confirms nothing', async () => {
  const recording = join(folder, 'shop.jsonl');
  const other = await isolab('predict', recording, '--confirm', '--', process.execPath, '-e', '0');
  expect(other.out).toContain('Not replayed: some of its transactions did not recur');
});
