export interface ConductOptions {
  /** Time without an answer after which a statement counts as blocked. */
  readonly blockedMs: number;
  /** Time after which the whole is given up. */
  readonly patienceMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** Properties of steps, and the way to send them. */
export interface Conducted<S, A> {
  /** Session that sends a step, after the answers to the steps before it. */
  sessionOf(step: S): string | number;
  /** Returns whether a step ends a transaction, and others may continue. */
  isEnd(step: S): boolean;
  /** Returns whether the next step is sent at once, without an answer to this one. */
  rushes?(step: S): boolean;
  /** Sends a step; its answer is reported with `answered`. */
  send(turn: Turn<S, A>): void;
}

/** One step and its outcome. */
export interface Turn<S, A> {
  readonly step: S;
  /** Place in the order in which statements were sent, and answers came; null if it was not sent, or not answered. */
  readonly sent: number | null;
  readonly answered: number | null;
  /** Whether others were sent while it had no answer. */
  readonly waited: boolean;
  /** Answered, or never to be sent. */
  readonly isOver: boolean;
  readonly answer?: A;
}

type MutableTurn<S, A> = { -readonly [K in keyof Turn<S, A>]: Turn<S, A>[K] };

/**
 * Sends the steps of several sessions: each once those before it are answered or blocked. A step behind a blocked one
 * of its session is put off until that is answered.
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

  /** Turns of the steps, and after them those of `sendNow`. */
  get turns(): readonly Turn<S, A>[] {
    return this.#turns;
  }

  /** Conducts; false if it was given up because answers did not come. */
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

  /** Ends all waits. */
  stop(): void {
    this.isOver = true;
    this.#changed();
  }

  answered(turn: Turn<S, A>, answer: A): void {
    Object.assign(turn, { answer, answered: this.#clock++, isOver: true });
    this.#changed();
  }

  /** Sends none of these steps, and waits for none of them. */
  leaveOut(isLeftOut: (step: S) => boolean): void {
    for (const turn of this.#turns) if (isLeftOut(turn.step)) turn.isOver = true;
    this.#changed();
  }

  /** Sends a step that is none of the given ones. */
  sendNow(step: S): void {
    const turn = turnOf<S, A>(step);
    this.#turns.push(turn);
    void this.#send(turn);
  }

  /** The end of a transaction may let others continue, whose answers are on their way. */
  async #settle(): Promise<void> {
    const last = this.#lastSent;
    if (last === undefined || this.#steps.rushes?.(last.step) || !this.#turns.some(isUnderWay)) return;
    await this.#change(this.#steps.isEnd(last.step) ? this.#options.blockedMs : SETTLING_MS);
  }

  /** Sends the sendable steps so far: those that were put off, whose sessions are free again, and the last one. */
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

const isUnderWay = ({ sent, isOver }: Turn<unknown, unknown>): boolean => sent !== null && !isOver;

const turnOf = <S, A>(step: S): MutableTurn<S, A> => ({
  step,
  sent: null,
  answered: null,
  waited: false,
  isOver: false,
});
