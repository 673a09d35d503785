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
  // No answer comes to it: it marks where the client ended its data.
  | 'end of copied data';

/** A message of the client that is still to be answered. */
export interface Expected<S extends Statement> {
  readonly kind: Kind;
  readonly order: number;
  /** Statements that are executed: each one of a query, one of an Execute; empty where it is not followed. */
  readonly runs: readonly Run<S>[];
  /** The statement that is parsed, bound, described or executed. */
  readonly statement: S | null;
  /** Meaning that the message gave to a name. */
  readonly meaning: Meaning<unknown> | null;
  /** Number of finished runs. */
  done: number;
  /** Whether a ReadyForQuery may end it. */
  isAnswered: boolean;
  /** A Sync that the server passes over if it reads it while data are copied to it, which cannot be seen from here. */
  isDoubtful: boolean;
}

/** The server's answers that are due, in the order in which it gives them. */
export class Expectations<S extends Statement> {
  readonly #recording: Recording<S>;
  #queue: Expected<S>[] = [];
  #head = 0;
  #order = 0;
  /**
   * Whether a message that is sent now is passed over, unless it is a Sync: after an error in the extended protocol,
   * the server passes over everything up to a Sync.
   */
  isSkipping = false;
  #isCopyingIn = false;
  /** Syncs that were treated as passed over: that many answers more may come. */
  #doubts = 0;

  constructor(recording: Recording<S>) {
    this.#recording = recording;
  }

  /** The order of the message that is sent next. */
  get order(): number {
    return this.#order + 1;
  }

  get first(): Expected<S> | null {
    return this.#queue[this.#head] ?? null;
  }

  /** The statements whose text the answers are about. */
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
    if (this.isSkipping && kind !== 'sync') {
      this.#passOver([expected], null, null);
      return;
    }
    this.isSkipping = false;
    this.#queue.push(expected);
  }

  /** The client has sent all data of a COPY, or gives up sending them. */
  addEndOfData(): void {
    if (this.#isCopyingIn) this.#isCopyingIn = false;
    else if (this.first !== null) this.add('end of copied data');
  }

  /** The first one is answered. */
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

  /** The first one asks the client for data. Until they end, the server passes over Syncs. */
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

  /** A command of the first one is complete: if it copied, the server has read all data, and the Syncs among them. */
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

  /** An answer came that is not ReadyForQuery: a Sync that may have been passed over was passed over. */
  dropDoubtful(): void {
    while (this.first?.isDoubtful === true) {
      this.#doubts++;
      this.shift();
    }
  }

  /** The first one failed, so the rest of its run of the extended protocol is skipped. */
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

  /** The one that a ReadyForQuery answers; null where none was due. */
  ready(): Expected<S> | null {
    if (this.first?.isDoubtful === true) this.#settleDoubt();
    const first = this.first;
    if (first?.isAnswered !== true || this.#isPartOfRun(first)) return null;
    this.shift();
    return first;
  }

  /** Returns whether a ReadyForQuery too many may have come because the server did not pass over a Sync after all. */
  takesDoubt(): boolean {
    if (this.#doubts === 0) return false;
    this.#doubts--;
    return true;
  }

  #isPartOfRun({ kind }: Expected<S>): boolean {
    return kind !== 'query' && kind !== 'sync' && kind !== 'function call';
  }

  /** After a doubtful Sync and a certain one, the server has most likely seen the certain one only. */
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

  /** The error is that of the first execution of the statement that failed, even if it failed when it was parsed. */
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
