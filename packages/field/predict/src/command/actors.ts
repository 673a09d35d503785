/** Actors of a schedule: transactions whose statements are executed when it is their turn. */
import type { Hold, SentStatement } from '@isolab/record';
import type { Client } from './clients.ts';
import { kindOf } from './match.ts';
import { type Guard, OWN, type Run, type Seen } from './run.ts';

export interface Actor {
  /** Lets the first statements of the transaction be executed. */
  permit(statements: number): void;
  /** Returns whether these statements are answered, or the transaction is over. */
  hasDone(statements: number): boolean;
  /** States that a statement is being executed. */
  readonly isBusy: boolean;
  /** States that the transaction is over. */
  readonly isOver: boolean;
  readonly errors: readonly string[];
  /** First statement of the command that differs from the recorded one, after a common one; null if there is none. */
  readonly differs: string | null;
  /** States that isolab itself sends the statements. */
  readonly isOwn: boolean;
  /** Name of the session in the recording; null before its first statement. */
  readonly session: string | null;
}

/** Transaction of the command: its statements wait at the proxy. */
export class CommandActor implements Actor, Guard {
  readonly isOwn = false;
  readonly #expected: readonly string[];
  readonly #acknowledges: boolean;
  #permitted = 0;
  #seen: Seen | null = null;
  #waiting: { readonly number: number; readonly release: () => void } | null = null;

  /** `acknowledges` lets the client continue while its COMMIT waits. */
  constructor(expected: readonly string[], acknowledges: boolean) {
    this.#expected = expected;
    this.#acknowledges = acknowledges;
  }

  begins(seen: Seen): void {
    this.#seen = seen;
  }

  holds(number: number, text: string): Hold | null {
    if (number < this.#permitted) return null;
    const isCommit = number === this.#expected.length - 1 && /^\s*(commit|end)\b[^;]*;?\s*$/i.test(text);
    const until = new Promise<void>((release) => (this.#waiting = { number, release }));
    return { until, isAcknowledged: isCommit && this.#acknowledges };
  }

  permit(statements: number): void {
    this.#permitted = Math.max(this.#permitted, statements);
    if (this.#waiting === null || this.#waiting.number >= this.#permitted) return;
    this.#waiting.release();
    this.#waiting = null;
  }

  hasDone(statements: number): boolean {
    return this.isOver || (this.#seen !== null && this.#seen.answered >= statements);
  }

  get differs(): string | null {
    const sent = this.#seen?.statements ?? [];
    const other = sent.findIndex(({ text }, i) => kindOf(text) !== this.#expected[i]);
    return other < 2 ? null : kindOf(sent[other]!.text);
  }

  get isBusy(): boolean {
    return this.#seen !== null && this.#seen.statements.length > this.#seen.answered;
  }

  get isOver(): boolean {
    return this.#seen?.isOver === true;
  }

  get errors(): readonly string[] {
    return this.#seen?.errors ?? [];
  }

  get session(): string | null {
    return this.#seen?.session ?? null;
  }
}

/** Transaction whose statements isolab sends itself, with their recorded parameters. */
export class OwnActor implements Actor {
  readonly isOwn = true;
  readonly differs = null;
  readonly #client: Client;
  readonly #statements: readonly SentStatement[];
  readonly #name: string;
  readonly #run: Run;
  #permitted = 0;
  #done = 0;
  #working: Promise<void> | null = null;
  isOver = false;
  readonly errors: string[] = [];

  constructor(client: Client, statements: readonly SentStatement[], name: string, run: Run) {
    this.#client = client;
    this.#statements = statements;
    this.#name = name;
    this.#run = run;
  }

  /** Makes the session known to the run, and gives it the settings of the command's session. */
  async begin(settings: readonly SentStatement[]): Promise<void> {
    await this.#client.execute(`${OWN}${this.#name} */ select 1`, []);
    for (const { text, parameters } of settings) await this.#client.execute(text, parameters);
  }

  permit(statements: number): void {
    this.#permitted = Math.max(this.#permitted, Math.min(statements, this.#statements.length));
    this.#working ??= this.#work().finally(() => (this.#working = null));
  }

  async #work(): Promise<void> {
    while (this.#done < this.#permitted && !this.isOver) {
      const { text, parameters } = this.#statements[this.#done]!;
      try {
        await this.#client.execute(text, parameters);
        this.#done++;
      } catch (error) {
        const { code, errno } = error as { code?: string; errno?: number };
        this.errors.push(String(errno !== undefined && errno > 0 ? errno : (code ?? error)));
        this.isOver = true;
        await this.#client.execute('rollback', []).catch(() => {});
      }
    }
    if (this.#done === this.#statements.length) this.isOver = true;
  }

  hasDone(statements: number): boolean {
    return this.isOver || this.#done >= Math.min(statements, this.#statements.length);
  }

  get isBusy(): boolean {
    return this.#working !== null;
  }

  get session(): string | null {
    return this.#run.own.get(`${this.#name} */ select 1`) ?? null;
  }

  /** Waits for the last statement, and ends the connection. */
  async end(): Promise<void> {
    await this.#working;
    await this.#client.end().catch(() => {});
  }
}
