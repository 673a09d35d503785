import type { PublicFile } from './manifest.ts';
/** A folder of histories with arbitrary names: files are matched by size and checksum. */

type Wanted = Omit<PublicFile, 'path'>;
import { type Dirent, existsSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { sha256OfFile } from '../experiment/checksum.ts';

export class LocalFolder {
  readonly #bySize = new Map<number, string[]>();
  readonly #checksums = new Map<string, Promise<string>>();

  constructor(folder: string | undefined) {
    if (folder === undefined || !existsSync(folder)) return;
    for (const path of filesBelow(folder)) {
      const { size } = statSync(path);
      const others = this.#bySize.get(size);
      if (others) others.push(path);
      else this.#bySize.set(size, [path]);
    }
  }

  /** Returns the file with this content, or null. */
  async findFile(wanted: Omit<Wanted, 'name'>): Promise<string | null> {
    for (const path of this.#bySize.get(wanted.bytes) ?? [])
      if ((await this.#checksum(path)) === wanted.sha256) return path;
    return null;
  }

  /** Returns a directory that holds all these files under their names, or null. */
  async findDirectory(files: readonly Wanted[]): Promise<string | null> {
    const [first] = files;
    if (!first) return null;
    for (const path of this.#bySize.get(first.bytes) ?? []) {
      if (basename(path) !== first.name) continue;
      const folder = dirname(path);
      if (await this.#holds(folder, files)) return folder;
    }
    return null;
  }

  async #holds(folder: string, files: readonly Wanted[]): Promise<boolean> {
    for (const { name, sha256, bytes } of files) {
      const path = join(folder, name);
      if (!this.#bySize.get(bytes)?.includes(path) || (await this.#checksum(path)) !== sha256) return false;
    }
    return true;
  }

  #checksum(path: string): Promise<string> {
    let known = this.#checksums.get(path);
    if (!known) this.#checksums.set(path, (known = sha256OfFile(path)));
    return known;
  }
}

function* filesBelow(folder: string): Generator<string> {
  let entries: Dirent[];
  try {
    entries = readdirSync(folder, { withFileTypes: true });
  } catch {
    return; // an unreadable file
  }
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesBelow(path);
    else if (entry.isFile()) yield path;
  }
}
