import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { Datasets, loadExperiments, seriesData } from '../src/index.ts';
import type { Dataset } from '../src/datasets/manifest.ts';
import { experimentWith } from './support/laboratory.ts';

const dataset = (id: string, source: Dataset['source']): Dataset => ({
  id,
  title: id,
  format: 'text',
  sha256: id,
  bytes: 1,
  sizes: null,
  database: null,
  figure: null,
  source,
  expected: [],
});

const repository = 'https://github.com/owner/name';
const published = {
  kind: 'public',
  repository,
  commit: '0123456789',
  licence: '',
  files: [],
  directory: false,
} as const;
const recipe = { workload: 'general', sessions: 1, transactions: 1, level: 'serializable', seed: 1 } as const;
const datasets = [
  dataset('own/2', published),
  dataset('own/3', { ...published, kind: 'archive', path: 'p' }),
  dataset('made/2', { kind: 'generated', recipe }),
];
const archive = {
  name: 'it',
  title: '',
  prefix: '',
  repository,
  commit: '',
  licence: '',
  root: '',
  rules: [],
  leftOut: [],
};

test('the page says of every series on which data it stands, and where published histories are', () => {
  const series = [
    { name: 'one', checker: 'quick', history: { dataset: 'own/$x' } },
    { name: 'set', checker: 'quick', history: { datasets: ['own/'] } },
    { name: 'made', checker: 'quick', history: { dataset: 'made/$x' } },
    { name: 'simulated', checker: 'quick' },
  ];
  const data = seriesData({ version: 1, datasets }, [archive])(experimentWith({ series, data: 'paper’s own' }), 'ci');
  const from = [{ text: 'name at 01234567', href: `${repository}/tree/0123456789`, archive: 'it' }];
  expect([...data]).toEqual([
    ['one', { kind: 'paper’s own', from }],
    ['set', { kind: 'paper’s own', from }],
    ['made', { kind: 'simulated', from: [] }],
    ['simulated', { kind: 'simulated', from: [] }],
  ]);
});

test('every series of benchmarks/ has data of a known kind; those of PolySI’s figures 6 and 7 are its authors’', () => {
  const at = (path: string): string => fileURLToPath(new URL(`../../../../${path}`, import.meta.url));
  const { manifest, archives } = new Datasets({ folder: at('datasets'), cache: '', local: undefined });
  const find = seriesData(manifest, archives);
  const series = loadExperiments(at('benchmarks')).flatMap((file) =>
    [...find(file, 'laptop')].map(([name, { kind }]) => ({ id: file.id, name, kind })),
  );
  expect(series.length).toBeGreaterThan(500);
  const own = series.filter(({ id }) => /^polysi\/fig[67]/.test(id));
  expect(new Set(own.filter(({ name }) => name === 'PolySI').map(({ kind }) => kind))).toEqual(
    new Set(['paper’s own']),
  );
  const others = own.filter(({ name }) => name === 'PolySI, simulated');
  expect(new Set(others.map(({ kind }) => kind))).toEqual(new Set(['simulated']));
});
