import { closeSync, existsSync, fsyncSync, openSync, readFileSync, readSync, renameSync, writeSync } from 'node:fs';
import { atFile } from '../stream/errors.ts';

/** Single lines of deleted segments, each preceded by its number and a space. */
export class KeptLines {
  readonly #path: string;
  /** The start and end of each line in the file, by line number. */
  #places = new Map<number, readonly [from: number, to: number]>();

  constructor(path: string) {
    this.#path = path;
    if (existsSync(path)) this.#read(readFileSync(path));
  }

  #read(bytes: Buffer): void {
    this.#places = new Map();
    for (let at = 0; at < bytes.length;) {
      const end = bytes.indexOf(LINE_FEED, at) + 1;
      const from = bytes.indexOf(BLANK, at) + 1;
      this.#places.set(Number(bytes.toString('latin1', at, from - 1)), [from, end]);
      at = end;
    }
  }

  line(number: number): Uint8Array | null {
    const place = this.#places.get(number);
    return place === undefined ? null : readPart(this.#path, place[0], place[1] - place[0]);
  }

  /** Keeps only these lines. A process killed during the write leaves the previous lines. */
  replace(numbers: readonly number[], lineOf: (number: number) => Uint8Array): void {
    const bytes = Buffer.concat(numbers.flatMap((number) => [Buffer.from(`${number} `), lineOf(number)]));
    atFile(this.#path, () => {
      replaceFile(this.#path, bytes, true);
    });
    this.#read(bytes);
  }
}

export function readPart(path: string, from: number, size: number): Buffer {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(size);
    readSync(file, bytes, 0, size, from);
    return bytes;
  } finally {
    closeSync(file);
  }
}

/**
 * Replaces a file, readable only by its owner, atomically: a process killed during the write leaves the previous file;
 * with `isSynced`, so does a power failure.
 */
export function replaceFile(path: string, bytes: Uint8Array, isSynced: boolean): void {
  const file = openSync(`${path}.new`, 'w', 0o600);
  try {
    for (let written = 0; written < bytes.length;) written += writeSync(file, bytes, written);
    if (isSynced) fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(`${path}.new`, path);
}

const LINE_FEED = 10;
const BLANK = 32;
