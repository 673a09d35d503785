import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { isolab } from './support/isolab.ts';

function results(...rows: readonly object[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'isolab-cli-bench-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'results.jsonl');
  writeFileSync(path, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  return path;
}

const row = {
  experiment: 'test/one',
  series: 'weave',
  x: 5,
  repeat: 0,
  checker: 'weave',
  variant: null,
  level: 'serializable',
  history: { id: 'h', sessions: 1, transactions: 1, operations: 1, keys: 1 },
  verdict: 'satisfied',
  reason: null,
  wallMs: 10,
  cpuMs: 10,
  peakRssBytes: null,
  stages: [],
  counters: { edges: 3 },
  certificate: 'not asked',
  key: 'k',
  run: { machine: 'm', node: 'v20', commit: 'c', scale: 'ci', at: '2026-01-01T00:00:00.000Z', load: 0 },
};

test('isolab bench diff says that two runs are the same, or lists the differences', async () => {
  const same = await isolab('bench', 'diff', results(row), results({ ...row, wallMs: 90, cpuMs: 90 }));
  expect(same.code).toBe(0);
  expect(same.out).toMatch(/^1 cell in both\n.*verdicts {3}the same\n/s);
  const other = await isolab('bench', 'diff', results(row), results({ ...row, counters: { edges: 4 } }));
  expect(other.code).toBe(3);
  expect(other.out).toContain('counts     1 differ\n  test/one, weave at 5: edges 3 and 4');
});

test.each([
  [
    ['bench', 'diff', 'absent.jsonl', 'absent.jsonl'],
    'There is no file absent.jsonl; isolab bench --out FILE writes one.',
  ],
  [['bench', 'worker'], 'Missing --queue redis://HOST:PORT, the address given to isolab bench.'],
  [
    ['bench', 'worker', '--queue', 'here'],
    '--queue is here, expected the address of a Redis server, such as redis://localhost:6379.',
  ],
  [['bench', 'all', '--time', 'long'], '--time needs a time such as 500ms, 60s or 10m, not long.'],
  [['bench', 'all', '--time', '0s'], '--time is 0s; expected a longer time, such as 60s, 10m or 2h.'],
  [['bench', 'all', '--memory', 'much'], '--memory needs a size such as 500MB or 4GB, not much.'],
  [['bench', 'all', '--for', '0'], '--for is 0; expected a longer time, such as 60s, 10m or 2h.'],
  [['hunt', 'embedded', '--until', 'violated,end'], '--until violated ends at the first violation and --until end'],
  [['bench', 'all', '--queue', 'redis://h', '--jobs', '2'], 'A worker of a queue runs one cell at a time.'],
])('%s is a wrong call', async (words, message) => {
  const { code, err } = await isolab(...words);
  expect(code).toBe(3);
  expect(err).toContain(`isolab: ${message}`);
});
