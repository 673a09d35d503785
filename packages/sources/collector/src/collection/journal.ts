import { PRIVATE } from '@isolab/formats';
import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readSync,
  realpathSync,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { DataKind } from '../database/database.ts';
import { CollectorError } from '../database/errors.ts';
import { type Lock, lock } from './lock.ts';
import type { FaultKind, FaultOptions } from '../faults/schedule.ts';

export type AttemptOutcome = 'committed' | 'aborted' | 'unknown';

/** A transaction as far as it went. */
export interface Attempt {
  readonly session: string;
  /** Before BEGIN was sent. */
  readonly begin: bigint;
  /** Time after the answer that proves that its snapshot was taken; null before that. */
  readonly begun: bigint | null;
  /** Before COMMIT was sent; null where it was not. */
  readonly committing: bigint | null;
  readonly operations: readonly string[];
}

/** Header data of a collection that are needed to continue it. */
export interface Collected {
  /** Stands in the database, too: it is the history of these tables and of no others. */
  readonly run: number;
  readonly isolation: string;
  /** The level that the database claims by that name. */
  readonly claims?: string;
  readonly data: DataKind;
  /** How keys lie in tables, in the words of the user; the plain way if absent. */
  readonly layout?: string;
}

export interface Node {
  readonly database: string;
  readonly sessions: readonly number[];
}

/** Further header data of a collection. */
export interface Circumstances {
  readonly nodes?: readonly Node[];
  readonly faults?: FaultOptions;
}

/** A fault, as the history has it. */
export interface BegunFault {
  /** Its number within the run. */
  readonly id: number;
  readonly kind: FaultKind;
  readonly node?: number;
  readonly delayMs?: number;
  /** Time that it was to last. */
  readonly lastsMs: number;
  readonly begin: bigint;
}

/** Contents of a file that is to be continued. */
export interface Earlier {
  readonly collected: Collected;
  /** Number of transactions that sessions committed; those that filled the database do not count. */
  readonly committed: number;
  readonly lastTime: bigint;
  /** Number of times that it was continued before. */
  readonly continued: number;
  /** Whether all initial data was committed. */
  readonly isLoaded: boolean;
}

/**
 * History file, in isolab's own format. A transaction is written before it commits, as one of unknown outcome. Its
 * outcome follows as soon as it is known. So the history is right at any end of the collector. A line is written with
 * one call to the system, which keeps it when the process is killed. The last lines may be lost only when the machine
 * itself goes down, which the lock file shows.
 */
export class Journal {
  readonly #path: string;
  readonly #lock: Lock;
  #file = -1;
  /** Position after the last whole line. */
  #end = 0;
  #unsynced = 0;
  #broken: Error | null = null;
  /** Stands in the header, and in the tables of the history. */
  run = 0;

  private constructor(path: string) {
    this.#path = path;
    this.#lock = lock(path);
  }

  /** Reserves the file, which is neither made nor changed before {@link begin} or {@link continue}. */
  static reserve(path: string): Journal {
    if (existsSync(path) && !statSync(path).isFile())
      throw new CollectorError(
        `${path} is not a regular file; isolab collect writes the history to a file as it grows.`,
      );
    // One file has one lock, under all of its names.
    return new Journal(existsSync(path) ? realpathSync(path) : join(realpathSync(dirname(path)), basename(path)));
  }

  /** Writes the file from its start. */
  begin(database: string, collected: Collected, more: Circumstances = {}): void {
    const existed = existsSync(this.#path);
    this.#file = openSync(this.#path, 'w', PRIVATE);
    this.run = collected.run;
    const initial = collected.data === 'registers' ? 0 : null;
    try {
      this.#write(
        JSON.stringify({
          isolab: 'history',
          version: 2,
          database,
          initial,
          times: 'nanoseconds',
          collected: { ...collected, ...more },
        }),
      );
    } catch (error) {
      if (!existed) unlinkSync(this.#path);
      throw error;
    }
    this.#sync();
  }

  /** Returns the contents of the file from an earlier run. Changes nothing. */
  earlier(): Earlier {
    if (this.#lock.outlivedMachine)
      throw new CollectorError(
        `The machine went down while ${this.#path} was being collected, so its last transactions may be missing. Start over with --force.`,
      );
    const earlier = readEarlier(this.#path);
    this.#end = earlier.end;
    this.run = earlier.collected.run;
    return earlier;
  }

  /** Continues after the last whole line, after {@link earlier}. */
  continue(): void {
    this.#file = openSync(this.#path, 'r+');
    ftruncateSync(this.#file, this.#end);
    this.#write(MARKS.resumed);
  }

  /** Writes the outcome of the session's transaction, which was added as one of unknown outcome. */
  settle(session: string, outcome: 'committed' | 'aborted', end: bigint): void {
    this.#write(`{"outcome":"${outcome}","session":"${session}","end":${end}}`);
  }

  /** A transaction that is over, or of unknown outcome: then it has no end. */
  add({ session, operations, ...times }: Attempt, outcome: AttemptOutcome, end: bigint | null): void {
    const status = outcome === 'committed' ? '' : `,"status":"${outcome}"`;
    const time = (field: string, value: bigint | null): string => (value === null ? '' : `,"${field}":${value}`);
    const inner = time('begun', times.begun) + time('committing', times.committing);
    this.#write(
      `{"session":"${session}"${status},"begin":${times.begin}${inner}${time('end', end)},"ops":[${operations.join(',')}]}`,
    );
  }

  /** Something is done to the database. */
  faultBegins({ begin, ...fault }: BegunFault): void {
    this.#write(`${JSON.stringify({ isolab: 'fault', ...fault }).slice(0, -1)},"begin":${begin}}`);
  }

  faultEnds(id: number, end: bigint): void {
    this.#write(`{"isolab":"fault","id":${id},"end":${end}}`);
  }

  /** Records that the history is complete. */
  end(): void {
    this.#write(MARKS.end);
  }

  /** Marks the contents of the file as meaningless. */
  spoil(why: string): void {
    this.#write(JSON.stringify({ isolab: 'spoiled', why }));
  }

  /** Closes the file; nothing that comes later is written. Fails if the file is no longer where it was. */
  close(): void {
    this.#broken ??= new CollectorError(`${this.#path} is closed.`);
    try {
      if (this.#file < 0) return;
      this.#sync();
      const { ino, dev } = fstatSync(this.#file);
      closeSync(this.#file);
      const now = existsSync(this.#path) ? statSync(this.#path) : null;
      if (now?.ino !== ino || now.dev !== dev)
        throw new CollectorError(
          `${this.#path} was removed or replaced while isolab was writing it; the history is lost.`,
        );
    } finally {
      this.#file = -1;
      this.#lock.release();
    }
  }

  #sync(): void {
    fsyncSync(this.#file);
    this.#unsynced = 0;
  }

  /** Writes a line, or nothing of it. */
  #write(line: string): void {
    if (this.#broken) throw this.#broken;
    const bytes = Buffer.from(`${line}\n`);
    try {
      for (let written = 0; written < bytes.length;)
        written += writeSync(this.#file, bytes, written, bytes.length - written, this.#end + written);
      this.#end += bytes.length;
      if (++this.#unsynced >= LINES_A_SYNC) this.#sync();
    } catch (error) {
      this.#broken = this.#failed(error as NodeJS.ErrnoException);
      throw this.#broken;
    }
  }

  /** Cuts off the written part of a line. */
  #failed({ code, message }: NodeJS.ErrnoException): Error {
    try {
      ftruncateSync(this.#file, this.#end);
    } catch {
      // The rest of the line has no end. Readers leave it out.
    }
    const why = FULL.has(code ?? '') ? 'no space left on the device' : message;
    return new CollectorError(
      `${this.#path} cannot be written: ${why}. What it holds so far can be read; fix the problem and continue with --resume.`,
    );
  }
}

const LINES_A_SYNC = 1000;
const FULL: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);
const MARKS = { resumed: '{"isolab":"resumed"}', end: '{"isolab":"end"}' } as const;

function readEarlier(path: string): Earlier & { readonly end: number } {
  const lines = wholeLines(path);
  const header = lines.next();
  const collected = header.done ? null : collectedIn(header.value.text);
  if (header.done || collected === null)
    throw new CollectorError(`${path} was not written by this version of isolab collect, so it cannot be continued.`);
  let { end } = header.value;
  let committed = 0;
  let lastTime = 0n;
  let continued = 0;
  let isLoaded = false;
  let number = 1;
  for (const line of lines) {
    number++;
    if (line.text === MARKS.end) continue; // it is no longer the end
    end = line.end;
    const { isolab, outcome, status, session, ...fields } = parsed(path, number, line.text);
    if (isolab === 'spoiled') throw new CollectorError(`${path} can no longer be used. Start over with --force.`);
    if (isolab === 'resumed') continued++;
    if (isolab !== undefined) continue;
    for (const time of [fields['begin'], fields['begun'], fields['committing'], fields['end']])
      if (Number.isSafeInteger(time) && BigInt(time as number) > lastTime) lastTime = BigInt(time as number);
    if (/^(\d+\.)?(load|final)/.test(String(session))) continue;
    isLoaded = true;
    if (outcome === 'committed' || (outcome === undefined && status === undefined)) committed++;
  }
  return { collected, committed, lastTime, continued: continued + 1, isLoaded, end };
}

function parsed(path: string, number: number, text: string): Record<string, unknown> {
  try {
    const line: unknown = JSON.parse(text);
    if (typeof line === 'object' && line !== null) return line as Record<string, unknown>;
  } catch {
    // said below
  }
  throw new CollectorError(
    `${path}, line ${number}: found ${text.slice(0, 60)}, expected a line written by isolab collect.`,
  );
}

function collectedIn(header: string): Collected | null {
  try {
    const { isolab, collected } = JSON.parse(header) as { isolab?: unknown; collected?: Partial<Collected> };
    const { run, isolation, data } = collected ?? {};
    const isOurs = isolab === 'history' && Number.isSafeInteger(run) && typeof isolation === 'string';
    return isOurs && DATA.has(data ?? '') ? (collected as Collected) : null;
  } catch {
    return null;
  }
}

const DATA: ReadonlySet<string> = new Set<DataKind>(['registers', 'lists', 'rows', 'tables']);

/** The lines of a file that have an end, each with the place after it. */
function* wholeLines(path: string): Generator<{ readonly text: string; readonly end: number }, void> {
  const file = openSync(path, 'r');
  try {
    let pending = Buffer.alloc(0);
    const chunk = Buffer.alloc(CHUNK_BYTES);
    let end = 0;
    for (let filled = readSync(file, chunk); filled > 0; filled = readSync(file, chunk)) {
      const bytes = Buffer.concat([pending, chunk.subarray(0, filled)]);
      let at = 0;
      for (let feed = bytes.indexOf(LINE_FEED); feed >= 0; feed = bytes.indexOf(LINE_FEED, at)) {
        end += feed + 1 - at;
        yield { text: bytes.toString('utf8', at, feed), end };
        at = feed + 1;
      }
      pending = Buffer.from(bytes.subarray(at));
    }
  } finally {
    closeSync(file);
  }
}

const LINE_FEED = 10;
const CHUNK_BYTES = 1 << 20;
