import { createHash } from 'node:crypto';
import { closeSync, fstatSync, openSync, readSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import { WatchError } from '../errors.ts';

/** A place in a file that may be moved away before it is gone on from. */
interface FilePlace {
  readonly inode: number;
  /** Behind the last line that was taken. */
  readonly offset: number;
  /** Of what stands before it: inodes are given to other files once theirs is deleted. */
  readonly hash: string;
}

/** The place behind so many bytes of an open file. */
export function placeIn(file: number, offset: number): string {
  return JSON.stringify({ inode: fstatSync(file).ino, offset, hash: hashBefore(file, offset) } satisfies FilePlace);
}

/** A file that is open, and where to go on in it. */
export interface Found {
  readonly file: number;
  readonly offset: number;
  /** The name that it has now. */
  readonly path: string;
}

/** Finds the file that was read up to a place, under its name or the one that it was moved to, in the same folder. */
export function findPlace(path: string, text: string): Found {
  const place = parsed(path, text);
  for (const candidate of [
    path,
    ...siblings(path)
      .filter(({ ino }) => ino === place.inode)
      .map((one) => one.path),
  ]) {
    const file = openedAt(candidate, place);
    if (file === null) continue;
    if (candidate !== path) insistOnOneMove(path, candidate, file);
    return { file, offset: place.offset, path: candidate };
  }
  throw new WatchError(
    `${path} is not the file that was watched before, and that one is not beside it under another name; lines may be missing. Put it back, or watch in another folder.`,
  );
}

function parsed(path: string, text: string): FilePlace {
  try {
    return JSON.parse(text) as FilePlace;
  } catch {
    throw new WatchError(`What was watched before ${path} in the same folder was no file; watch in another folder.`);
  }
}

function openedAt(path: string, { offset, hash }: FilePlace): number | null {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch {
    return null;
  }
  if (fstatSync(file).size >= offset && hashBefore(file, offset) === hash) return file;
  closeSync(file);
  return null;
}

/** A file that was written between the one that was moved away and the one that has its name now would be left out. */
function insistOnOneMove(path: string, moved: string, file: number): void {
  const { mtimeMs, ino } = fstatSync(file);
  const later = siblings(path).find(
    (other) => other.ino !== ino && other.mtimeMs > mtimeMs && isNumberedLike(path, other.path),
  );
  if (later === undefined) return;
  closeSync(file);
  throw new WatchError(
    `${path} was moved to ${moved}, and ${later.path} was written after that; nobody knows whether it has lines that come in between. Move it to another folder if it has none; else watch in another folder.`,
  );
}

/** The other files of its folder. */
function siblings(path: string): { readonly path: string; readonly ino: number; readonly mtimeMs: number }[] {
  const folder = dirname(path);
  return readdirSync(folder).flatMap((name) => {
    if (name === basename(path)) return [];
    const stat = statSync(join(folder, name), { throwIfNoEntry: false });
    return stat?.isFile() ? [{ path: join(folder, name), ino: stat.ino, mtimeMs: stat.mtimeMs }] : [];
  });
}

/** Whether a name is one that files are moved to: `history.jsonl.2`, `history-20261125.jsonl`. */
function isNumberedLike(path: string, other: string): boolean {
  const stem = basename(path, extname(path));
  const name = basename(other);
  return name.startsWith(stem) && /\d/.test(name.slice(stem.length));
}

function hashBefore(file: number, offset: number): string {
  const bytes = Buffer.alloc(Math.min(offset, HASHED_BYTES));
  readSync(file, bytes, 0, bytes.length, offset - bytes.length);
  return createHash('sha256').update(bytes).digest('hex').slice(0, 16);
}

const HASHED_BYTES = 4096;
