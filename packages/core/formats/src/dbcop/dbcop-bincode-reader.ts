import { type History, HistoryBuilder } from '@isolab/history';
import { FallibleTransactions } from './dbcop-transactions.ts';
import { FormatError, mismatch, quoteBytes, unexpected } from '../files/errors.ts';
import type { ReadOptions } from '../format/format.ts';
import type { ByteStream } from '../files/input.ts';
import { UnsignedIds, joinUnsigned } from '../syntax/unsigned.ts';

/**
 * The default layout that Rust's bincode 1 gives to dbcop's history: unsigned little-endian
 * integers of 8 bytes; booleans of one byte; strings and sequences, each after its length.
 *
 *     file        := id, n_node, n_variable, n_transaction, n_event; string info, start, end; sequence of session
 *     session     := sequence of transaction
 *     transaction := sequence of event; bool success
 *     event       := bool write; variable; value; bool success
 *
 * The reader uses only `info`, the database, from the header: the five parameters and the two times add nothing to the
 * sessions (and have other meanings in converted files).
 */
const PARAMETER_BYTES = 40;
export const COUNT_BYTES = 8;
const EVENT_BYTES = 18;
/** Offsets of the fields of an event. */
const VARIABLE = 1;
const VALUE = 9;
export const SUCCESS = 17;

export class BincodeReader {
  readonly #file: string;
  readonly #builder: HistoryBuilder;
  readonly #txns: FallibleTransactions;
  readonly #keys: UnsignedIds;
  readonly #values: UnsignedIds;
  #stage: Stage = 'header';
  #session = -1;
  #sessionsLeft = 0;
  #txnsLeft = 0;
  #eventsLeft = 0;
  #readTo = 0; // number of bytes of the file read so far
  #base = 0; // added to an index into the window to get the byte in the file

  constructor({ name, share }: ByteStream, options: ReadOptions) {
    this.#file = name;
    this.#builder = new HistoryBuilder({
      format: 'dbcop-bincode',
      file: name,
      unit: 'byte',
      opStride: EVENT_BYTES,
      initial: 0n,
      share,
    });
    this.#txns = new FallibleTransactions(this.#builder, options, 'by stride');
    this.#keys = new UnsignedIds(this.#builder.keys);
    this.#values = new UnsignedIds(this.#builder.values);
  }

  read(bytes: Uint8Array, start: number, end: number, last: boolean): number {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#base = this.#readTo - start;
    let at = start;
    for (let next = this.#step(bytes, view, at, end); next > at; next = this.#step(bytes, view, at, end)) at = next;
    this.#readTo = this.#base + at;
    if (this.#stage === 'end' ? at < end : last) this.#failAtEnd(bytes, at, end);
    return at;
  }

  finish(): History {
    return this.#builder.finish();
  }

  /** Reads one more part and returns its end, or `at` itself if the part is not complete yet. */
  #step(bytes: Uint8Array, view: DataView, at: number, end: number): number {
    switch (this.#stage) {
      case 'header':
        return this.#readHeader(bytes, at, end);
      case 'session':
        if (end - at < COUNT_BYTES) return at;
        this.#txnsLeft = this.#count(view, at, 'transactions');
        this.#session = this.#builder.sessions.integer(0, this.#session + 2); // counted from 1
        this.#sessionsLeft--;
        this.#stage = this.#afterTransaction();
        return at + COUNT_BYTES;
      case 'transaction':
        return this.#readTransactions(bytes, view, at, end);
      case 'events':
        return this.#readEvents(bytes, view, at, end);
      case 'end':
        return at;
    }
  }

  #readHeader(bytes: Uint8Array, at: number, end: number): number {
    const header = readHeader(bytes.subarray(at, end));
    if (header === null) return at;
    if ('problem' in header) throw new FormatError(this.#file, `byte ${this.#base + at + header.at}`, header.problem);
    this.#txns.database(header.info);
    this.#sessionsLeft = header.sessions;
    this.#stage = header.sessions > 0 ? 'session' : 'end';
    return at + header.length;
  }

  /** Reads complete transactions, and the beginning of an incomplete transaction. */
  #readTransactions(bytes: Uint8Array, view: DataView, at: number, end: number): number {
    while (this.#stage === 'transaction' && end - at >= COUNT_BYTES) {
      this.#eventsLeft = this.#count(view, at, 'events');
      at += COUNT_BYTES;
      this.#txns.begin(this.#session, this.#base + at);
      this.#stage = 'events';
      at = this.#readEvents(bytes, view, at, end);
    }
    return at;
  }

  #readEvents(bytes: Uint8Array, view: DataView, at: number, end: number): number {
    const txns = this.#txns;
    const keys = this.#keys;
    const values = this.#values;
    let left = this.#eventsLeft;
    for (; left > 0 && at + EVENT_BYTES <= end; left--, at += EVENT_BYTES) {
      const write = bytes[at]; // happens to be the OpKind too
      const success = bytes[at + SUCCESS];
      if ((write | success) > 1)
        this.#failFlag(bytes, write > 1 ? at : at + SUCCESS, write > 1 ? 'a write' : 'successful');
      if (success === 0) {
        txns.failedOp();
        continue;
      }
      const key = keys.id(view.getInt32(at + VARIABLE + 4, true), view.getInt32(at + VARIABLE, true));
      const value = values.id(view.getInt32(at + VALUE + 4, true), view.getInt32(at + VALUE, true));
      txns.op(write, key, value, this.#base + at);
    }
    this.#eventsLeft = left;
    if (left > 0 || at === end) return at;

    if (bytes[at] > 1) this.#failFlag(bytes, at, 'a committed transaction');
    txns.end(bytes[at] === 1);
    this.#txnsLeft--;
    this.#stage = this.#afterTransaction();
    return at + 1;
  }

  #afterTransaction(): Stage {
    return this.#txnsLeft > 0 ? 'transaction' : this.#sessionsLeft > 0 ? 'session' : 'end';
  }

  #count(view: DataView, at: number, what: string): number {
    const count = readCount(view, at, what);
    if (typeof count === 'string') throw new FormatError(this.#file, `byte ${this.#base + at}`, count);
    return count;
  }

  #failFlag(bytes: Uint8Array, at: number, what: string): never {
    throw unexpected(this.#file, `byte ${this.#base + at}`, `the byte ${bytes[at]}`, `1 for ${what} or 0`);
  }

  #failAtEnd(bytes: Uint8Array, at: number, end: number): void {
    const fail = (position: number | null, found: string, expected: string): never => {
      throw unexpected(this.#file, position === null ? null : `byte ${position}`, found, expected);
    };
    if (this.#stage === 'end')
      fail(this.#readTo, `${quoteBytes(bytes, at, end)} after the last session`, 'the end of the file');
    const length = this.#base + end;
    if (length === 0) fail(null, 'an empty file', 'a history of dbcop');
    fail(length, 'the end of the file', this.#missing());
  }

  #missing(): string {
    switch (this.#stage) {
      case 'session':
        return countMore(this.#sessionsLeft, 'session');
      case 'transaction':
        return `${countMore(this.#txnsLeft, 'transaction')} of session ${this.#session + 1}`;
      case 'events':
        return this.#eventsLeft > 0
          ? `${countMore(this.#eventsLeft, 'event')} of a transaction`
          : 'the outcome of the transaction';
      default:
        return 'the rest of the header';
    }
  }
}

/**
 * Next part of the file: the number of sessions, of transactions in a session, or of events in a transaction; or the
 * events.
 */
type Stage = 'header' | 'session' | 'transaction' | 'events' | 'end';

export interface Header {
  readonly info: string;
  readonly sessions: number;
  readonly length: number;
}

/** Reads the header and the number of sessions at the beginning of a file. Returns null when they are incomplete. */
export function readHeader(bytes: Uint8Array): Header | { readonly at: number; readonly problem: string } | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const strings: string[] = [];
  let at = PARAMETER_BYTES;
  for (const what of ['info', 'start', 'end']) {
    if (bytes.length < at + COUNT_BYTES) return null;
    const stated = view.getBigUint64(at, true);
    const length = Number(stated);
    if (length > LONGEST_STRING) {
      return {
        at,
        problem: mismatch(`${stated} bytes of '${what}'`, `at most ${LONGEST_STRING}; is this a history of dbcop?`),
      };
    }
    at += COUNT_BYTES;
    if (bytes.length < at + length) return null;
    const text = decodeStrictly(bytes.subarray(at, at + length));
    if (text === null) return { at, problem: mismatch(quoteBytes(bytes, at, at + length), `'${what}' in UTF-8`) };
    strings.push(text);
    at += length;
  }
  if (bytes.length < at + COUNT_BYTES) return null;
  const sessions = readCount(view, at, 'sessions');
  if (typeof sessions === 'string') return { at, problem: sessions };
  return { info: strings[0], sessions, length: at + COUNT_BYTES };
}

/** Reads a count that a History can hold, or returns the problem with it. */
export function readCount(view: DataView, at: number, what: string): number | string {
  const lo = view.getInt32(at, true);
  const hi = view.getInt32(at + 4, true);
  return hi === 0 && lo >= 0 ? lo : mismatch(`${joinUnsigned(hi, lo)} ${what}`, `at most ${MOST}`);
}

function decodeStrictly(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

const countMore = (count: number, what: string): string => `${count} more ${what}${count === 1 ? '' : 's'}`;

const MOST = 2 ** 31 - 1;
/** Far longer than any name of a database. Limits the bytes held before the first session. */
const LONGEST_STRING = 4096;
