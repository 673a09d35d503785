import {
  type Connection,
  ConnectionLost,
  Interrupted,
  type Queue,
  type KeyQuestion as Question,
  answerTo,
} from '@isolab/collector';
import type { Program } from '@isolab/workloads';
import { type Reply, type Schedule, type Step, isQuestion } from './schedule.ts';

/** Result of a step. */
export interface Observed {
  /** The place in the order in which statements were sent, and answers came; null if it was not sent, or not answered. */
  readonly sent: number | null;
  readonly answered: number | null;
  /** Whether others were sent while it had no answer. */
  readonly waited: boolean;
  readonly reply?: Reply;
  readonly error?: string;
}

export interface ConductOptions {
  /** After how long without an answer a statement counts as blocked. */
  readonly blockedMs: number;
  /** After how long the schedule is given up, once all terminals are connected. */
  readonly patienceMs: number;
}

/**
 * Sends the statements of a schedule: each once those before it are answered or blocked. What belongs behind a blocked
 * statement of the same terminal is put off until that is answered; what belongs behind a failed one is not sent.
 */
export class Conductor {
  readonly #options: ConductOptions;
  readonly #steps: StepState[];
  readonly #terminals: Terminal[];
  readonly #over = new AbortController();
  #clock = 0;
  #connected = 0;
  #allConnected = (): void => {};
  #changed = (): void => {};

  constructor(schedule: Schedule, options: ConductOptions) {
    this.#options = options;
    this.#steps = schedule.steps.map((step) => new StepState(step));
    this.#terminals = Array.from({ length: schedule.terminals }, (_, terminal) => ({
      steps: this.#steps.filter(({ step }) => step.terminal === terminal),
      transactions: schedule.transactions.flatMap((one, i) => (one.terminal === terminal ? [i] : [])),
    }));
  }

  get isOver(): boolean {
    return this.#over.signal.aborted;
  }

  /** Results so far, step by step. */
  get observed(): readonly Observed[] {
    return this.#steps.map(({ sent, answered, waited, reply, error }) => ({
      sent,
      answered,
      waited,
      ...(reply !== undefined && { reply }),
      ...(error !== undefined && { error }),
    }));
  }

  /** Conducts; false if it was given up because answers did not come. */
  async run(): Promise<boolean> {
    await new Promise<void>((resolve) => {
      this.#allConnected = resolve;
      this.#over.signal.addEventListener('abort', () => resolve(), { once: true });
    });
    const late = new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, this.#options.patienceMs);
      const end = (): void => (clearTimeout(timer), resolve());
      if (this.isOver) end();
      this.#over.signal.addEventListener('abort', end, { once: true });
    });
    await Promise.race([this.#conduct(), late]);
    const isDone = this.#steps.every(({ isOver }) => isOver);
    this.stop();
    return isDone;
  }

  /** Ends all waits. */
  stop(): void {
    this.#over.abort();
    for (const step of this.#steps) step.cancel();
    this.#changed();
  }

  async #conduct(): Promise<void> {
    const last = this.#steps.length - 1;
    for (let upTo = 0; upTo <= last && !this.isOver; upTo++) await this.#sendUpTo(upTo);
    while (!this.isOver && this.#steps.some(({ isOver }) => !isOver)) {
      await this.#change();
      await this.#sendUpTo(last);
    }
  }

  /** Sends what may be sent of the steps so far: those that were put off, whose terminals are free again, and the last one. */
  async #sendUpTo(upTo: number): Promise<void> {
    // An answer that another one has made possible is on its way.
    const waits = this.#steps.filter(({ isUnderWay }) => isUnderWay);
    if (waits.length > 0 && this.#steps[upTo - 1]?.step.rushes !== true) await this.#change(SETTLING_MS);
    for (let i = 0; i <= upTo && !this.isOver; i++) if (this.#mayGo(this.#steps[i]!)) await this.#send(this.#steps[i]!);
  }

  #mayGo(state: StepState): boolean {
    if (state.isOver || state.isUnderWay) return false;
    const { steps } = this.#terminals[state.step.terminal]!;
    return steps.slice(0, steps.indexOf(state)).every(({ isOver }) => isOver);
  }

  async #send(state: StepState): Promise<void> {
    state.sent = this.#clock++;
    state.release();
    if (state.step.rushes) return;
    const deadline = performance.now() + this.#options.blockedMs;
    while (state.isUnderWay && !this.isOver && performance.now() < deadline)
      await this.#change(deadline - performance.now());
    if (state.isUnderWay) state.waited = true;
  }

  /** Waits until something is answered. */
  #change(ms?: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = ms === undefined ? undefined : setTimeout(resolve, Math.max(0, ms));
      this.#changed = () => (clearTimeout(timer), resolve());
    });
  }

  #settle(state: StepState, result: { reply?: Reply; error?: string }): void {
    state.answered = this.#clock++;
    Object.assign(state, result);
    state.isOver = true;
    this.#changed();
  }

  /** The transactions of a terminal, for the collector. */
  queueOf(index: number): Queue {
    const terminal = this.#terminals[index]!;
    let at = 0;
    let current = -1;
    const stepsOf = (): StepState[] => terminal.steps.filter(({ step }) => step.transaction === current);
    return {
      next: () => {
        const transaction = terminal.transactions[at];
        if (transaction === undefined) return null;
        at++;
        current = transaction;
        return () => programOf(stepsOf().map(({ step }) => step));
      },
      mayBegin: () => false,
      ended: () => {
        // Steps that were not sent will not be sent.
        for (const state of stepsOf()) state.isOver = true;
        this.#changed();
      },
      connected: (connection) => {
        if (++this.#connected === this.#terminals.length) this.#allConnected();
        return this.#conducted(connection, stepsOf);
      },
      turn: async () => {
        if (!(await stepsOf()[0]!.turn)) throw new Interrupted();
      },
    };
  }

  /** A connection whose statements wait for their turn. */
  #conducted(connection: Connection, stepsOf: () => StepState[]): Connection {
    const doing = async <T>(
      kind: Step['does']['kind'],
      does: () => Promise<T>,
      told?: (answer: T) => Reply,
    ): Promise<T> => {
      const state = stepsOf().find(({ isOver }) => !isOver);
      if (!state || state.step.does.kind !== kind) return does(); // a rollback after a failure
      if (!(await state.turn)) throw new ConnectionLost('the schedule was given up');
      try {
        const answer = await does();
        const reply = told?.(answer);
        this.#settle(state, reply === undefined ? {} : { reply });
        return answer;
      } catch (error) {
        const said = error instanceof Error ? error.message : String(error);
        this.#settle(state, { error: said });
        for (const one of stepsOf()) one.isOver = true;
        throw error;
      }
    };
    return {
      ...connection,
      begin: () => doing('begin', () => connection.begin()),
      ask: (question: Question) =>
        doing(
          question.kind,
          () => connection.ask(question),
          (answer) => answerTo(question, answer) as Reply,
        ),
      commit: () => doing('commit', () => connection.commit()),
      rollback: () => doing('rollback', () => connection.rollback()),
    };
  }
}

const SETTLING_MS = 30;

interface Terminal {
  readonly steps: readonly StepState[];
  readonly transactions: readonly number[];
}

class StepState {
  readonly step: Step;
  sent: number | null = null;
  answered: number | null = null;
  waited = false;
  /** Answered, or never to be sent. */
  isOver = false;
  reply?: Reply;
  error?: string;
  /** Whether it may be sent; false when it will not be. */
  readonly turn: Promise<boolean>;
  release = (): void => {};
  cancel = (): void => {};

  constructor(step: Step) {
    this.step = step;
    this.turn = new Promise((resolve) => {
      this.release = () => resolve(true);
      this.cancel = () => resolve(false);
    });
  }

  get isUnderWay(): boolean {
    return this.sent !== null && !this.isOver;
  }
}

/** Asks what the steps of a transaction ask, whatever is answered. */
function* programOf(steps: readonly Step[]): Program {
  for (const { does } of steps) {
    if (isQuestion(does)) yield does;
    else if (does.kind === 'rollback') yield { kind: 'abort' };
  }
}
