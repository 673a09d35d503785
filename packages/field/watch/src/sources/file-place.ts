import { createHash } from 'node:crypto';
import { closeSync, fstatSync, openSync, readSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { WatchError } from '../stream/errors.ts';
import { LINE_FEED } from '../stream/whole-lines.ts';

/** A position in a file that may be moved before reading continues. */
interface FilePlace {
  readonly inode: number;
  /** Offset after the last line that was taken. */
  readonly offset: number;
  /** Hash of the last bytes before the offset: the inodes of deleted files are reused. */
  readonly hash: string;
  /** Hash of all bytes before the offset; absent in positions from earlier versions. */
  readonly whole?: string;
  /**
   * Creation time of the file, which identifies it if nothing was read yet; absent in positions from earlier versions.
   */
  readonly born?: number;
}

/** The hash of a file from its first byte to the end of its last complete line. */
export class WholeHash {
  readonly #hash = createHash('sha256');
  #offset = 0;
  /** Pieces of the incomplete line. */
  #rest: Uint8Array[] = [];

  take(bytes: Uint8Array): void {
    const end = bytes.lastIndexOf(LINE_FEED) + 1;
    if (end > 0) {
      for (const piece of [...this.#rest.splice(0), bytes.subarray(0, end)]) {
        this.#hash.update(piece);
        this.#offset += piece.length;
      }
    }
    if (end < bytes.length) this.#rest.push(Buffer.from(bytes.subarray(end))); // a copy
  }

  get whole(): string {
    return this.#hash.copy().digest('hex').slice(0, 32);
  }

  /** Returns the position after the last complete line of an open file. */
  place(file: number): string {
    const { ino: inode, birthtimeMs: born } = fstatSync(file);
    const [offset, whole] = [this.#offset, this.whole];
    return JSON.stringify({ inode, offset, hash: hashBefore(file, offset), whole, born } satisfies FilePlace);
  }
}

/** An open file, and the position from which to continue. */
export interface Found {
  readonly file: number;
  readonly offset: number;
  readonly path: string;
  readonly hash: WholeHash;
}

/**
 * Finds the file that was read up to a position, and has the same bytes up to there. The search covers the same folder,
 * under the file's name or a name that it was moved to. Returns null if the signal is aborted first.
 */
export async function findPlace(path: string, text: string, signal: AbortSignal): Promise<Found | null> {
  const place = parsed(path, text);
  const isUnread = place.offset === 0;
  const moved = siblings(path).filter((one) => one.ino === place.inode && (!isUnread || one.born === place.born));
  const candidates = [path, ...moved.map((one) => one.path)];
  if (isUnread) candidates.reverse(); // every file matches a position at its beginning
  for (const candidate of candidates) {
    const file = openedAt(candidate, place);
    if (file === null) continue;
    const hash = await hashUpTo(file, place.offset, signal);
    if (hash !== null && (place.whole === undefined || hash.whole === place.whole)) {
      if (candidate !== path) insistOnOneMove(path, candidate, file);
      return { file, offset: place.offset, path: candidate, hash };
    }
    closeSync(file);
    if (hash === null) return null;
  }
  throw new WatchError(
    `${path} is not the file that was watched before, and no file beside it is; lines may be missing. Put the earlier file back, or watch in another folder.`,
  );
}

/** Returns null if the signal is aborted first: a file may be large. */
async function hashUpTo(file: number, offset: number, signal: AbortSignal): Promise<WholeHash | null> {
  const hash = new WholeHash();
  const room = Buffer.allocUnsafe(Math.min(offset, BLOCK_BYTES));
  for (let at = 0; at < offset;) {
    if (signal.aborted) return null;
    const count = readSync(file, room, 0, Math.min(room.length, offset - at), at);
    if (count === 0) break;
    hash.take(room.subarray(0, count));
    at += count;
    await setImmediate();
  }
  return hash;
}

function parsed(path: string, text: string): FilePlace {
  try {
    return JSON.parse(text) as FilePlace;
  } catch {
    throw new WatchError(`The earlier source of this folder is not a file, found ${path}; watch in another folder.`);
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

/** Otherwise a file written between the moved file and the current file would be missed. */
function insistOnOneMove(path: string, moved: string, file: number): void {
  const { mtimeMs, ino } = fstatSync(file);
  const later = siblings(path).find(
    (other) => other.ino !== ino && other.mtimeMs > mtimeMs && isNumberedLike(path, other.path),
  );
  if (later === undefined) return;
  closeSync(file);
  throw new WatchError(
    `${path} was moved to ${moved}, and ${later.path} was written later; it may contain unread lines. If it has none, move it to another folder; otherwise watch in another folder.`,
  );
}

function siblings(path: string): Sibling[] {
  const folder = dirname(path);
  return readdirSync(folder).flatMap((name) => {
    if (name === basename(path)) return [];
    const stat = statSync(join(folder, name), { throwIfNoEntry: false });
    if (!stat?.isFile()) return [];
    return [{ path: join(folder, name), ino: stat.ino, mtimeMs: stat.mtimeMs, born: stat.birthtimeMs }];
  });
}

interface Sibling {
  readonly path: string;
  readonly ino: number;
  readonly mtimeMs: number;
  readonly born: number;
}

/** Returns whether a name looks like the name of a rotated file: `history.jsonl.2`, `history-20261125.jsonl`. */
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
const BLOCK_BYTES = 1 << 22;
