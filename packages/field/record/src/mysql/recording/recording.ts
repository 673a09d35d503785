import { Status } from '../wire/protocol.ts';
import { type Statement, statementsOf } from '../sql/statement.ts';
import { Refusals } from '../../recording/refusals.ts';
import { Tally } from '../../recording/tally.ts';
import type { SessionName, Transaction } from './transaction.ts';

const MOST_PLANS = 2_000;

/** The transactions of all sessions, as the clients saw them. */
export class Recording {
  readonly now: () => bigint;
  /** For each session, its transactions in order. */
  readonly sessions = new Map<SessionName, Transaction[]>();
  /** For each session that is not followed to its end, its first transaction that is not followed. */
  readonly left = new Map<SessionName, { readonly from: number; readonly reason: string }>();
  readonly #plans = new Map<string, readonly Statement[] | null>();
  readonly tally = new Tally((shape) => shape);
  readonly refusals = new Refusals();
  readonly unreadable: Statement = {
    text: '',
    shape: '(unknown)',
    does: { kind: 'unknown' },
    mayWrite: true,
    opaque: 'unknown',
  };

  constructor(now: () => bigint) {
    this.now = now;
  }

  /** Splits a query string; the flags of the server's last answer define the meaning of quotation marks. */
  statements(sql: string, status: number): readonly Statement[] | null {
    const ansiQuotes = (status & Status.ansiQuotes) !== 0;
    const plainBackslashes = (status & Status.withoutBackslashes) !== 0;
    const key = `${ansiQuotes ? 1 : 0}${plainBackslashes ? 1 : 0}${sql}`;
    const known = this.#plans.get(key);
    if (known !== undefined) return known;
    const statements = statementsOf(sql, { ansiQuotes, plainBackslashes });
    if (this.#plans.size >= MOST_PLANS) this.#plans.clear();
    if (sql.length < 10_000) this.#plans.set(key, statements);
    return statements;
  }

  leaves(session: SessionName, reason: string): void {
    if (!this.left.has(session)) this.left.set(session, { from: this.#of(session).length, reason });
  }

  ends(transaction: Transaction, isLeft: boolean): void {
    if (isLeft || transaction.steps.length > 0) this.#of(transaction.session).push(transaction);
  }

  #of(session: SessionName): Transaction[] {
    const known = this.sessions.get(session);
    if (known) return known;
    const transactions: Transaction[] = [];
    this.sessions.set(session, transactions);
    return transactions;
  }
}
