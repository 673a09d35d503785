/**
 * Lists the histories of an archive: one line per history, with its checksum. A duplicate names the first history with
 * the same content.
 */
import { basename, dirname } from 'node:path';
import { checksumByGit, sha256OfBytes, sha256OfListing } from '../experiment/checksum.ts';
import { type Archive, type Listed, ruleFor } from '../datasets/catalogue.ts';
import type { Repository } from './repository.ts';

export async function listArchive(repository: Repository, archive: Archive): Promise<Listed[]> {
  const histories: Listed[] = [];
  const first = new Map<string, string>();
  for (const [path, files] of filesOfHistories(repository, archive)) {
    const { bytes, sha256 } = await contentOf(repository, files, path.endsWith('/'));
    histories.push({ path, bytes, sha256, sameAs: first.get(sha256) ?? null });
    if (!first.has(sha256)) first.set(sha256, path);
  }
  return histories;
}

/** Files of each history by path. The path of a history that is a folder ends in `/`. */
function filesOfHistories({ objects }: Repository, archive: Archive): Map<string, string[]> {
  const histories = new Map<string, string[]>();
  for (const path of [...objects.keys()].toSorted()) {
    const rule = ruleFor(archive, path);
    if (!rule || archive.leftOut.some((left) => path.startsWith(left.path))) continue;
    const history = rule.together ? `${dirname(path)}/` : path;
    const files = histories.get(history);
    if (files) files.push(path);
    else histories.set(history, [path]);
  }
  return histories;
}

async function contentOf(repository: Repository, paths: readonly string[], isFolder: boolean) {
  const files = paths.map((path) => ({ name: basename(path), object: repository.objects.get(path)! }));
  await repository.fetch(files.map(({ object }) => object));
  let bytes = 0;
  const listing: { name: string; sha256: string }[] = [];
  for (const { name, object } of files) {
    const content = await repository.read(object).catch(() => null);
    if (!content) return { bytes: null, sha256: checksumByGit(files, isFolder) };
    bytes += content.length;
    listing.push({ name, sha256: sha256OfBytes(content) });
  }
  return { bytes, sha256: isFolder ? sha256OfListing(listing) : listing[0]!.sha256 };
}
