import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { createHash } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { isolab } from './support/isolab.ts';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** A lab with one archive of `histories` small histories, a bare clone of it, and a cache of its own. */
function laboratory(histories: number, bytes?: number) {
  const base = mkdtempSync(join(tmpdir(), 'isolab-get-'));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const work = join(base, 'work');
  for (const folder of [work, join(base, 'benchmarks'), join(base, 'datasets', 'archives')])
    mkdirSync(folder, { recursive: true });
  const lines: string[] = [];
  for (let i = 0; i < histories; i++) {
    const text = `w(1,${i},0,0)\n`;
    writeFileSync(join(work, `h${i}.txt`), text);
    lines.push(`h${i}.txt\t${bytes ?? text.length}\t${sha256(text)}`);
  }
  const git = (...words: string[]): string =>
    execFileSync('git', ['-C', work, '-c', 'user.name=t', '-c', 'user.email=t@localhost', ...words], {
      encoding: 'utf8',
    });
  git('init', '-q');
  git('add', '.');
  git('commit', '-q', '-m', 'Histories');
  git('clone', '-q', '--bare', work, join(base, 'mirrors', 'some', 'body.git'));
  const archive = {
    name: 'mine',
    title: 'a test',
    prefix: 'Mine',
    repository: `file://${join(base, 'absent', 'some', 'body')}`,
    commit: git('rev-parse', 'HEAD').trim(),
    licence: 'MIT',
    root: '',
    rules: [{ under: 'h', ending: '.txt', format: 'text' }],
    leftOut: [],
  };
  writeFileSync(join(base, 'datasets', 'manifest.json'), JSON.stringify({ version: 1, datasets: [] }));
  writeFileSync(join(base, 'datasets', 'archives.json'), JSON.stringify({ archives: [archive] }));
  const list = join(base, 'datasets', 'archives', 'mine.txt');
  writeFileSync(list, `${lines.join('\n')}\n`);
  const before = process.env['ISOLAB_CACHE'];
  process.env['ISOLAB_CACHE'] = join(base, 'cache');
  onTestFinished(() => {
    if (before === undefined) delete process.env['ISOLAB_CACHE'];
    else process.env['ISOLAB_CACHE'] = before;
  });
  const mirror = ['--mirror', join(base, 'mirrors')];
  const datasets = (...words: string[]) => isolab('bench', 'datasets', ...words, '--root', base);
  const listed = (...words: string[]) => isolab('list', 'datasets', ...words, '--root', base);
  return { archive, list, mirror, datasets, listed };
}

test('one history is got by its id, with its place and its licence', async () => {
  const { datasets, mirror, archive } = laboratory(2);
  const { code, out } = await datasets('get', 'Mine/h1.txt', ...mirror);
  expect(code).toBe(0);
  const [, path] = /^Mine\/h1\.txt {2}(.+)\n {2}(.+), licence: MIT$/.exec(out) ?? [];
  expect(readFileSync(path!, 'utf8')).toBe('w(1,1,0,0)\n');
  expect(out).toContain(archive.repository);
});

test('an archive is got by its name, and a missing archive is a gap with exit code 2', async () => {
  const { datasets, mirror, list, archive } = laboratory(30);
  writeFileSync(list, `${readFileSync(list, 'utf8')}h-gone.txt\t1\t${sha256('gone')}\n`);
  const { code, out } = await datasets('get', 'mine', ...mirror);
  expect(code).toBe(2);
  expect(out).toBe(
    [
      'mine: 30 histories, 1 MB available',
      `  ${archive.repository}, licence: MIT`,
      'missing  Mine/h-gone.txt',
      `  ${archive.repository} has no h-gone.txt at commit ${archive.commit}; the manifest names a path that does not exist`,
      '',
      '30 of 31 are available. Repeat the command to continue; isolab list datasets shows the state of each.',
    ].join('\n'),
  );
  const again = await datasets('get', 'all', '--output', 'json', ...mirror);
  expect(again.code).toBe(2);
  expect(JSON.parse(again.out)).toMatchObject({ missing: [{ id: 'Mine/h-gone.txt' }] });
  expect((JSON.parse(again.out) as { datasets: object[] }).datasets.length).toBe(30);
  expect((await datasets('verify')).out).toBe('30 intact, 0 wrong, 1 absent');
});

test('more than 200 MB need a confirmation', async () => {
  const { datasets, mirror } = laboratory(3, 80e6);
  const { code, err } = await datasets('get', 'mine', ...mirror);
  expect(code).toBe(3);
  expect(err).toBe(
    'isolab: 3 histories of 240 MB would be downloaded, which exceeds 200 MB: confirm with --force, or name fewer datasets.',
  );
  expect((await datasets('get', 'mine', '--force', ...mirror)).code).toBe(0);
});

test('the list names archives, and their histories where it is asked', async () => {
  const { datasets, listed, mirror } = laboratory(3);
  await datasets('get', 'Mine/h0.txt', ...mirror);
  const { out } = await listed();
  expect(out).toMatch(/^0 datasets;/m);
  expect(out).toMatch(/^ {2}mine +3 +0 +1 +file:.*body +MIT$/m);
  expect((await listed('mine')).out).toMatch(/Mine\/h0\.txt +here .*\n +Mine\/h1\.txt +public/);
});

test.each([
  [['get'], 'Missing the datasets to get: name ids of datasets, archives (mine) or all.'],
  [['get', 'yours'], 'There is no dataset yours; isolab list datasets shows them all. The archives are mine.'],
])('%s is a wrong call', async (words, message) => {
  const { code, err } = await laboratory(1).datasets(...words);
  expect([code, err]).toEqual([3, `isolab: ${message}`]);
});
