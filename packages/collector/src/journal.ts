import { closeSync, existsSync, fsyncSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';
import type { Answer, Key, Request, Row } from '@isolab/workloads';
import { CollectorError, type DataKind } from './database.ts';

export type Outcome = 'committed' | 'aborted' | 'unknown';

export interface Attempt {
  readonly session: string;
  readonly outcome: Outcome;
  readonly begin: bigint;
  /** Absent where the client never learned the outcome. */
  readonly end?: bigint;
  readonly operations: readonly string[];
}

/** What a file that is to be continued holds. */
export interface Earlier {
  readonly committed: number;
  readonly lastTime: bigint;
  /** How often it was continued before. */
  readonly continued: number;
}

/**
 * The history file, in isolab's own format: a line as soon as a transaction is over, so that whatever happens leaves a
 * history that can be read.
 */
export class Journal {
  readonly #file: number;
  #unsynced = 0;

  private constructor(file: number) {
    this.#file = file;
  }

  static create(path: string, database: string, data: DataKind): Journal {
    const header = {
      isolab: 'history',
      version: 1,
      database,
      initial: data === 'registers' ? 0 : null,
      times: 'nanoseconds',
    };
    const journal = new Journal(openSync(path, 'w'));
    journal.#write(JSON.stringify(header));
    return journal;
  }

  /** Opens a file that an earlier run left, cutting off a line that it could not finish. */
  static continue(path: string): { readonly journal: Journal; readonly earlier: Earlier } {
    const text = readFileSync(path, 'utf8');
    const complete = text.slice(0, text.lastIndexOf('\n') + 1);
    const [header, ...lines] = complete.trimEnd().split('\n');
    if (!header?.startsWith('{"isolab":"history"'))
      throw new CollectorError(`${path} was not written by isolab collect; it cannot be continued.`);
    let committed = 0;
    let lastTime = 0n;
    let continued = 0;
    for (const line of lines) {
      const { status, session, begin, end } = JSON.parse(line) as Record<string, unknown>;
      if (status === undefined) committed++;
      const time = BigInt((end ?? begin) as number);
      if (time > lastTime) lastTime = time;
      continued = Math.max(continued, Number(/^(\d+)\./.exec(String(session))?.[1] ?? 0));
    }
    const file = openSync(path, 'r+');
    ftruncateSync(file, Buffer.byteLength(complete));
    closeSync(file);
    return { journal: new Journal(openSync(path, 'a')), earlier: { committed, lastTime, continued: continued + 1 } };
  }

  static canContinue = (path: string): boolean => existsSync(path);

  add({ session, outcome, begin, end, operations }: Attempt): void {
    const status = outcome === 'committed' ? '' : `"status":"${outcome}",`;
    const returned = end === undefined ? '' : `"end":${end},`;
    this.#write(`{"session":"${session}",${status}"begin":${begin},${returned}"ops":[${operations.join(',')}]}`);
    if (++this.#unsynced >= LINES_A_SYNC) this.sync();
  }

  /** What is written is on the disk. */
  sync(): void {
    fsyncSync(this.#file);
    this.#unsynced = 0;
  }

  close(): void {
    this.sync();
    closeSync(this.#file);
  }

  #write(line: string): void {
    writeSync(this.#file, `${line}\n`);
  }
}

const LINES_A_SYNC = 1000;

/** What was asked and answered, as the format has it. */
export function operationOf(request: Exclude<Request, { kind: 'abort' }>, answer: Answer, data: DataKind): string {
  const absent = data === 'registers' ? 0 : null;
  switch (request.kind) {
    case 'read':
      return entry('r', request.key, (answer as number | null) ?? absent);
    case 'write':
      return entry('w', request.key, request.value);
    case 'append':
      return entry('append', request.key, request.value);
    case 'read-list':
      return entry('r', request.key, answer as readonly number[]);
    case 'insert':
    case 'delete': {
      // An insert that finds a row, and a delete that finds none, only read.
      const [found] = answer as readonly Row[];
      const isLive = found !== undefined && !found.dead;
      if (isLive === (request.kind === 'insert')) return entry('r', request.key, found?.value ?? absent);
      const remark = found?.dead ? ['tombstone'] : [];
      return entry(request.kind, request.key, found?.value ?? absent, request.value, ...remark);
    }
    case 'range': {
      const rows = (answer as readonly Row[]).map(({ key, value, dead }) => [key, value, ...(dead ? ['dead'] : [])]);
      return JSON.stringify(['range', request.low, request.high, rows]);
    }
    case 'compare-and-set':
      return entry('cas', request.key, request.expected ?? absent, request.value, ...(answer ? [] : ['failed']));
  }
}

const entry = (kind: string, key: Key, ...rest: readonly unknown[]): string => JSON.stringify([kind, key, ...rest]);
