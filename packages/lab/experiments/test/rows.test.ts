import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { readRows } from '../src/index.ts';
import { rowWriter } from '../src/measurement/rows.ts';
import { ROW } from './support/row.ts';

const row = ROW;

const folder = mkdtempSync(join(tmpdir(), 'isolab-rows-'));
let files = 0;
function fileOf(...lines: readonly (object | string)[]): string {
  const path = join(folder, `${files++}.jsonl`);
  writeFileSync(path, lines.map((line) => (typeof line === 'string' ? line : `${JSON.stringify(line)}\n`)).join(''));
  return path;
}

describe('a file of results', () => {
  test('a file of results is read as it was written', () => {
    expect(readRows(fileOf(row, { ...row, x: 'a category', fromFileMs: 3 }))).toHaveLength(2);
    for (const scale of ['ci', 'laptop']) {
      const path = fileURLToPath(new URL(`../../../../reports/results/${scale}.jsonl`, import.meta.url));
      expect(readRows(path).length).toBeGreaterThan(0);
    }
  });

  test.each(['ci', 'laptop', 'paper'])(
    'a file of results of scale %s names no folder of the machine that it was measured on',
    (scale) => {
      const path = fileURLToPath(new URL(`../../../../reports/results/${scale}.jsonl`, import.meta.url));
      const named = readRows(path).flatMap(({ reason }) =>
        reason !== null && /(?:^|[\s("'])\/[\w.-]+\//.test(reason) ? reason : [],
      );
      expect(named).toEqual([]);
    },
  );

  test('a file of results may end in the middle of a row, which is then taken away', () => {
    const path = fileOf(row, JSON.stringify(row).slice(0, 100));
    expect(readRows(path)).toEqual([row]);
    rowWriter(path)({ ...row, x: 11 });
    expect(readFileSync(path, 'utf8').split('\n')).toHaveLength(3);
    expect(readRows(path)).toEqual([row, { ...row, x: 11 }]);
  });

  test('a file of results keeps a last row that lacks nothing but its end', () => {
    const path = fileOf(row, JSON.stringify({ ...row, x: 11 }));
    rowWriter(path)({ ...row, x: 12 });
    expect(readRows(path).map(({ x }) => x)).toEqual([10, 11, 12]);
  });

  test.each<[object | string, string]>([
    ['nonsense\n', 'it is not valid JSON'],
    [`${JSON.stringify(row).slice(0, 100)}\n`, 'it is not valid JSON'],
    ['5\n', 'the row is 5, expected an object'],
    ['[]\n', 'the row is [], expected an object'],
    [{}, 'experiment is missing, expected a string'],
    [{ ...row, verdict: 'fine' }, 'verdict is "fine", expected "satisfied", "violated", "unknown", "skipped"'],
    [{ ...row, wallMs: -1 }, 'wallMs is -1, expected a number of at least 0 or null'],
    [{ ...row, wallMs: '1' }, 'wallMs is "1", expected'],
    [{ ...row, repeat: 0.5 }, 'repeat is 0.5, expected a whole number'],
    [{ ...row, x: null }, 'x is null, expected a number or a string'],
    [{ ...row, history: null }, 'history is null, expected an object'],
    [{ ...row, history: { ...row.history, keys: 'x' } }, 'history.keys is "x", expected a whole number'],
    [{ ...row, counters: { a: 'b' } }, 'counters is {"a":"b"}, expected an object of numbers'],
    [{ ...row, stages: [null] }, 'stages is [null], expected a list of names and milliseconds'],
    [{ ...row, each: [{ verdict: 'true' }] }, 'each is [{"verdict":"true"}], expected nothing or a list of verdicts'],
    [{ ...row, run: {} }, 'run.machine is missing, expected a string'],
    [{ ...row, variant: 'x'.repeat(1e6), key: 5 }, 'key is 5, expected a string'],
  ])('a file of results is refused by file and line where it holds %j', (line, problem) => {
    const path = fileOf(row, line);
    expect(() => readRows(path)).toThrow(`${path}, line 2: this is not a row of results of isolab bench: ${problem}`);
  });
});
