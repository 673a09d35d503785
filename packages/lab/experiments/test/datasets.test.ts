import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { sha256OfListing, sha256OfText } from '../src/experiment/checksum.ts';
import { type Dataset, Datasets, addDataset, chooseDatasets, readManifest } from '../src/index.ts';

const own = fileURLToPath(new URL('../../../../datasets/', import.meta.url));

function places() {
  const base = mkdtempSync(join(tmpdir(), 'isolab-datasets-'));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const folder = join(base, 'datasets');
  const local = join(base, 'mine');
  mkdirSync(folder);
  mkdirSync(local);
  const write = (datasets: readonly Dataset[]): Datasets => {
    writeFileSync(join(folder, 'manifest.json'), JSON.stringify({ version: 1, datasets }));
    return new Datasets({ folder, cache: join(base, 'cache'), local });
  };
  return { folder, local, write };
}

const TEXT = 'w(1,1,0,0)\nr(1,1,1,1)\n';
const file = { name: 'h.txt', path: 'a b/h.txt', sha256: sha256OfText(TEXT), bytes: TEXT.length };
const entry = (source: Dataset['source'], changes: Partial<Dataset> = {}): Dataset => ({
  id: 'test/one',
  title: 'one',
  format: 'text',
  sha256: file.sha256,
  bytes: file.bytes,
  sizes: null,
  database: null,
  figure: null,
  source,
  expected: [],
  ...changes,
});
const publicFrom = (repository: string): Dataset['source'] => ({
  kind: 'public',
  repository,
  commit: 'abc',
  licence: 'MIT',
  directory: false,
  files: [file],
});

test('the committed datasets are here and have their checksums', async () => {
  const datasets = new Datasets({ folder: own, cache: '/nowhere', local: undefined });
  const committed = datasets.manifest.datasets.filter(({ source }) => source.kind === 'committed');
  expect(committed.length).toBeGreaterThan(30);
  for (const dataset of committed) expect([dataset.id, await datasets.problemOf(dataset)]).toEqual([dataset.id, null]);
});

test('a small recipe gives the history whose checksum the manifest states', async () => {
  const { manifest } = new Datasets({ folder: own, cache: '/nowhere', local: undefined });
  const dataset = manifest.datasets.find(({ id }) => id === 'fault-mini/fractured-write')!;
  const { write } = places();
  const datasets = write([dataset]);
  expect(await datasets.problemOf(dataset)).toBeNull();
  const other = write([{ ...dataset, sha256: '0'.repeat(64) }]);
  expect(await other.locate(dataset.id)).toMatchObject({
    reason: expect.stringContaining('the generators have changed'),
  });
});

test('a local folder is searched by content, under any file names', async () => {
  const { local, write } = places();
  const datasets = write([entry(publicFrom('https://github.com/some/body'))]);
  expect(await datasets.locate('test/one')).toMatchObject({
    reason: 'the dataset test/one is not available: isolab bench datasets get test/one',
  });
  mkdirSync(join(local, 'deep'));
  writeFileSync(join(local, 'deep', 'other-name'), TEXT);
  writeFileSync(join(local, 'same-size'), TEXT.replace('w', 'r'));
  expect(await write([entry(publicFrom('https://github.com/some/body'))]).locate('test/one')).toMatchObject({
    path: join(local, 'deep', 'other-name'),
  });
});

test('a directory is found by all its files', async () => {
  const { local, write } = places();
  const files = ['T0.log', 'T1.log'].map((name) => ({ name, sha256: sha256OfText(name), bytes: name.length }));
  const dataset = entry({ kind: 'local', directory: true, files }, { sha256: sha256OfListing(files) });
  for (const folder of ['half', 'whole']) mkdirSync(join(local, folder));
  for (const [folder, name] of [
    ['half', 'T0.log'],
    ['whole', 'T0.log'],
    ['whole', 'T1.log'],
  ])
    writeFileSync(join(local, folder!, name!), name!);
  const datasets = write([dataset]);
  expect(await datasets.locate('test/one')).toMatchObject({ path: join(local, 'whole') });
  expect(await datasets.problemOf(dataset)).toBeNull();
});

test('isolab bench datasets adds a history of the folder to the manifest, and any other to a list for this machine', async () => {
  const { folder, local, write } = places();
  write([]);
  cpSync(join(own, 'examples', 'text', 'two-sessions.txt'), join(folder, 'two.txt'));
  writeFileSync(join(local, 'mine.txt'), TEXT);
  const expected = [{ level: 'causal', verdict: 'satisfied', by: 'me' }] as const;
  const committed = await addDataset(folder, join(folder, 'two.txt'), { id: 'my/two', expected });
  expect(committed).toMatchObject({
    source: { kind: 'committed', path: 'two.txt' },
    format: 'text',
    sizes: { sessions: 2, transactions: 4 },
  });
  const other = await addDataset(folder, join(local, 'mine.txt'), { id: 'my/other', title: 'Mine' });
  expect(other.source).toEqual({
    kind: 'local',
    directory: false,
    files: [{ name: 'mine.txt', sha256: sha256OfText(TEXT), bytes: TEXT.length }],
  });
  await expect(addDataset(folder, join(local, 'mine.txt'), { id: 'my/two' })).rejects.toThrow(
    'The dataset my/two already exists.',
  );
  const manifest = readManifest(folder);
  expect(manifest.datasets).toEqual([committed, other]);
  expect(chooseDatasets(manifest, ['my/']).map(({ id }) => id)).toEqual(['my/two', 'my/other']);
  expect(() => chooseDatasets(manifest, ['yours'])).toThrow('There is no dataset yours');
});
