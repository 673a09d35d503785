import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { unless } from '@isolab/needs';
import { describe, expect, onTestFinished, test } from 'vitest';
import { listFile, parseList, readArchives } from '../src/datasets/catalogue.ts';
import { listArchive } from '../src/archives/list.ts';
import { Repository, mirrorOf } from '../src/archives/repository.ts';
import type { PublicFile } from '../src/datasets/manifest.ts';
import { readManifest } from '../src/datasets/read-manifest.ts';

/** A folder of bare clones, `OWNER+NAME/repo` or `OWNER/NAME.git`; the public datasets are looked up in those it has. */
const mirrors = process.env['ISOLAB_MIRRORS'];
const folder = fileURLToPath(new URL('../../../../datasets/', import.meta.url));
const { datasets } = readManifest(folder);

const byCommit = new Map<string, { repository: string; commit: string; files: PublicFile[] }>();
for (const { source } of datasets) {
  if (source.kind !== 'public') continue;
  const { repository, commit, files } = source;
  const known = byCommit.get(repository + commit) ?? { repository, commit, files: [] };
  known.files.push(...files);
  byCommit.set(repository + commit, known);
}

describe.each([...byCommit.values()])('the datasets of $repository', ({ repository, commit, files }) => {
  const mirror = mirrorOf(mirrors, repository);

  test(`the datasets are at commit ${commit.slice(0, 7)}`, unless('mirrors', mirror !== null), () => {
    expect(wrongAt(mirror!, commit, files)).toEqual([]);
  });
});

describe.each(readArchives(folder))('the list of $name', (archive) => {
  const mirror = mirrorOf(mirrors, archive.repository);

  test('the list has the histories of its mirror', unless('mirrors', mirror !== null), async () => {
    const cache = mkdtempSync(join(tmpdir(), 'isolab-mirrors-'));
    onTestFinished(() => rmSync(cache, { recursive: true, force: true }));
    const repository = await Repository.open(archive, { cache, mirror: mirrors! });
    const held = await listArchive(repository, archive);
    await repository.close();
    const file = listFile(folder, archive);
    const listed = parseList(readFileSync(file, 'utf8'), file);
    expect(listed.map(({ path }) => path)).toEqual(held.map(({ path }) => path));
    // A repository that one of the two does not know has another checksum.
    const isKnown = (i: number): boolean => held[i]!.bytes !== null && listed[i]!.bytes !== null;
    expect(listed.filter(({ sha256 }, i) => isKnown(i) && sha256 !== held[i]!.sha256)).toEqual([]);
  });
});

/** The files that the commit does not have, or has with another content. */
function wrongAt(mirror: string, commit: string, files: readonly PublicFile[]): string[] {
  const output = execFileSync('git', ['-C', mirror, 'cat-file', '--batch'], {
    input: files.map(({ path }) => `${commit}:${path}\n`).join(''),
    maxBuffer: 2 ** 30,
  });
  const wrong: string[] = [];
  let at = 0;
  for (const { path, sha256 } of files) {
    const end = output.indexOf('\n', at);
    const [, kind, size] = output.toString('utf8', at, end).split(' ');
    at = end + 1;
    if (kind !== 'blob') {
      wrong.push(`${path} is missing`);
      continue;
    }
    const content = output.subarray(at, at + Number(size));
    if (createHash('sha256').update(content).digest('hex') !== sha256) wrong.push(`${path} has another content`);
    at += Number(size) + 1;
  }
  return wrong;
}
