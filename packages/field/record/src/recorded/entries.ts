import { closeSync, openSync, readSync, rmSync } from 'node:fs';
import { Journal } from './journal.ts';

/** The writes of one committed transaction, according to the log. */
export interface Entry {
  readonly xid: number;
  /** Position of the commit in the log. */
  readonly lsn: number;
  readonly puts: readonly LogPut[];
  /** Whether the transaction wrote too many rows to keep them. */
  readonly isLarge?: boolean;
}

/**
 * A version of a row, in log order; null if the row was deleted. For the transaction's first version of a row, the
 * known writer of the replaced version follows, and that version if it is wanted.
 */
export type LogPut = readonly [
  table: string,
  key: string | number,
  row: object | null,
  replacedBy?: number | null,
  replaced?: object | null,
];

/** The entries in a file beside the recording, with the position of each entry. */
export class Entries {
  readonly path: string;
  readonly #journal: Journal;
  readonly #firstXid: number;
  /** The position of each entry plus one, indexed by the difference between its number and the first number. */
  #places = new Float64Array(1024);
  #end = 0;
  #descriptor: number | null = null;
  count = 0;

  constructor(path: string, firstXid: number) {
    this.path = path;
    this.#journal = new Journal(path);
    this.#firstXid = firstXid;
  }

  /** Adds an entry, given as JSON text. */
  add(xid: number, text: string): void {
    const i = this.#indexOf(xid);
    if (i >= this.#places.length) {
      const longer = new Float64Array(Math.max(i + 1, 2 * this.#places.length));
      longer.set(this.#places);
      this.#places = longer;
    }
    this.#places[i] = this.#end + 1;
    this.#end += Buffer.byteLength(text) + 1;
    this.#journal.add(`${text}\n`);
    this.count++;
  }

  has(xid: number): boolean {
    return this.#placeOf(xid) > 0;
  }

  /** Ends writing: all entries can be read now. */
  close(): void {
    this.#journal.close();
    this.#descriptor = openSync(this.path, 'r');
  }

  entryOf(xid: number): Entry | null {
    const place = this.#placeOf(xid);
    return place > 0 ? (JSON.parse(this.#lineAt(place - 1)) as Entry) : null;
  }

  *[Symbol.iterator](): Generator<Entry> {
    for (let at = 0; at < this.#end;) {
      const line = this.#lineAt(at);
      at += Buffer.byteLength(line) + 1;
      yield JSON.parse(line) as Entry;
    }
  }

  remove(): void {
    if (this.#descriptor !== null) closeSync(this.#descriptor);
    rmSync(this.path, { force: true });
  }

  #indexOf(xid: number): number {
    return (xid - this.#firstXid) >>> 0; // transaction numbers wrap around
  }

  #placeOf(xid: number): number {
    return this.#places[this.#indexOf(xid)] ?? 0;
  }

  #lineAt(start: number): string {
    const parts: Buffer[] = [];
    for (let at = start; ;) {
      const part = Buffer.allocUnsafe(4096 << Math.min(8, parts.length));
      const size = readSync(this.#descriptor!, part, 0, part.length, at);
      const end = part.subarray(0, size).indexOf(LINE_FEED);
      parts.push(part.subarray(0, end < 0 ? size : end));
      if (end >= 0 || size === 0) return Buffer.concat(parts).toString();
      at += size;
    }
  }
}

const LINE_FEED = 10;
