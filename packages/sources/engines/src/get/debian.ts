import { createHash } from 'node:crypto';
import { mkdir, readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type DebianOrigin, type Engine, nameOf } from '../engine/engine.ts';
import { EngineError } from '../engine/errors.ts';
import { kept } from './cache.ts';
import type { Getting } from './getting.ts';
import { run } from './run.ts';

/** Keeps a folder with Debian packages. */
export function fromDebian(engine: Engine, { packages }: DebianOrigin, getting: Getting): Promise<string> {
  return kept(engine, async (folder) => {
    const tree = join(folder, 'tree');
    await mkdir(tree, { mode: 0o755 });
    await unpack(engine, packages, folder, tree, getting);
    return tree;
  });
}

/** Downloads Debian packages and unpacks them into a folder, without installing them or running their scripts. */
export async function unpack(
  engine: Engine,
  packages: DebianOrigin['packages'],
  folder: string,
  tree: string,
  { signal, say }: Getting,
): Promise<void> {
  const files = join(folder, 'files');
  await mkdir(files);
  for (const { name, version, sha256 } of packages) {
    say?.(`apt-get downloads ${name} ${version}`);
    const before = new Set(await readdir(files));
    await run(engine, ['apt-get', 'download', `${name}=${version}`], { cwd: files, signal, error: /^E: .*$/m });
    const file = (await readdir(files)).find((one) => !before.has(one));
    const found = file === undefined ? 'nothing' : hashOf(await readFile(join(files, file)));
    if (file === undefined || found !== sha256)
      throw new EngineError(
        `The package ${name} ${version}, a part of ${nameOf(engine)}, has the checksum ${found}, expected ${sha256}. isolab does not run it.`,
      );
    await run(engine, ['dpkg', '-x', join(files, file), tree], { cwd: folder, signal });
  }
}

const hashOf = (content: Buffer): string => createHash('sha256').update(content).digest('hex');
