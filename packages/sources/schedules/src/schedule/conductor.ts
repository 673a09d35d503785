export interface ConductOptions {
  /** Time without an answer after which a statement counts as blocked. */
  readonly blockedMs: number;
  /** Time after which the whole schedule is given up. */
  readonly patienceMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** Properties of steps, and the way to send them. */
export interface Conducted<S, A> {
  sessionOf(step: S): string | number;
  /** Returns whether a step ends a transaction, so that other transactions may continue. */
  isEnd(step: S): boolean;
  /** Returns whether the next step is sent without waiting for the answer to this step. */
  rushes?(step: S): boolean;
  /** Sends a step. Its answer is reported with `answered`. */
  send(turn: Turn<S, A>): void;
}

export interface Turn<S, A> {
  readonly step: S;
  /**
   * Positions in the order in which statements were sent and in which answers arrived; null if it was not sent or not
   * answered.
   */
  readonly sent: number | null;
  readonly answered: number | null;
  /** Whether other steps were sent while it had no answer. */
  readonly waited: boolean;
  /** Whether it was answered or will never be sent. */
  readonly isOver: boolean;
  readonly answer?: A;
}

type MutableTurn<S, A> = { -readonly [K in keyof Turn<S, A>]: Turn<S, A>[K] };

/**
 * Sends the steps of several sessions, each when the previous steps are answered or blocked. A step that follows a
 * blocked step of its session is postponed until that step is answered.
 */
export class Conductor<S, A> {
  readonly #steps: Conducted<S, A>;
  readonly #options: ConductOptions;
  readonly #turns: MutableTurn<S, A>[];
  readonly #last: number;
  readonly #listeners = new Set<() => void>();
  #lastSent: Turn<S, A> | undefined;
  #clock = 0;
  isOver = false;

  constructor(steps: readonly S[], conducted: Conducted<S, A>, options: ConductOptions) {
    this.#steps = conducted;
    this.#options = options;
    this.#turns = steps.map(turnOf<S, A>);
    this.#last = steps.length - 1;
  }

  /** Turns of the steps, followed by those of `sendNow`. */
  get turns(): readonly Turn<S, A>[] {
    return this.#turns;
  }

  /** Runs the schedule. Returns false if it was given up because answers were missing. */
  async run(): Promise<boolean> {
    const { patienceMs, signal } = this.#options;
    const stop = (): void => this.stop();
    const timer = setTimeout(stop, patienceMs);
    signal?.addEventListener('abort', stop, { once: true });
    if (signal?.aborted) stop();
    try {
      for (let upTo = 0; upTo <= this.#last && !this.isOver; upTo++) {
        await this.#settle();
        await this.#sendUpTo(upTo);
      }
      while (!this.isOver && this.#turns.some(({ isOver }) => !isOver)) {
        await this.#change();
        await this.#sendUpTo(this.#last);
      }
      return this.#turns.every(({ isOver }) => isOver);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', stop);
      stop();
    }
  }

  stop(): void {
    this.isOver = true;
    this.#changed();
  }

  answered(turn: Turn<S, A>, answer: A): void {
    Object.assign(turn, { answer, answered: this.#clock++, isOver: true });
    this.#changed();
  }

  /** Skips these steps and does not wait for them. */
  leaveOut(isLeftOut: (step: S) => boolean): void {
    for (const turn of this.#turns) if (isLeftOut(turn.step)) turn.isOver = true;
    this.#changed();
  }

  /** Sends an additional step. */
  sendNow(step: S): void {
    const turn = turnOf<S, A>(step);
    this.#turns.push(turn);
    void this.#send(turn);
  }

  /** After the end of a transaction, waits for the answers to statements that it unblocked. */
  async #settle(): Promise<void> {
    const last = this.#lastSent;
    if (last === undefined || this.#steps.rushes?.(last.step) || !this.#turns.some(isUnderWay)) return;
    await this.#change(this.#steps.isEnd(last.step) ? this.#options.blockedMs : SETTLING_MS);
  }

  /** Sends the steps that can be sent: postponed steps of sessions that are free again, and the last step. */
  async #sendUpTo(upTo: number): Promise<void> {
    for (let isNew = true; isNew;) {
      isNew = false;
      for (let i = 0; i <= upTo && !this.isOver; i++) {
        if (!this.#mayGo(i)) continue;
        isNew = true;
        await this.#send(this.#turns[i]!);
      }
    }
  }

  #mayGo(at: number): boolean {
    const turn = this.#turns[at]!;
    if (turn.isOver || turn.sent !== null) return false;
    const session = this.#steps.sessionOf(turn.step);
    const before = this.#turns.slice(0, at);
    return before.every(({ step, isOver }) => isOver || this.#steps.sessionOf(step) !== session);
  }

  async #send(turn: MutableTurn<S, A>): Promise<void> {
    turn.sent = this.#clock++;
    this.#lastSent = turn;
    this.#steps.send(turn);
    if (this.#steps.rushes?.(turn.step)) return;
    const deadline = performance.now() + this.#options.blockedMs;
    while (isUnderWay(turn) && !this.isOver && performance.now() < deadline)
      await this.#change(deadline - performance.now());
    if (isUnderWay(turn)) turn.waited = true;
  }

  /** Waits until a step is answered. */
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

const isUnderWay = ({ sent, isOver }: Turn<unknown, unknown>): boolean => sent !== null && !isOver;

const turnOf = <S, A>(step: S): MutableTurn<S, A> => ({
  step,
  sent: null,
  answered: null,
  waited: false,
  isOver: false,
});
