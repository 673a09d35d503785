import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { type Archive, listFile, listText, parseList, readArchives } from '../src/datasets/catalogue.ts';
import { listArchive } from '../src/archives/list.ts';
import { Repository } from '../src/archives/repository.ts';
import { objectOfBytes, sha256OfListing, sha256OfText } from '../src/experiment/checksum.ts';
import { type Dataset, Datasets, absentOf, bytesOf, chooseDatasets, fetchAbsent } from '../src/index.ts';

const FILES = {
  'data/runs/a/history.bincode': 'one history',
  'data/runs/b/history.bincode': 'one history',
  'data/logs/T1.log': 'first',
  'data/logs/T2.log': 'second',
  'data/logs/T1.debug': 'not part of it',
  'data/broken/T1.log': 'left out',
  'extra/c.txt': 'w(1,1,0,0)\n',
};

/** A small public repository, an archives.json about it, and the lists that the generator writes. */
async function laboratory() {
  const base = mkdtempSync(join(tmpdir(), 'isolab-archives-'));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const work = join(base, 'work');
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(join(work, path, '..'), { recursive: true });
    writeFileSync(join(work, path), text);
  }
  const git = (...words: string[]): string =>
    execFileSync('git', ['-C', work, '-c', 'user.name=t', '-c', 'user.email=t@localhost', ...words], {
      encoding: 'utf8',
    });
  git('init', '-q', '-b', 'main');
  git('add', '.');
  git('commit', '-q', '-m', 'Histories');
  const commit = git('rev-parse', 'HEAD').trim();
  const origin = join(base, 'hub', 'some', 'body.git');
  git('clone', '-q', '--bare', work, origin);
  git('--git-dir', origin, 'config', 'uploadpack.allowFilter', 'true');
  git('--git-dir', origin, 'config', 'uploadpack.allowAnySHA1InWant', 'true');
  const archive: Archive = {
    name: 'mine',
    title: 'a test',
    prefix: 'Mine',
    repository: `file://${origin}`,
    commit,
    licence: 'MIT',
    root: 'data/',
    rules: [
      { under: 'runs/', ending: '/history.bincode', format: 'dbcop-bincode', database: 'none' },
      { under: '', ending: '.log', together: true, format: 'cobra-log' },
      { under: 'extra/', ending: '.txt', format: 'text', figure: 'figure 1' },
    ],
    leftOut: [{ path: 'data/broken/', because: 'it is' }],
  };
  const folder = join(base, 'datasets');
  mkdirSync(join(folder, 'archives'), { recursive: true });
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify({ version: 1, datasets: [] }));
  writeFileSync(join(folder, 'archives.json'), JSON.stringify({ archives: [archive] }));
  const cache = join(base, 'cache');
  const repository = await Repository.open(archive, { cache: join(base, 'other'), mirror: join(base, 'hub') });
  const list = listText(['a list'], await listArchive(repository, archive));
  await repository.close();
  writeFileSync(listFile(folder, archive), list);
  const open = (): Datasets => new Datasets({ folder, cache, local: undefined });
  return { base, archive, folder, cache, origin, hub: join(base, 'hub'), list, open };
}

async function get(datasets: Datasets, words: readonly string[], mirror?: string, signal?: AbortSignal) {
  const absent = await absentOf(datasets, chooseDatasets(datasets.manifest, words, datasets.archives));
  const gaps = await fetchAbsent(datasets, absent, { ...(mirror && { mirror }), ...(signal && { signal }) });
  return gaps.map(({ dataset, reason }) => [dataset.id, reason]);
}

test('a list has a line a history, and names the first one of each content', async () => {
  const { list } = await laboratory();
  const logs = sha256OfListing([
    { name: 'T1.log', sha256: sha256OfText('first') },
    { name: 'T2.log', sha256: sha256OfText('second') },
  ]);
  expect(list.split('\n')).toEqual([
    '# a list',
    '[data/]',
    `logs/\t11\t${logs}`,
    '[data/runs/]',
    `a/history.bincode\t11\t${sha256OfText('one history')}`,
    'b/history.bincode\t=\tdata/runs/a/history.bincode',
    '[extra/]',
    `c.txt\t11\t${sha256OfText('w(1,1,0,0)\n')}`,
    '',
  ]);
});

test('the histories of a list are datasets', async () => {
  const { open, archive } = await laboratory();
  const { datasets } = open().manifest;
  expect(datasets.map(({ id, format, database, figure }) => [id, format, database, figure])).toEqual([
    ['Mine/logs', 'cobra-log', null, null],
    ['Mine/runs/a.bincode', 'dbcop-bincode', 'none', null],
    ['Mine/runs/b.bincode', 'dbcop-bincode', 'none', null],
    ['Mine/extra/c.txt', 'text', null, 'figure 1'],
  ]);
  const { repository, commit, licence } = archive;
  expect(datasets.map(({ source }) => source)).toEqual([
    { kind: 'archive', repository, commit, licence, path: 'data/logs/', ending: '.log' },
    { kind: 'archive', repository, commit, licence, path: 'data/runs/a/history.bincode' },
    {
      kind: 'archive',
      repository,
      commit,
      licence,
      path: 'data/runs/b/history.bincode',
      sameAs: 'Mine/runs/a.bincode',
    },
    { kind: 'archive', repository, commit, licence, path: 'extra/c.txt' },
  ]);
});

test.each([
  ['a\t1\tabc', 'line 1: found a\t1\tabc, expected a name, bytes and a SHA-256'],
  ['[x/]\na\t=\ty', 'line 2: found a\t=\ty, expected the path of an earlier history after ='],
  [`a\t1\t${'0'.repeat(64)}\na\t?\tgit-${'0'.repeat(40)}`, 'line 2: found a\t?\tgit-'],
])('a list that was damaged is refused: %s', (text, message) => {
  expect(() => parseList(text, 'list.txt')).toThrow(`list.txt: ${message}`);
});

test.each(['mirror', 'clone'])('an archive is got from a %s, checked by hash, and found again', async (from) => {
  const { open, hub, cache, origin } = await laboratory();
  if (from === 'mirror') renameSync(join(hub, 'some'), join(hub, 'moved'));
  if (from === 'mirror') cpSync(join(hub, 'moved', 'body.git'), join(hub, 'some+body', 'repo'), { recursive: true });
  const datasets = open();
  expect(bytesOf(await absentOf(datasets, datasets.manifest.datasets))).toBe(33); // the copy counts once
  expect(await get(datasets, ['mine'], from === 'mirror' ? hub : undefined)).toEqual([]);
  expect(readdirSync(join(cache, 'archives')).length).toBe(from === 'clone' ? 2 : 1); // one reads the others
  for (const dataset of datasets.manifest.datasets) expect(await datasets.problemOf(dataset)).toBeNull();
  const located = (await datasets.locate('Mine/logs')) as { path: string };
  expect(readdirSync(located.path)).toEqual(['T1.log', 'T2.log']);
  rmSync(origin, { recursive: true, force: true });
  expect(await get(open(), ['mine'])).toEqual([]);
});

test('a clone holds the contents that were asked for and no others, and continues where it was', async () => {
  const { open, cache, origin, archive } = await laboratory();
  expect(await get(open(), ['Mine/extra/c.txt'])).toEqual([]);
  const clone = join(
    cache,
    'archives',
    readdirSync(join(cache, 'archives')).find((name) => name !== 'reader')!,
  );
  const blobs = (): number =>
    execFileSync('git', ['--git-dir', clone, 'cat-file', '--batch-all-objects', '--batch-check'], { encoding: 'utf8' })
      .split('\n')
      .filter((line) => line.includes(' blob ')).length;
  expect(blobs()).toBe(1);
  renameSync(origin, `${origin}.away`);
  const gaps = await get(open(), ['Mine/extra/c.txt', 'Mine/logs']);
  expect(gaps).toEqual([['Mine/logs', expect.stringContaining('does not appear to be a git repository')]]);
  renameSync(`${origin}.away`, origin);
  expect(await get(open(), [archive.name])).toEqual([]);
  expect(blobs()).toBe(4);
});

test('without a network and a mirror there is a gap that names a remedy', async () => {
  const { open, origin, base } = await laboratory();
  rmSync(origin, { recursive: true });
  const [[id, reason]] = (await get(open(), ['Mine/extra/c.txt'], base)) as [[string, string]];
  expect(id).toBe('Mine/extra/c.txt');
  expect(reason).toContain(
    `${base} has neither some+body/repo nor some/body.git; file://${origin} cannot be cloned: fatal: `,
  );
  expect(reason).toContain('or name a folder of bare clones with --mirror');
});

test('a path that is gone, a content that differs and a commit that is absent are gaps of their own', async () => {
  const { folder, archive, hub, open, cache } = await laboratory();
  const other = '0'.repeat(64);
  writeFileSync(
    listFile(folder, archive),
    `[data/]\nlogs/\t1\t${other}\ngone/\t1\t${other.replace('0', '1')}\n[data/runs/]\na/history.bincode\t11\t${sha256OfText('one history')}\nz/history.bincode\t1\t${other.replace('0', '2')}\n`,
  );
  const { commit, repository } = archive;
  expect(await get(open(), ['mine'], hub)).toEqual([
    [
      'Mine/logs',
      expect.stringMatching(`the files of data/logs at commit ${commit} .* checksum [0-9a-f]{64}, expected ${other}`),
    ],
    [
      'Mine/gone',
      `${repository} has no data/gone/*.log at commit ${commit}; the manifest names a path that does not exist`,
    ],
    ['Mine/runs/z.bincode', expect.stringContaining('has no data/runs/z/history.bincode')],
  ]);
  expect(readdirSync(join(cache, 'datasets'))).toEqual([sha256OfText('one history')]);
  const later = { ...archive, commit: '1'.repeat(40) };
  writeFileSync(join(folder, 'archives.json'), JSON.stringify({ archives: [later] }));
  const [[, reason]] = (await get(open(), ['Mine/logs'], hub)) as [[string, string]];
  expect(reason).toContain(`does not have commit ${later.commit}`);
});

test('a history that was not at hand for the list is checked by its name in git', async () => {
  const { folder, archive, open, hub } = await laboratory();
  const object = objectOfBytes(Buffer.from(FILES['extra/c.txt']));
  writeFileSync(listFile(folder, archive), `[extra/]\nc.txt\t?\tgit-${object}\n`);
  const datasets = open();
  const [dataset] = datasets.manifest.datasets as [Dataset];
  expect(bytesOf([dataset])).toBe(20e6);
  expect(await get(datasets, ['mine'], hub)).toEqual([]);
  expect(await datasets.problemOf(dataset)).toBeNull();
  const { path } = (await datasets.locate(dataset.id)) as { path: string };
  writeFileSync(path, 'something else');
  expect(await datasets.problemOf(dataset)).toMatch(
    /^its checksum is git-[0-9a-f]{40}, expected git-[0-9a-f]{40}; delete .*git-[0-9a-f]{40} and get it again$/,
  );
});

test('a mirror without the contents leaves gaps, and its list names the objects', async () => {
  const { base, archive, origin, hub, open } = await laboratory();
  const empty = join(base, 'empty', 'some', 'body.git');
  execFileSync('git', ['clone', '-q', '--bare', '--filter=blob:none', `file://${origin}`, empty]);
  rmSync(origin, { recursive: true });
  const [gap] = await get(open(), ['Mine/extra/c.txt'], join(base, 'empty'));
  expect(gap).toEqual(['Mine/extra/c.txt', expect.stringContaining('lacks the content; complete it with git fetch')]);
  const repository = await Repository.open(archive, { cache: hub, mirror: join(base, 'empty') });
  const listed = await listArchive(repository, archive);
  await repository.close();
  expect(listed.map(({ path, bytes }) => [path, bytes])).toContainEqual(['extra/c.txt', null]);
  expect(listed.find(({ path }) => path === 'extra/c.txt')!.sha256).toBe(
    `git-${objectOfBytes(Buffer.from(FILES['extra/c.txt']))}`,
  );
});

test('a server that lacks one content sends the others', async () => {
  const { open, origin } = await laboratory();
  const object = objectOfBytes(Buffer.from('second'));
  rmSync(join(origin, 'objects', object.slice(0, 2), object.slice(2)), { force: true });
  expect(await get(open(), ['mine'])).toEqual([
    ['Mine/logs', expect.stringContaining('the server no longer has the content')],
  ]);
  expect(await get(open(), ['Mine/runs/', 'Mine/extra/'])).toEqual([]);
});

test('an interruption leaves gaps, and nothing half-written', async () => {
  const { open, cache } = await laboratory();
  const interruption = new AbortController();
  interruption.abort();
  const gaps = await get(open(), ['mine'], undefined, interruption.signal);
  expect(gaps.map(([id]) => id)).toEqual(['Mine/logs', 'Mine/runs/a.bincode', 'Mine/extra/c.txt']);
  expect(gaps[0]![1]).toContain('interrupted');
  expect(existsSync(join(cache, 'datasets'))).toBe(false);
  expect(await get(open(), ['mine'])).toEqual([]);
});

const own = fileURLToPath(new URL('../../../../datasets/', import.meta.url));

test('the archives name thousands of histories, with the checksums of the manifest', () => {
  const listed = new Map(
    readArchives(own).flatMap((archive) => {
      const file = listFile(own, archive);
      const histories = parseList(readFileSync(file, 'utf8'), file);
      return histories.map(({ path, sha256 }) => [`${archive.repository} ${path}`, sha256] as const);
    }),
  );
  expect(listed.size).toBeGreaterThan(4500);
  const { manifest } = new Datasets({ folder: own, cache: '/nowhere', local: undefined });
  const different = manifest.datasets.flatMap(({ id, sha256, source }) => {
    if (source.kind !== 'public') return [];
    const { path } = source.files[0]!;
    const known = listed.get(`${source.repository} ${source.directory ? path.replace(/[^/]*$/, '') : path}`);
    return known === sha256 ? [] : [id];
  });
  // An example of dbcop's that PolySI's repository holds outside its histories.
  expect(different).toEqual(['PolySI-Artifacts/dbcop/histories/yaml/non_cc.yaml']);
  expect(new Set(manifest.datasets.map(({ id }) => id)).size).toBe(manifest.datasets.length);
});
