import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { ThreadTask, Threads } from '@isolab/history';
import { afterAll, describe, expect, test } from 'vitest';
import { type IsolabFilePart, readIsolabPart } from '../src/isolab/isolab-part.ts';
import { readDocumentAt } from '../src/registry.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'parts-'));
afterAll(() => rmSync(folder, { recursive: true }));
const file = path.join(folder, 'h.jsonl');

/** Threads whose results are known before they begin; they keep their data. */
class KnownThreads implements Threads {
  readonly count = 3;
  readonly leastOperations = Infinity;
  readonly given: IsolabFilePart[] = [];
  readonly #results: readonly unknown[];

  constructor(results: readonly unknown[] = []) {
    this.#results = results;
  }

  begin<Data extends object, Result>(): ThreadTask<Data, Result> {
    const { given } = this;
    const known = this.#results;
    const number = given.length;
    return {
      give: (data) => void (given[number] = data as unknown as IsolabFilePart),
      result: () => (known[number] ?? null) as Result | null,
      cancel: () => {},
    };
  }
}

/** Text of the history in a file, or the error, with columns as lists. */
async function readWith(threads: Threads | null): Promise<string> {
  try {
    const { history } = (await readDocumentAt(file, {
      ...(threads && { threads: { leastBytes: 0, load: async () => threads } }),
    })) as { history: object };
    return JSON.stringify(history, (_, part: unknown) =>
      ArrayBuffer.isView(part) ? Array.from(part as Int32Array, String) : typeof part === 'bigint' ? `${part}` : part,
    );
  } catch (error) {
    return (error as Error).message;
  }
}

/** Reads a file alone, with threads that fail, and with threads that answer. Returns the number of answers. */
async function compare(text: string): Promise<{ readonly alone: string; readonly parts: number }> {
  writeFileSync(file, text);
  const alone = await readWith(null);
  const failing = new KnownThreads();
  expect(await readWith(failing)).toBe(alone);
  const results = await Promise.all(failing.given.map((part) => readIsolabPart(part, () => false).catch(() => null)));
  expect(await readWith(new KnownThreads(results))).toBe(alone);
  return { alone, parts: results.filter((part) => part !== null).length };
}

const HEADER = '{"isolab":"history","version":1,"initial":0,"times":"events","sessions":["a",3]}\n';
const lines = (count: number, line: (i: number) => string): string =>
  HEADER + Array.from({ length: count }, (_, i) => `${line(i)}\n`).join('');
const plain = (i: number): string =>
  `{"session":${(i * 7) % 5},"ops":[["r",${(i * 5) % 11},${i % 4}],["w",${(i * 3) % 11},${i + 1}],["w","k${i % 6}","v${i}"]]}`;

describe('a file that several threads read in parts', () => {
  test.each<[string, string, number]>([
    ['plain transactions', lines(60, plain), 2],
    [
      'names, times and statuses',
      lines(60, (i) =>
        plain(i).replace(
          '{',
          `{"id":"t${i}","begin":${i},"end":${i + 2},"status":"${i % 9 === 0 ? 'aborted' : 'committed'}",`,
        ),
      ),
      2,
    ],
    [
      'names and times in one part only',
      lines(60, (i) => (i < 50 ? plain(i) : plain(i).replace('{', `{"id":${i},"begin":${i},`))),
      2,
    ],
    [
      'outcomes on later lines',
      lines(90, (i) =>
        i % 3 === 2
          ? `{"outcome":"committed","session":${((i - 2) * 7) % 5},"end":${i + 100}}`
          : plain(i).replace('{', `{"begin":${i},"committing":${i},"status":"unknown",`),
      ),
      2,
    ],
    [
      'levels',
      lines(60, (i) => (i % 4 ? plain(i) : plain(i).replace('{', `{"level":"l${i % 5}",`))).replace(
        '"initial"',
        '"level":"causal","levels":{"l1":"prefix"},"initial"',
      ),
      2,
    ],
    ['levels in one part only', lines(60, (i) => (i < 50 ? plain(i) : plain(i).replace('{', '{"level":"x",'))), 2],
    ['numbers', lines(60, (i) => plain(i).replace('{', `{"number":${i},`)), 2],
    [
      'positions',
      lines(60, (i) => plain(i).replace('{', `{"at":${100 - i},`)).replace('"initial"', '"source":{},"initial"'),
      2,
    ],
    [
      'positions of some transactions',
      lines(60, (i) => (i % 2 ? plain(i) : plain(i).replace('{', `{"at":${i},`))).replace(
        '"initial"',
        '"source":{},"initial"',
      ),
      0,
    ],
    ['an end mark', `${lines(60, plain).replace('"initial"', '"collected":{},"initial"')}{"isolab":"end"}\n`, 2],
    ['a last line without its end', lines(60, plain).replace('"initial"', '"collected":{},"initial"').slice(0, -20), 2],
    [
      'lists in the last part',
      lines(60, (i) => (i < 50 ? plain(i) : '{"session":1,"ops":[["append","l",1],["r","l",[1]]]}')),
      1,
    ],
    [
      'a fault in the last part',
      lines(60, (i) => (i < 50 ? plain(i) : `{"isolab":"fault","id":${i},"kind":"kill","begin":${i}}`)),
      1,
    ],
  ])('%s', async (_, text, parts) => {
    const found = await compare(text);
    expect(found.alone).toMatch(/^\{"source/);
    expect(found.parts).toBe(parts);
  });

  test.each<[string, string, RegExp]>([
    ['bad JSON', lines(60, (i) => (i === 55 ? '{"session":1,"ops":[[' : plain(i))), /line 57/],
    [
      'a number that falls',
      lines(60, (i) => plain(i).replace('{', `{"number":${i < 30 ? i : i - 20},`)),
      /after number/,
    ],
    ['a line after the end', lines(60, (i) => (i === 20 ? '{"isolab":"end"}' : plain(i))), /after \{"isolab":"end"\}/],
    [
      'an outcome without a transaction',
      lines(60, (i) => (i === 30 ? '{"outcome":"committed","session":1}' : plain(i))),
      /an outcome without/,
    ],
    [
      'an outcome with a time before its transaction',
      lines(60, (i) => {
        const isLate = i === 30;
        const opening = plain(i).replace('{', `{"begin":${i + 50},"status":"unknown",`);
        return isLate
          ? '{"outcome":"committed","session":1,"end":1}'
          : i === 8 || i === 13 || i === 18
            ? opening
            : plain(i);
      }),
      /./,
    ],
  ])('the error of %s', async (_, text, message) => {
    expect((await compare(text)).alone).toMatch(message);
  });

  test('every line may be damaged', async () => {
    const text = lines(12, plain);
    let refused = 0;
    for (let at = HEADER.length; at < text.length; at += 5) {
      const { alone } = await compare(`${text.slice(0, at)}?${text.slice(at + 1)}`);
      if (!alone.startsWith('{')) refused++;
    }
    expect(refused).toBeGreaterThan(100);
  });
});
