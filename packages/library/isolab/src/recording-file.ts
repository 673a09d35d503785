import { PRIVATE } from '@isolab/formats';
import { closeSync, openSync, writeSync } from 'node:fs';
import type { TransactionTime } from '@isolab/history';

/** A key, a value or the name of a session. Numbers must be integers; null means no value, as in the initial state. */
export type Plain = string | number | bigint | null;

/**
 * The file of a recorder, in isolab's own format. A transaction is written before it commits, with an unknown outcome,
 * and its outcome follows as soon as it is known. The history is therefore correct whenever the process ends.
 */
export class RecordingFile {
  readonly #path: string;
  #descriptor: number;
  #why = 'it is closed';

  constructor(path: string, initial: bigint | null, drift: number) {
    this.#path = path;
    this.#descriptor = openNew(path);
    this.add(
      `{"isolab":"history","version":2,"initial":${initial},"times":"nanoseconds"${drift > 0 ? `,"drift":${drift}` : ''},"recorded":{"by":"isolab library"}}`,
    );
  }

  /** Writes a line in a single system call, so that it survives if the process is killed. */
  add(line: string): void {
    if (this.#descriptor < 0) throw new Error(`${this.#path} cannot be written: ${this.#why}.`);
    const bytes = Buffer.from(`${line}\n`);
    try {
      for (let done = 0; done < bytes.length;) done += writeSync(this.#descriptor, bytes, done);
    } catch (error) {
      // Readers skip an incomplete last line, but no further line may follow it.
      this.#why = (error as Error).message;
      this.#close();
      throw new Error(`${this.#path} cannot be written: ${this.#why}. Its content so far can be read.`, {
        cause: error,
      });
    }
  }

  end(): void {
    this.add('{"isolab":"end"}');
    this.#close();
  }

  #close(): void {
    closeSync(this.#descriptor);
    this.#descriptor = -1;
  }
}

function openNew(path: string): number {
  try {
    return openSync(path, 'wx', PRIVATE);
  } catch (error) {
    const isThere = (error as NodeJS.ErrnoException).code === 'EEXIST';
    throw new Error(
      isThere ? `${path} exists, but a recorder needs a new file; name another path.` : (error as Error).message,
      { cause: error },
    );
  }
}

export class RecordedLine {
  readonly #file: RecordingFile;
  readonly #session: string;
  readonly #times = new Map<TransactionTime, bigint>();
  readonly #operations: string[] = [];
  /** Whether the line was written, with an unknown outcome. */
  isOpen = false;

  constructor(file: RecordingFile, session: Plain) {
    this.#file = file;
    this.#session = spell(session);
  }

  time(field: TransactionTime, time: bigint): void {
    this.#times.set(field, time);
  }

  /** Adds an operation; `value` is a value or a list, or undefined if it is unknown. */
  op(kind: string, key: Plain, value: Plain | readonly Plain[] | undefined): void {
    const unknown = kind === 'list' ? '{"unknown":"list"}' : '{"unknown":"value"}';
    const spelled =
      value === undefined ? unknown : isList(value) ? `[${value.map((each) => spell(each)).join()}]` : spell(value);
    this.#operations.push(`["${kind === 'list' ? 'r' : kind}",${spell(key)},${spelled}]`);
  }

  /** Writes the transaction before its outcome is known. */
  open(): void {
    this.#write('unknown');
    this.isOpen = true;
  }

  end(outcome: 'committed' | 'aborted'): void {
    if (!this.isOpen) this.#write(outcome);
    else this.#file.add(`{"outcome":"${outcome}","session":${this.#session}${this.#spelled(['end'])}}`);
  }

  #write(status: string): void {
    const times = this.#spelled(['begin', 'begun', 'committing', 'end']);
    this.#file.add(`{"session":${this.#session},"status":"${status}"${times},"ops":[${this.#operations.join()}]}`);
  }

  #spelled(fields: readonly TransactionTime[]): string {
    return fields.map((field) => (this.#times.has(field) ? `,"${field}":${this.#times.get(field)}` : '')).join('');
  }
}

const isList = (value: Plain | readonly Plain[]): value is readonly Plain[] => Array.isArray(value);
const spell = (value: Plain): string => (typeof value === 'bigint' ? value.toString() : JSON.stringify(value));
