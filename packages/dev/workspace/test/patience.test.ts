import { expect, test } from 'vitest';

interface Patience {
  patienceAt(load: number, cores: number): number;
  withPatience(code: string, patience: number): string;
}

const { patienceAt, withPatience } = (await import(
  String(new URL('../vitest.config.mjs', import.meta.url))
)) as unknown as Patience;

test.each([
  [0, 2, 1],
  [2, 2, 1],
  [5, 2, 3],
  [100, 2, 10],
])('a load of %d on %d cores: %d times as long', (load, cores, expected) => {
  expect(patienceAt(load, cores)).toBe(expected);
});

test.each([
  ["test('x', { timeout: 60_000 }, f)", "test('x', { timeout: 180000 }, f)"],
  ['}, 120_000);', '}, 360000);'],
  ['expect(f({ timeout: 5 }))', 'expect(f({ timeout: 5 }))'],
  ['const ms = 60_000;', 'const ms = 60_000;'],
])('%s', (code, expected) => {
  expect(withPatience(code, 3)).toBe(expected);
});
