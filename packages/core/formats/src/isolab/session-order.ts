import type { BuilderPart } from '@isolab/history';
import type { FieldReader } from './isolab-fields.ts';

/** Outcome that a line states for the last transaction of a session. */
export interface LateOutcome {
  readonly session: number;
  readonly status: number;
  readonly end: bigint | null;
  readonly number: number | null;
}

/** Facts about the sessions in one part of a file. */
export interface SessionsPart {
  /** Outcomes of transactions in an earlier part. */
  readonly late: readonly LateOutcome[];
  readonly open: readonly (number | undefined)[];
  readonly first: readonly (number | undefined)[];
  readonly last: readonly (number | undefined)[];
}

/** A later part of a file, for the reader of the earlier part. */
export interface IsolabPart {
  readonly built: BuilderPart;
  readonly lines: number;
  /** Shows whether lines state the positions of their transactions. */
  readonly isPlaced: boolean;
  readonly isEnded: boolean;
  readonly sessions: SessionsPart;
}

/** Order of the transactions of each session: their numbers, and outcomes that are left to a later line. */
export class SessionOrder {
  readonly #fields: FieldReader;
  /** Last transaction of each session, if its line leaves the outcome to a later line. */
  readonly #open: (number | undefined)[] = [];
  // Numbers of the first and the last transaction of each session, if lines number them.
  readonly #first: (number | undefined)[] = [];
  readonly #last: (number | undefined)[] = [];
  readonly #late: LateOutcome[] = [];

  constructor(fields: FieldReader) {
    this.#fields = fields;
  }

  /** Adds a transaction. A transaction sent twice or out of order would change the history. */
  add(session: number, t: number, number: number | undefined, isOpen: boolean): void {
    const before = this.#last[session];
    if (number !== undefined && before !== undefined && number <= before)
      throw this.#fields.problem(
        `transaction number ${number} after number ${before} of the same session`,
        'a larger number; remove the repeated lines',
      );
    if (!(session in this.#last)) this.#first[session] = number;
    this.#last[session] = number;
    this.#open[session] = isOpen ? t : NO_TRANSACTION;
  }

  /** Returns the transaction whose outcome is stated now. */
  end({ session, number }: LateOutcome): number {
    const t = this.#open[session] ?? NO_TRANSACTION;
    if (t === NO_TRANSACTION) {
      const expected = 'an outcome after a transaction of its session with "status": "unknown"';
      throw this.#fields.problem('an outcome without a transaction', expected);
    }
    const expected = this.#last[session];
    if (number !== null && expected !== undefined && number !== expected)
      throw this.#fields.problem(`the outcome of transaction ${number}`, `that of transaction ${expected}`);
    this.#open[session] = NO_TRANSACTION;
    return t;
  }

  /** Keeps the outcome of a transaction in an earlier part. Returns false if this part has transactions of the session. */
  keepLate(outcome: LateOutcome): boolean {
    const isLate = !(outcome.session in this.#last) && this.#late.every(({ session }) => session !== outcome.session);
    if (isLate) this.#late.push(outcome);
    return isLate;
  }

  part(): SessionsPart {
    return { late: this.#late, open: this.#open, first: this.#first, last: this.#last };
  }

  /** Returns the open transactions that the late outcomes of the next part end; null if the part does not continue this. */
  continuedBy({ first, late }: SessionsPart, ids: Int32Array): readonly number[] | null {
    const isInOrder = first.every((number, session) => {
      const before = this.#last[ids[session]!];
      return number === undefined || before === undefined || number > before;
    });
    const ended = late.map(({ session, number }) => {
      const expected = this.#last[ids[session]!];
      const isMeant = number === null || expected === undefined || number === expected;
      return isMeant ? (this.#open[ids[session]!] ?? NO_TRANSACTION) : NO_TRANSACTION;
    });
    return isInOrder && !ended.includes(NO_TRANSACTION) ? ended : null;
  }

  append({ late, open, last }: SessionsPart, ids: Int32Array, firstTxn: number): void {
    for (const { session } of late) this.#open[ids[session]!] = NO_TRANSACTION;
    last.forEach((number, session) => {
      const t = open[session]!;
      this.#last[ids[session]!] = number;
      this.#open[ids[session]!] = t === NO_TRANSACTION ? t : firstTxn + t;
    });
  }
}

const NO_TRANSACTION = -1;
