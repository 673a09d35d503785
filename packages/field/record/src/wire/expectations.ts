import type { Statement } from './statement.ts';
import type { Meaning } from './names.ts';
import type { Recording, Run } from './recording.ts';

export type Kind =
  | 'query'
  | 'parse'
  | 'bind'
  | 'describe'
  | 'execute'
  | 'close'
  | 'sync'
  | 'function call'
  // Never answered: it marks the end of the client's data.
  | 'end of copied data';

/** A message of the client that the server has not yet answered. */
export interface Expected<S extends Statement> {
  readonly kind: Kind;
  readonly order: number;
  /** Executed statements: every statement of a query, one for an Execute; empty if the execution is not followed. */
  readonly runs: readonly Run<S>[];
  /** The statement that is parsed, bound, described or executed. */
  readonly statement: S | null;
  /** The meaning that the message gave to a name. */
  readonly meaning: Meaning<unknown> | null;
  done: number;
  /** Whether a ReadyForQuery may complete the message. */
  isAnswered: boolean;
  /**
   * Marks a Sync that the server ignores if it reads it during a COPY from the client; the proxy cannot see whether it
   * does.
   */
  isDoubtful: boolean;
}

/** The server's pending answers, in their order. */
export class Expectations<S extends Statement> {
  readonly #recording: Recording<S>;
  #queue: Expected<S>[] = [];
  #head = 0;
  #order = 0;
  /**
   * Whether the next message will be skipped, unless it is a Sync: after an error in the extended protocol, the server
   * skips everything up to a Sync.
   */
  isSkipping = false;
  /** Whether the server has answered everything and was last ready for a query, outside a failed transaction. */
  isAtRest = true;
  #isCopyingIn = false;
  /** Number of Syncs that were treated as skipped: as many additional answers may arrive. */
  #doubts = 0;

  constructor(recording: Recording<S>) {
    this.#recording = recording;
  }

  get order(): number {
    return this.#order + 1;
  }

  get first(): Expected<S> | null {
    return this.#queue[this.#head] ?? null;
  }

  /** The statements that the answers' text positions refer to. */
  get sent(): readonly S[] {
    const { first } = this;
    if (first === null) return NONE;
    if (first.kind === 'query') return first.runs.map(({ statement }) => statement);
    return first.statement === null ? NONE : [first.statement];
  }

  add(
    kind: Kind,
    runs: readonly Run<S>[] = NONE,
    statement: S | null = null,
    meaning: Meaning<unknown> | null = null,
  ): void {
    const expected = {
      kind,
      order: ++this.#order,
      runs,
      statement,
      meaning,
      done: 0,
      isAnswered: kind === 'sync',
      isDoubtful: kind === 'sync' && this.#isCopyingIn,
    };
    this.isAtRest = false;
    if (this.isSkipping && kind !== 'sync') {
      this.#passOver([expected], null, null);
      return;
    }
    this.isSkipping = false;
    this.#queue.push(expected);
  }

  /** Notes that the client has sent all data of a COPY, or has aborted it. */
  addEndOfData(): void {
    if (this.#isCopyingIn) this.#isCopyingIn = false;
    else if (this.first !== null) this.add('end of copied data');
  }

  /** Removes the first message, which has been answered. */
  shift(): void {
    this.#queue[this.#head] = undefined!;
    this.#head++;
    if (this.#head > 64 && 2 * this.#head > this.#queue.length) {
      this.#queue = this.#queue.slice(this.#head);
      this.#head = 0;
    }
    if (this.first?.kind === 'end of copied data') this.shift();
    else if (this.first === null) this.#clear();
  }

  /** Notes that the first message's COPY asks the client for data. Until the data ends, the server ignores Syncs. */
  copiesIn(): void {
    this.#isCopyingIn = true;
    for (let i = this.#head + 1; i < this.#queue.length; i++) {
      const next = this.#queue[i]!;
      if (next.kind === 'end of copied data') {
        this.#queue.splice(i, 1);
        this.#isCopyingIn = false;
        return;
      }
      next.isDoubtful = next.kind === 'sync';
    }
  }

  /** Notes the status of a ReadyForQuery. */
  isReady(status: 'I' | 'T' | 'E'): void {
    this.isAtRest = this.first === null && this.#doubts === 0 && status !== 'E';
  }

  /**
   * Notes that a command of the first message is complete: after a COPY, the server has read all data and the Syncs in
   * between.
   */
  completes(): void {
    this.#isCopyingIn = false;
    const first = this.first;
    if (first === null) return;
    first.isAnswered = true;
    if (first.done < first.runs.length) first.done++;
    if (first.kind !== 'execute') return;
    this.shift();
    while (this.first?.isDoubtful) this.shift();
  }

  /** Handles an answer other than ReadyForQuery: a Sync that may have been ignored was ignored. */
  dropDoubtful(): void {
    while (this.first?.isDoubtful === true) {
      this.#doubts++;
      this.shift();
    }
  }

  /** Notes that the first message failed, so that the rest of its extended-protocol run is skipped. */
  fails(code: string): void {
    this.#isCopyingIn = false;
    const failed = this.first!;
    failed.isAnswered = true;
    if (failed.kind === 'query' || failed.kind === 'function call') {
      failed.runs.slice(failed.done).forEach((run, i) => this.#recording.fails(run, i === 0 ? code : null));
      failed.done = failed.runs.length;
    } else if (failed.kind === 'sync') {
      this.#recording.failsToCommit(code);
    } else {
      this.#skip(code);
    }
  }

  /** Returns the message that a ReadyForQuery answers; null if no answer was due. */
  ready(): Expected<S> | null {
    if (this.first?.isDoubtful === true) this.#settleDoubt();
    const first = this.first;
    if (first?.isAnswered !== true || this.#isPartOfRun(first)) return null;
    this.shift();
    return first;
  }

  /** Returns whether an unexpected ReadyForQuery may belong to a Sync that the server did not ignore after all. */
  takesDoubt(): boolean {
    if (this.#doubts === 0) return false;
    this.#doubts--;
    return true;
  }

  #isPartOfRun({ kind }: Expected<S>): boolean {
    return kind !== 'query' && kind !== 'sync' && kind !== 'function call';
  }

  /** After a doubtful Sync and a certain one, the server has most likely seen only the certain one. */
  #settleDoubt(): void {
    let at = this.#head;
    while (this.#queue[at]?.isDoubtful === true || this.#queue[at]?.kind === 'end of copied data') at++;
    if (this.#queue[at]?.kind === 'sync') this.dropDoubtful();
  }

  #skip(code: string): void {
    const [failed] = this.#queue.slice(this.#head, this.#head + 1);
    let end = this.#head;
    while (end < this.#queue.length && this.#queue[end]!.kind !== 'sync') end++;
    const skipped = this.#queue.slice(this.#head, end);
    this.#head = end;
    this.isSkipping = this.first === null;
    if (this.first === null) this.#clear();
    this.#passOver(skipped, failed!.statement, code);
  }

  /** The error belongs to the first execution of the failed statement, even if the statement failed during parsing. */
  #passOver(skipped: readonly Expected<S>[], failed: S | null, code: string | null): void {
    let reason = code;
    for (const { kind, runs, statement } of skipped) {
      const isFailed = kind === 'execute' && statement === failed;
      for (const run of runs) this.#recording.fails(run, isFailed ? reason : null);
      if (isFailed) reason = null;
    }
    for (const { meaning } of skipped.toReversed()) meaning?.refuse();
  }

  #clear(): void {
    if (this.#queue.length > 0) this.#queue.length = 0;
    this.#head = 0;
  }
}

const NONE: readonly never[] = [];
