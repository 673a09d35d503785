import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { computeStatistics, findInvalid } from '@isolab/history';
import { describe, expect, test } from 'vitest';
import { ALL_FORMATS, findFormat, openInput, readDocumentAt } from '../src/index.ts';

const folder = fileURLToPath(new URL('../../../../datasets/examples', import.meta.url));

interface Counts {
  readonly sessions?: number;
  readonly transactions?: number;
  readonly committed?: number;
  readonly aborted?: number;
  readonly unknown?: number;
  readonly operations?: number;
  readonly keys?: number;
  readonly nodes?: number;
  readonly edges?: number;
  readonly constraints?: number;
}

const examples = readdirSync(folder).flatMap((format) => {
  const expected = JSON.parse(readFileSync(join(folder, format, 'expected.json'), 'utf8')) as Record<string, Counts>;
  return Object.entries(expected).map(([name, counts]) => [format, name, counts] as const);
});

describe('the examples', () => {
  test('the examples cover every format, and every file is in its expected.json', () => {
    expect(readdirSync(folder).toSorted()).toEqual(ALL_FORMATS.map(({ name }) => name).toSorted());
    for (const format of readdirSync(folder)) {
      const files = readdirSync(join(folder, format)).filter((name) => name !== 'expected.json');
      expect(
        examples
          .filter(([of]) => of === format)
          .map(([, name]) => name)
          .toSorted(),
      ).toEqual(files.toSorted());
    }
  });

  test.each(examples)('%s: %s is recognised and counts as expected', async (format, name, expected) => {
    const document = await readDocumentAt(join(folder, format, name));
    expect(document.format.name).toBe(format);
    if (document.kind === 'polygraph') {
      const { nodes, edges, constraints } = document.polygraph;
      expect({ nodes, edges: edges.length / 2, constraints: constraints.length / 4 }).toEqual(expected);
      return;
    }
    expect(findInvalid(document.history)).toBeNull();
    const { sessions, transactions, committed, aborted, unknown, operations, keys } = computeStatistics(
      document.history,
    );
    expect({ sessions, transactions, committed, aborted, unknown, operations, keys }).toEqual(expected);
  });

  test.each(examples)('%s: %s is claimed by no other format', async (format, name) => {
    const path = join(folder, format, name);
    const claiming: string[] = [];
    for (const candidate of ALL_FORMATS) {
      const input = await openInput(path);
      if (candidate.layout === input.kind && (await candidate.matches(input as never))) claiming.push(candidate.name);
    }
    expect(claiming).toEqual([format]);
  });
});

describe('the registry', () => {
  test('the registry has names and aliases that are all different', () => {
    const words = ALL_FORMATS.flatMap((format) => [
      format.name,
      ...('aliases' in format ? (format.aliases ?? []) : []),
    ]);
    expect(new Set(words).size).toBe(words.length);
    for (const word of words) expect(findFormat(word)).not.toBeNull();
  });

  test.each([
    ['no-such-file', 'no-such-file: no such file or directory'],
    [folder, `${folder}: found a directory without files, expected a directory of logs`],
    [join(folder, 'text', 'expected.json'), 'found no known format'],
    [join(folder, 'text'), 'found no known format, expected one of recordings, cobra-log, viper-json'],
  ])('the registry refuses %s', async (path, message) => {
    await expect(readDocumentAt(path)).rejects.toThrow(message);
  });

  test('the registry refuses a directory instead of a file, and a file instead of a directory', async () => {
    await expect(readDocumentAt(folder, { format: 'text' })).rejects.toThrow(
      'found a directory, expected one file for the format text',
    );
    const file = fileURLToPath(import.meta.url);
    await expect(readDocumentAt(file, { format: 'cobra' })).rejects.toThrow(
      'found a file, expected a directory of logs for the format cobra-log',
    );
  });
});

test.each([
  [
    'isolab.jsonl',
    '{"isolab":"history","version":1,"initial":0,"times":"events"}\n{"session":0,"begin":10,"end":3,"ops":[["w","x",1]]}\n',
    'line 2',
  ],
  [
    'outcome.jsonl',
    `{"isolab":"history","version":1,"initial":0,"times":"events"}
{"session":0,"begin":10,"status":"unknown","ops":[["w","x",1]]}
{"outcome":"committed","session":0,"end":3}
`,
    'line 3',
  ],
  ['notation.txt', 'w(x,1) @2-2\nw(x,2) @10-3\n', 'line 2'],
])('%s: a transaction that ends before it begins is refused, with its place', async (name, text, place) => {
  const path = join(mkdtempSync(join(tmpdir(), 'isolab-times-')), name);
  writeFileSync(path, text);
  const problem = 'found a transaction that ends before it begins, expected an end that is not before its begin';
  await expect(readDocumentAt(path)).rejects.toThrow(problem);
  await expect(readDocumentAt(path)).rejects.toThrow(`${path}, ${place}`);
  writeFileSync(path, text.replace('"end":3', '"end":10').replace('10-3', '10-10'));
  expect((await readDocumentAt(path)).kind).toBe('history');
  rmSync(dirname(path), { recursive: true });
});
