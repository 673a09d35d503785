import { readFileSync, readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { citationFile } from '../src/citation.ts';

const read = (path: string): string => readFileSync(new URL(`../../../../${path}`, import.meta.url), 'utf8');
const papers = JSON.parse(read('benchmarks/papers.json')) as {
  readonly references: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly groups: Readonly<Record<string, { readonly cites: readonly string[] }>>;
};

test('CITATION.cff agrees with benchmarks/papers.json; npm run generate writes it', () => {
  expect(read('CITATION.cff')).toBe(citationFile(read('benchmarks/papers.json'), read('package.json')));
});

test('CITATION.cff has the fields of its format', () => {
  const text = read('CITATION.cff');
  for (const line of [
    /^cff-version: 1\.2\.0$/m,
    /^message: \S/m,
    /^title: \S/m,
    /^authors:\n {2}- name: \S/m,
    /^type: software$/m,
  ])
    expect(text).toMatch(line);
  expect(text.match(/^ {4}authors:$/gm)).toHaveLength(Object.keys(papers.references).length);
});

test.each(Object.entries(papers.references))('%s can be cited', (_, reference) => {
  expect(TYPES).toContain(reference['type']);
  expect(reference['title']).toMatch(/\S/);
  expect(reference['authors']).not.toHaveLength(0);
  for (const author of reference['authors'] as string[]) expect(author).toMatch(/^\p{Lu}\S*( \S+)+$/u);
  expect(reference['year']).toBeGreaterThan(2000);
  expect(reference['doi'] ?? '10.1/x').toMatch(/^10\.\d+\/\S+$/);
  expect(reference['url'] ?? 'https://x').toMatch(/^https:\/\//);
  expect(reference['doi'] ?? reference['url']).toBeDefined();
  expect(Object.keys(reference).filter((name) => !FIELDS.has(name))).toEqual([]);
});

test('every folder of benchmarks/ names a paper to cite', () => {
  const folders = readdirSync(new URL('../../../../benchmarks/', import.meta.url), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== 'kernels' && entry.name !== 'node_modules')
    .map(({ name }) => name);
  expect(folders.length).toBeGreaterThan(5);
  for (const name of folders)
    expect(
      papers.references[name] ?? papers.groups[name],
      `${name} has no entry in benchmarks/papers.json`,
    ).toBeDefined();
  for (const { cites } of Object.values(papers.groups))
    for (const id of cites) expect(papers.references).toHaveProperty(id);
});

/** Types of references of CFF 1.2.0 in use. */
const TYPES = ['article', 'conference-paper', 'software'];
const FIELDS = new Set([
  'type',
  'title',
  'authors',
  'journal',
  'collection-title',
  'volume',
  'issue',
  'number',
  'start',
  'end',
  'year',
  'doi',
  'url',
]);
