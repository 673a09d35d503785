import { Status } from '../wire/protocol.ts';
import { type Statement, statementsOf } from '../sql/statement.ts';
import type { Refused } from '../../recording/refusals.ts';
import type { ShapeCount } from '../../recording/tally.ts';
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
  readonly #counts = new Map<string, ShapeCount>();
  /** For each first statement of refused transactions that were not retried, the errors. */
  readonly #refused = new Map<string, Refused[]>();
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

  count({ shape, opaque, mayWrite }: Statement): void {
    const known = this.#counts.get(shape);
    if (known) known.calls++;
    else this.#counts.set(shape, { shape, calls: 1, opaque, mayWriteUnseen: mayWrite });
  }

  /** Notes the first statement of a transaction, which may repeat a refused transaction. */
  begins(first: First): void {
    const key = keyOf(first);
    const open = this.#refused.get(key);
    if (open?.length === 1) this.#refused.delete(key);
    else open?.pop();
  }

  /** Notes that the server refused a transaction because of a conflict. */
  refuses(first: First, code: number): void {
    const key = keyOf(first);
    const refused = { code: String(code), count: 1, statements: [first.statement.shape] };
    this.#refused.set(key, [...(this.#refused.get(key) ?? []), refused]);
  }

  refused(told: (shape: string) => string): Refused[] {
    const kinds = new Map<string, Refused>();
    for (const { code, statements } of [...this.#refused.values()].flat()) {
      const key = `${code} ${statements.join()}`;
      kinds.set(key, { code, statements: statements.map(told), count: (kinds.get(key)?.count ?? 0) + 1 });
    }
    return [...kinds.values()].toSorted((x, y) => y.count - x.count);
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

  get shapes(): readonly ShapeCount[] {
    return [...this.#counts.values()].toSorted((a, b) => b.calls - a.calls);
  }
}

interface First {
  readonly statement: Statement;
  readonly parameters: readonly unknown[] | null;
}

const keyOf = ({ statement, parameters }: First): string => JSON.stringify([statement.text, parameters]);
