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
import { absentIn } from './recorded.ts';
import type { FaultKind, FaultOptions } from '../faults/schedule.ts';

export type AttemptOutcome = 'committed' | 'aborted' | 'unknown';

/** A transaction with the requests that were answered until now. */
export interface Attempt {
  readonly session: string;
  /** Level that it states, by the name of the database; absent if all transactions have one level. */
  readonly level?: string | null;
  /** Time before BEGIN was sent. */
  readonly begin: bigint;
  /** Time after the first answer that proves that the snapshot exists; null before that answer. */
  readonly begun: bigint | null;
  /** Time before COMMIT was sent; null if it was not sent. */
  readonly committing: bigint | null;
  readonly operations: readonly string[];
}

/** Header data that a later run needs to continue the collection. */
export interface Collected {
  /** Number that the database stores too, as a mark that its tables belong to this history. */
  readonly run: number;
  readonly isolation: string;
  /** Level that the database claims to provide under that name. */
  readonly claims?: string;
  readonly data: DataKind;
  /** Layout of keys in tables, in the words of the user; the plain layout if absent. */
  readonly layout?: string;
}

export interface Node {
  readonly database: string;
  readonly sessions: readonly number[];
}

export interface Circumstances {
  /** isolab's names of the levels that transactions state. */
  readonly levels?: Readonly<Record<string, string>> | null;
  readonly nodes?: readonly Node[];
  readonly faults?: FaultOptions;
}

/** A fault as the history records it. */
export interface BegunFault {
  /** Number of the fault within the run. */
  readonly id: number;
  readonly kind: FaultKind;
  readonly node?: number;
  readonly delayMs?: number;
  /** Planned duration. */
  readonly lastsMs: number;
  readonly begin: bigint;
}

/** Contents of a history file to continue. */
export interface Earlier {
  readonly collected: Collected;
  /** Number of transactions committed by sessions, without those that filled the database. */
  readonly committed: number;
  readonly lastTime: bigint;
  /** Number of earlier continuations. */
  readonly continued: number;
  /** Whether all initial data were committed. */
  readonly isLoaded: boolean;
}

/**
 * History file in isolab's own format. A transaction is written before its COMMIT, with an unknown outcome; the outcome
 * follows as soon as it is known. The history is therefore correct whenever the collector ends. Each line is written in
 * a single system call, so it survives if the process is killed. Only a crash of the machine may lose the last lines,
 * and the lock file reveals such a crash.
 */
export class Journal {
  readonly #path: string;
  readonly #lock: Lock;
  #file = -1;
  /** Position after the last complete line. */
  #end = 0;
  #unsynced = 0;
  #broken: Error | null = null;
  /** Random number in the header and in the tables of the history. */
  run = 0;

  private constructor(path: string) {
    this.#path = path;
    this.#lock = lock(path);
  }

  /** Reserves the file. Only {@link begin} or {@link continue} creates or changes it. */
  static reserve(path: string): Journal {
    if (existsSync(path) && !statSync(path).isFile())
      throw new CollectorError(
        `${path} is not a regular file; isolab collect needs one, because it writes the history while it collects.`,
      );
    // A file has one lock, under all of its names.
    return new Journal(existsSync(path) ? realpathSync(path) : join(realpathSync(dirname(path)), basename(path)));
  }

  /** Writes the header of a new file. */
  begin(database: string, collected: Collected, { levels, ...more }: Circumstances = {}): void {
    const existed = existsSync(this.#path);
    this.#file = openSync(this.#path, 'w', PRIVATE);
    this.run = collected.run;
    const initial = absentIn(collected.data);
    try {
      this.#write(
        JSON.stringify({
          isolab: 'history',
          version: 2,
          database,
          initial,
          times: 'nanoseconds',
          ...(levels && { levels }),
          collected: { ...collected, ...more },
        }),
      );
    } catch (error) {
      if (!existed) unlinkSync(this.#path);
      throw error;
    }
    this.#sync();
  }

  /** Returns the contents of the file from earlier runs, without a change to the file. */
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

  /** Continues after the last complete line. Call {@link earlier} first. */
  continue(): void {
    this.#file = openSync(this.#path, 'r+');
    ftruncateSync(this.#file, this.#end);
    this.#write(MARKS.resumed);
  }

  /** Writes the outcome of the session's last transaction, which was added with an unknown outcome. */
  settle(session: string, outcome: 'committed' | 'aborted', end: bigint): void {
    this.#write(`{"outcome":"${outcome}","session":"${session}","end":${end}}`);
  }

  /** Adds a transaction that has ended, or a transaction of unknown outcome, which has no end. */
  add({ session, level = null, operations, ...times }: Attempt, outcome: AttemptOutcome, end: bigint | null): void {
    let line = `{"session":"${session}"`;
    if (outcome !== 'committed') line += `,"status":"${outcome}"`;
    if (level !== null) line += `,"level":${JSON.stringify(level)}`;
    line += `,"begin":${times.begin}`;
    if (times.begun !== null) line += `,"begun":${times.begun}`;
    if (times.committing !== null) line += `,"committing":${times.committing}`;
    if (end !== null) line += `,"end":${end}`;
    this.#write(`${line},"ops":[${operations.join(',')}]}`);
  }

  faultBegins({ begin, ...fault }: BegunFault): void {
    this.#write(`${JSON.stringify({ isolab: 'fault', ...fault }).slice(0, -1)},"begin":${begin}}`);
  }

  faultEnds(id: number, end: bigint): void {
    this.#write(`{"isolab":"fault","id":${id},"end":${end}}`);
  }

  end(): void {
    this.#write(MARKS.end);
  }

  /** Marks the history as unusable, with the reason. */
  spoil(why: string): void {
    this.#write(JSON.stringify({ isolab: 'spoiled', why }));
  }

  /** Closes the file and ignores all later writes. Fails if the file was moved or removed. */
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

  /** Writes a complete line or, if that fails, no part of it. */
  #write(line: string): void {
    if (this.#broken) throw this.#broken;
    const text = `${line}\n`;
    try {
      const length = Buffer.byteLength(text);
      const written = writeSync(this.#file, text, this.#end);
      if (written < length) this.#writeFrom(written, Buffer.from(text));
      this.#end += length;
      if (++this.#unsynced >= LINES_A_SYNC) this.#sync();
    } catch (error) {
      this.#broken = this.#failed(error as NodeJS.ErrnoException);
      throw this.#broken;
    }
  }

  /** Writes the bytes of a line that a system call left. */
  #writeFrom(start: number, bytes: Buffer): void {
    for (let at = start; at < bytes.length;) at += writeSync(this.#file, bytes, at, bytes.length - at, this.#end + at);
  }

  /** Removes the part of a line that was written. */
  #failed({ code, message }: NodeJS.ErrnoException): Error {
    try {
      ftruncateSync(this.#file, this.#end);
    } catch {
      // Readers skip the rest of the line, because it has no line break.
    }
    const why = FULL.has(code ?? '') ? 'no space left on the device' : message;
    return new CollectorError(
      `${this.#path} cannot be written: ${why}. The part written so far can be read; fix the problem and continue with --resume.`,
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
    if (line.text === MARKS.end) continue; // a continued run replaces the end mark
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
    // reported below
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

const DATA: ReadonlySet<string> = new Set<DataKind>(['registers', 'counters', 'lists', 'rows', 'tables']);

/** Yields the complete lines of a file, each with the position after it. */
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
