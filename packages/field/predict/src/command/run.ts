/**
 * Run of a command behind the recording proxy, as its gate: lists its transactions with their statements, and holds
 * back those statements that an actor does not yet permit.
 */
import type { Gate, Hold, SentStatement } from '@isolab/record';

/** A transaction of a run. */
export interface Seen {
  /** Name of the session in the recording. */
  readonly session: string;
  readonly statements: SentStatement[];
  /** Number of answered statements. */
  answered: number;
  isOver: boolean;
  /** Errors of the database. */
  readonly errors: string[];
}

/** Decides about the statements of one transaction. */
export interface Guard {
  begins(seen: Seen): void;
  holds(number: number, text: string): Hold | null;
}

/** Place of a transaction in a run: sessions are numbered in the order of their first statements, from 0. */
export interface Place {
  readonly session: number;
  readonly transaction: number;
}

interface Session {
  readonly name: string;
  readonly number: number;
  readonly seen: Seen[];
  current: Seen | null;
}

/** Beginning of a comment before the first statement of a session that belongs to isolab and not to the command. */
export const OWN = '/* isolab sends the statements of a transaction: ';

export class Run implements Gate {
  readonly #sessions = new Map<string, Session>();
  /** Names of sessions of isolab, by the text behind OWN. */
  readonly own = new Map<string, string>();
  readonly #guards = new Map<string, Guard>();
  #activeAt = performance.now();
  #longestPause = 0;

  guard({ session, transaction }: Place, guard: Guard): void {
    this.#guards.set(`${session} ${transaction}`, guard);
  }

  /** Transactions with their places, session by session. */
  *transactions(): Generator<readonly [place: Place, seen: Seen]> {
    for (const { number: session, seen } of this.#sessions.values())
      for (const [transaction, each] of seen.entries()) yield [{ session, transaction }, each];
  }

  /** Time since the command last sent a statement or received an answer. */
  get quietMs(): number {
    return performance.now() - this.#activeAt;
  }

  /** Longest time between two statements or answers. */
  get longestPause(): number {
    return this.#longestPause;
  }

  holds(name: string, text: string): Hold | null {
    if (this.#isOwn(name, text)) return null;
    this.#isActive();
    const { number, seen, current } = this.#sessionOf(name);
    const guard = this.#guards.get(`${number} ${current === null ? seen.length : seen.length - 1}`);
    return guard?.holds(current?.statements.length ?? 0, text) ?? null;
  }

  sends(name: string, statement: SentStatement): void {
    if (this.#isOwn(name, statement.text)) return;
    this.#isActive();
    const session = this.#sessionOf(name);
    if (session.current === null) {
      session.current = { session: name, statements: [], answered: 0, isOver: false, errors: [] };
      this.#guards.get(`${session.number} ${session.seen.length}`)?.begins(session.current);
      session.seen.push(session.current);
    }
    session.current.statements.push(statement);
  }

  fails(name: string, code: string): void {
    this.#sessions.get(name)?.current?.errors.push(code);
  }

  rests(name: string, isInTransaction: boolean): void {
    this.#isActive();
    const session = this.#sessions.get(name);
    const current = session?.current;
    if (!current) return;
    current.answered = current.statements.length;
    if (isInTransaction) return;
    current.isOver = true;
    session.current = null;
  }

  closes(name: string): void {
    this.#isActive();
    const session = this.#sessions.get(name);
    if (session?.current) session.current.isOver = true;
    if (session) session.current = null;
  }

  #isActive(): void {
    const now = performance.now();
    this.#longestPause = Math.max(this.#longestPause, now - this.#activeAt);
    this.#activeAt = now;
  }

  #isOwn(name: string, text: string): boolean {
    if (text.startsWith(OWN)) this.own.set(text.slice(OWN.length), name);
    return [...this.own.values()].includes(name);
  }

  #sessionOf(name: string): Session {
    const known = this.#sessions.get(name);
    if (known) return known;
    const session: Session = { name, number: this.#sessions.size, seen: [], current: null };
    this.#sessions.set(name, session);
    return session;
  }
}
