import { Exchange, OpKind } from '@isolab/history';
import { type TableRequest, isTableRequest } from '../workload/table.ts';
import { ParameterError } from '../workload/parameters.ts';
import {
  type Answer,
  type Program,
  type Request,
  type StatementRequest,
  type WorkloadRow,
  type Transaction,
  isStatementRequest,
} from '../workload/workload.ts';
import { ABSENT, type Attempt, type SimulatedEngine, ownWrite } from './engine.ts';
import type { Recorder } from './recorder.ts';
import { DUPLICATE, RowAttempt, type Rows } from './rows.ts';

/** Simulated session, which runs its transactions one request at a time. */
export class Client {
  readonly #index: number;
  readonly #engine: SimulatedEngine;
  readonly #recorder: Recorder;
  readonly #rows: Rows;
  readonly #next: () => Transaction;
  #transaction: Transaction | null = null;
  #program: Program | null = null;
  #attempt: Attempt | null = null;
  #rowAttempt: RowAttempt | null = null;
  #answer: Answer = undefined;
  #wait: Extract<Request, { kind: 'wait' }> | null = null;
  /** Next request of the program, if BEGIN is sent separately. */
  #held: ReturnType<Program['next']> | null = null;

  constructor(index: number, engine: SimulatedEngine, recorder: Recorder, rows: Rows, next: () => Transaction) {
    this.#index = index;
    this.#engine = engine;
    this.#recorder = recorder;
    this.#rows = rows;
    this.#next = next;
  }

  /** Executes one request. Returns the outcome of the transaction if it has ended. */
  step(time: number, options: StepOptions): 'running' | 'committed' | 'aborted' | 'unknown' {
    if (this.#program === null) {
      this.#transaction ??= this.#next();
      this.#program = this.#transaction();
      this.#answer = undefined;
    }
    if (this.#wait?.isOver() === false) return 'running';
    const next = this.#held ?? this.#program.next(this.#answer);
    const { done, value: request } = next;
    this.#held = null;
    this.#answer = undefined;
    this.#wait = !done && request.kind === 'wait' ? request : null;
    if (this.#wait) return 'running';
    this.#recorder.asks(this.#index, time);
    if (this.#attempt === null) {
      this.#attempt = this.#engine.begin(this.#index);
      this.#recorder.begin(this.#index);
      if (options.beginsApart?.() === true) {
        this.#held = next;
        return 'running';
      }
    }
    if (!done && request.kind !== 'abort' && request.kind !== 'wait') {
      if (isStatementRequest(request))
        throw new ParameterError(`The simulated database does not support the statement ${request.kind}.`);
      const answer = isTableRequest(request) ? this.#askOfRows(request) : this.#ask(request);
      if (answer === DUPLICATE) return this.#end(true, options);
      this.#answer = answer;
      this.#recorder.answers(this.#index);
      return 'running';
    }
    return this.#end(!done || options.gaveUp(), options);
  }

  #end(givesUp: boolean, { retry, isUnknown, later }: StepOptions): 'committed' | 'aborted' | 'unknown' {
    const attempt = this.#attempt!;
    const rows = this.#rowAttempt;
    const commit = (): boolean => {
      this.#notePhantoms(attempt, rows);
      const committed = this.#engine.commit(attempt);
      if (!committed) this.#engine.abort(attempt);
      return committed;
    };
    const lost = !givesUp && isUnknown();
    let outcome: 'committed' | 'aborted' | 'unknown' = lost ? 'unknown' : 'aborted';
    if (givesUp || lost === 'before') this.#engine.abort(attempt);
    else if (lost === 'later') later!(commit);
    else if (commit() && !lost) outcome = 'committed';
    const stated = outcome === 'committed' ? (this.#engine.stated?.(attempt) ?? null) : null;
    this.#recorder.end(this.#index, outcome, givesUp, stated);
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

  /** Rows that now match an earlier request count as read, so that a database that validates reads notices them. */
  #notePhantoms(attempt: Attempt, rows: RowAttempt | null): void {
    const engine = this.#engine;
    if (!rows || !engine.newest) return;
    for (const { key, isNew } of rows.matchingNow((row) => engine.newest!(row))) {
      attempt.readKeys.push(key);
      if (isNew) engine.missed?.(attempt);
    }
  }

  #ask(request: Exclude<Request, TableRequest | StatementRequest | { kind: 'abort' | 'wait' }>): Answer {
    const recorder = this.#recorder;
    const index = this.#index;
    switch (request.kind) {
      case 'read': {
        const key = recorder.key(request.key);
        const found = recorder.isCounter(key) ? this.#lookAtList(key) : this.#look(key);
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
      case 'increment': {
        const key = recorder.counter(request.key);
        this.#append(key, request.value);
        recorder.increment(index, request.key, request.value);
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

  /** An insert that finds a row only reads, and so does a delete that finds no row. */
  #exchange(request: Extract<Request, { kind: 'insert' | 'delete' }>): Answer {
    const key = this.#recorder.key(request.key);
    const found = this.#look(key);
    const inserts = request.kind === 'insert';
    const answer: readonly WorkloadRow[] =
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

  #range(low: number, high: number): readonly WorkloadRow[] {
    const rows: (WorkloadRow & { readonly key: number })[] = [];
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
  /** Whether an aborted transaction is retried until it commits. */
  readonly retry: boolean;
  /** Returns whether the client gives up at the end of this transaction. */
  gaveUp(): boolean;
  /**
   * Returns whether the connection is lost during the commit, and if so, whether the database commits before or after
   * that, or much later.
   */
  isUnknown(): false | 'before' | 'after' | 'later';
  /** Runs a commit long after the client has continued. */
  later?(commit: () => void): void;
  /** Returns whether BEGIN is sent separately instead of together with the first operation. */
  beginsApart?(): boolean;
}
