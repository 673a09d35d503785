// Slow: a PostgreSQL is started for each prediction.
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
