import { Exchange, OpKind } from '@isolab/history';
import { type TableRequest, isTableRequest } from '../tables/table.ts';
import type { Answer, Program, Request, Row, Transaction } from '../workload.ts';
import { ABSENT, type Attempt, type Engine, ownWrite } from './engine.ts';
import type { Recorder } from './recorder.ts';
import { DUPLICATE, RowAttempt, type Rows } from './rows.ts';

/** One session of the simulation: goes through its transactions, a request at a time. */
export class Client {
  readonly #index: number;
  readonly #engine: Engine;
  readonly #recorder: Recorder;
  readonly #rows: Rows;
  readonly #next: () => Transaction;
  #transaction: Transaction | null = null;
  #program: Program | null = null;
  #attempt: Attempt | null = null;
  #rowAttempt: RowAttempt | null = null;
  #answer: Answer = undefined;
  #wait: Extract<Request, { kind: 'wait' }> | null = null;

  constructor(index: number, engine: Engine, recorder: Recorder, rows: Rows, next: () => Transaction) {
    this.#index = index;
    this.#engine = engine;
    this.#recorder = recorder;
    this.#rows = rows;
    this.#next = next;
  }

  /** One request; says what became of the transaction if it is over. */
  step(time: number, options: StepOptions): 'running' | 'committed' | 'aborted' | 'unknown' {
    if (this.#program === null) {
      this.#transaction ??= this.#next();
      this.#program = this.#transaction();
      this.#answer = undefined;
    }
    if (this.#wait?.isOver() === false) return 'running';
    const { done, value: request } = this.#program.next(this.#answer);
    this.#answer = undefined;
    this.#wait = !done && request.kind === 'wait' ? request : null;
    if (this.#wait) return 'running';
    if (this.#attempt === null) {
      this.#attempt = this.#engine.begin(this.#index);
      this.#recorder.begin(this.#index, time);
    }
    if (!done && request.kind !== 'abort' && request.kind !== 'wait') {
      const answer = isTableRequest(request) ? this.#askOfRows(request) : this.#ask(request);
      if (answer === DUPLICATE) return this.#end(time, true, options);
      this.#answer = answer;
      return 'running';
    }
    return this.#end(time, !done || options.gaveUp(), options);
  }

  #end(time: number, givesUp: boolean, { retry, isUnknown }: StepOptions): 'committed' | 'aborted' | 'unknown' {
    const attempt = this.#attempt!;
    const lost = !givesUp && isUnknown();
    let outcome: 'committed' | 'aborted' | 'unknown';
    if (givesUp || lost === 'before') {
      this.#engine.abort(attempt);
      outcome = lost ? 'unknown' : 'aborted';
    } else {
      this.#notePhantoms(attempt);
      const committed = this.#engine.commit(attempt);
      if (!committed) this.#engine.abort(attempt);
      outcome = lost ? 'unknown' : committed ? 'committed' : 'aborted';
    }
    const stated = outcome === 'committed' ? (this.#engine.stated?.(attempt) ?? null) : null;
    this.#recorder.end(this.#index, outcome, time, stated);
    if (outcome !== 'aborted' || givesUp || !retry) this.#transaction = null;
    this.#program = null;
    this.#attempt = null;
    this.#rowAttempt = null;
    return outcome;
  }

  #askOfRows(request: TableRequest): Answer | typeof DUPLICATE {
    this.#rowAttempt ??= new RowAttempt(this.#rows, this.#recorder, this.#attempt!, {
      look: (key) => this.#look(key),
      write: (key, value) => this.#write(key, value),
    });
    return this.#rowAttempt.ask(request);
  }

  /** Rows that came to match what was asked for count as read, so that a database which validates reads finds out. */
  #notePhantoms({ readKeys }: Attempt): void {
    const engine = this.#engine;
    if (!this.#rowAttempt || !engine.newest) return;
    for (const key of this.#rowAttempt.matchingNow((row) => engine.newest!(row))) readKeys.push(key);
  }

  #ask(request: Exclude<Request, TableRequest | { kind: 'abort' | 'wait' }>): Answer {
    const recorder = this.#recorder;
    const index = this.#index;
    switch (request.kind) {
      case 'read': {
        const key = recorder.key(request.key);
        const found = this.#look(key);
        recorder.operation(index, OpKind.Read, key, Math.abs(found));
        return found > ABSENT ? found : null;
      }
      case 'write': {
        const key = recorder.key(request.key);
        this.#write(key, request.value);
        recorder.operation(index, OpKind.Write, key, request.value);
        return undefined;
      }
      case 'append': {
        const key = recorder.key(request.key);
        this.#append(key, request.value);
        recorder.operation(index, OpKind.Append, key, request.value);
        return undefined;
      }
      case 'read-list': {
        const key = recorder.key(request.key);
        recorder.listRead(index, key, this.#lookAtList(key));
        return undefined;
      }
      case 'insert':
      case 'delete':
        return this.#exchange(request);
      case 'range':
        return this.#range(request.low, request.high);
      case 'compare-and-set': {
        const key = recorder.key(request.key);
        const expected = request.expected ?? ABSENT;
        const succeeds = this.#look(key) === expected;
        if (succeeds) this.#write(key, request.value);
        const flags = succeeds ? 0 : Exchange.Failed;
        recorder.exchange(index, OpKind.CompareAndSet, key, expected, request.value, flags);
        return succeeds;
      }
    }
  }

  /** An insert that finds a row, and a delete that finds none, only read. */
  #exchange(request: Extract<Request, { kind: 'insert' | 'delete' }>): Answer {
    const key = this.#recorder.key(request.key);
    const found = this.#look(key);
    const inserts = request.kind === 'insert';
    const answer: readonly Row[] =
      found === ABSENT ? [] : [{ key: request.key, value: Math.abs(found), dead: found < ABSENT }];
    if (found > ABSENT === inserts) {
      this.#recorder.operation(this.#index, OpKind.Read, key, Math.abs(found));
      return answer;
    }
    this.#write(key, inserts ? request.value : -request.value);
    const kind = inserts ? OpKind.Insert : OpKind.Delete;
    const flags = found < ABSENT ? Exchange.FoundTombstone : 0;
    this.#recorder.exchange(this.#index, kind, key, Math.abs(found), request.value, flags);
    return answer;
  }

  #range(low: number, high: number): readonly Row[] {
    const rows: (Row & { readonly key: number })[] = [];
    const recorded: { key: number; value: number; dead: boolean }[] = [];
    for (let number = low; number <= high; number++) {
      const key = this.#recorder.key(number);
      const found = this.#look(key);
      if (found === ABSENT) continue;
      const row = { value: Math.abs(found), dead: found < ABSENT };
      rows.push({ key: number, ...row });
      recorded.push({ key, ...row });
    }
    this.#recorder.range(this.#index, low, high, recorded);
    return rows;
  }

  #look(key: number): number {
    const own = ownWrite(this.#attempt!, key);
    return own < 0 ? this.#engine.read(this.#attempt!, key) : (this.#attempt!.written[own] as number);
  }

  #lookAtList(key: number): number {
    const committed = this.#engine.read(this.#attempt!, key);
    const own = ownWrite(this.#attempt!, key);
    return own < 0 ? committed : this.#recorder.extend(key, committed, this.#attempt!.written[own] as number[]);
  }

  #write(key: number, value: number): void {
    const attempt = this.#attempt!;
    const own = ownWrite(attempt, key);
    if (own < 0) {
      attempt.writtenKeys.push(key);
      attempt.written.push(value);
    } else {
      attempt.written[own] = value;
    }
    this.#engine.wrote(attempt, key);
  }

  #append(key: number, value: number): void {
    const attempt = this.#attempt!;
    const own = ownWrite(attempt, key);
    if (own >= 0) {
      (attempt.written[own] as number[]).push(value);
    } else {
      attempt.writtenKeys.push(key);
      attempt.written.push([value]);
    }
    this.#engine.wrote(attempt, key);
  }
}

export interface StepOptions {
  /** Whether an aborted transaction is attempted again, until it commits. */
  readonly retry: boolean;
  /** Whether the client gives up at the end of this transaction. */
  gaveUp(): boolean;
  /** Whether the connection is lost while committing, and before or after the database did so. */
  isUnknown(): false | 'before' | 'after';
}
