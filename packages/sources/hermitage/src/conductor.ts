import { Aborted, ConnectionLost, type PlainSql } from '@isolab/collector';
import { type Row, type Step, sessionsOf } from './case.ts';
import { plainRows } from './rows.ts';

/** Result of a statement. */
export type Answer =
  | { readonly kind: 'rows'; readonly rows: readonly Row[] }
  /** The database refused, and the transaction is undone. */
  | { readonly kind: 'aborted'; readonly why: string }
  /** An error unrelated to other transactions, or a lost connection: the effect is unknown. */
  | { readonly kind: 'failed'; readonly why: string }
  | { readonly kind: 'none' };

/** A statement that was sent. */
export interface Sent {
  readonly session: string;
  readonly kind: Step['kind'];
  readonly sql: string;
  readonly read?: string;
  readonly answer: Answer;
  /** Whether it had no answer for so long that others were sent. */
  readonly waited: boolean;
  /** After how many statements it was answered: 7 if the seventh was the last to be sent by then; null if it never was. */
  readonly answeredAfter: number | null;
  /** Sent because the database refused the one before. */
  readonly isCleanUp?: true;
}

export interface ConductOptions {
  /** Time without an answer after which a statement counts as waiting. */
  readonly waitMs: number;
  /** After how long the whole is given up. */
  readonly patienceMs: number;
  readonly signal?: AbortSignal;
}

/**
 * Sends steps in their order, each once those before it are answered or wait. What follows a statement that waits in its
 * session is put off until that is answered; what follows one that failed is left out, and the session rolls back.
 */
export class Conductor {
  readonly #sessions: ReadonlyMap<string, Session>;
  readonly #options: ConductOptions;
  readonly #steps: readonly Step[];
  readonly #sent: Sending[] = [];
  readonly #listeners = new Set<() => void>();
  #isOver = false;

  constructor(steps: readonly Step[], sql: ReadonlyMap<string, PlainSql>, options: ConductOptions) {
    this.#steps = steps;
    this.#options = options;
    this.#sessions = new Map(
      sessionsOf(steps).map((name) => [name, { sql: sql.get(name)!, putOff: [], busy: null, isDead: false }]),
    );
  }

  /** In the order in which they were sent. */
  get sent(): readonly Sent[] {
    return this.#sent.map(({ step, answer, waited, answeredAfter, isCleanUp }) => ({
      ...step,
      answer,
      waited,
      answeredAfter,
      ...(isCleanUp && { isCleanUp }),
    }));
  }

  /** Returns whether everything was answered; if not, it was given up. */
  async run(): Promise<boolean> {
    const giveUp = (): void => {
      this.#isOver = true;
      this.#changed();
    };
    const timer = setTimeout(giveUp, this.#options.patienceMs);
    this.#options.signal?.addEventListener('abort', giveUp, { once: true });
    if (this.#options.signal?.aborted) this.#isOver = true;
    try {
      for (const step of this.#steps) {
        await this.#settle();
        const session = this.#sessions.get(step.session)!;
        session.putOff.push(step);
        await this.#sendPutOff();
      }
      while (!this.#isOver && this.#isUnderWay()) {
        await this.#change();
        await this.#sendPutOff();
      }
      return !this.#isOver;
    } finally {
      this.#isOver = true;
      clearTimeout(timer);
      this.#options.signal?.removeEventListener('abort', giveUp);
    }
  }

  #isUnderWay(): boolean {
    return [...this.#sessions.values()].some(({ busy, putOff }) => busy !== null || putOff.length > 0);
  }

  /** The end of a transaction may let others go on, whose answers are on their way. */
  async #settle(): Promise<void> {
    const waits = [...this.#sessions.values()].some(({ busy }) => busy !== null);
    if (!waits) return;
    const last = this.#sent.at(-1)!;
    const isEnd = last.step.kind === 'commit' || last.step.kind === 'rollback' || last.answer.kind === 'aborted';
    const before = this.#answered;
    const deadline = performance.now() + (isEnd ? this.#options.waitMs : SETTLING_MS);
    while (!this.#isOver && this.#answered === before && performance.now() < deadline)
      await this.#change(deadline - performance.now());
    await this.#sendPutOff();
  }

  get #answered(): number {
    return this.#sent.filter(({ answeredAfter }) => answeredAfter !== null).length;
  }

  /** Sends the statements that were put off and may go now. */
  async #sendPutOff(): Promise<void> {
    for (let isNew = true; isNew;) {
      isNew = false;
      for (const session of this.#sessions.values()) {
        if (session.busy !== null || session.putOff.length === 0 || this.#isOver) continue;
        isNew = true;
        await this.#send(session, session.putOff.shift()!);
      }
    }
  }

  async #send(session: Session, step: Step, isCleanUp = false): Promise<void> {
    if (session.isDead && !isCleanUp) return;
    const sending: Sending = {
      step: step.kind === 'begin' ? { ...step, sql: session.sql.begin } : step,
      answer: { kind: 'none' },
      waited: false,
      answeredAfter: null,
      isCleanUp,
    };
    this.#sent.push(sending);
    session.busy = sending;
    void answerOf(session.sql, sending.step.sql).then((answer) => {
      if (this.#isOver) return;
      sending.answer = answer;
      sending.answeredAfter = this.#sent.length;
      session.busy = null;
      if (answer.kind !== 'rows' && !isCleanUp) {
        session.isDead = true;
        session.putOff.length = 0;
        void this.#send(session, { session: step.session, kind: 'rollback', sql: 'ROLLBACK' }, true);
      }
      this.#changed();
    });
    const deadline = performance.now() + this.#options.waitMs;
    while (session.busy !== null && !this.#isOver && performance.now() < deadline)
      await this.#change(deadline - performance.now());
    if (sending.answeredAfter === null) sending.waited = true;
  }

  /** Waits until something is answered. */
  #change(ms?: number): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.#listeners.delete(done);
        resolve();
      };
      const timer = ms === undefined ? undefined : setTimeout(done, Math.max(0, ms));
      this.#listeners.add(done);
    });
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }
}

const SETTLING_MS = 30;

interface Session {
  readonly sql: PlainSql;
  /** Steps whose turn has come, and which cannot be sent yet. */
  readonly putOff: Step[];
  busy: Sending | null;
  /** Its transaction is over, by an error. */
  isDead: boolean;
}

interface Sending {
  readonly step: Step;
  answer: Answer;
  waited: boolean;
  answeredAfter: number | null;
  readonly isCleanUp: boolean;
}

async function answerOf(sql: PlainSql, statement: string): Promise<Answer> {
  try {
    return { kind: 'rows', rows: plainRows(await sql.send(statement)) };
  } catch (error) {
    const why = wordsOf(error);
    if (error instanceof Aborted) return { kind: 'aborted', why };
    return { kind: 'failed', why: error instanceof ConnectionLost ? `the connection is lost: ${why}` : why };
  }
}

/** Returns the message of the database. For a module, its own words without its name, which is a path. */
function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { message, cause } = error;
  if (!(cause instanceof Error) || !message.endsWith(`: ${cause.message}`)) return message;
  const before = message.slice(0, -cause.message.length);
  return / says (?:aborted|lost|error): $/.test(before) ? cause.message : message;
}
