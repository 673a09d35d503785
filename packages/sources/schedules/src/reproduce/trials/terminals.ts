import {
  type Connection,
  ConnectionLost,
  Interrupted,
  type Queue,
  type KeyQuestion as Question,
  answerTo,
} from '@isolab/collector';
import type { Program } from '@isolab/workloads';
import { type ConductOptions, Conductor, type Turn } from '../../schedule/conductor.ts';
import { type Reply, type Schedule, type Step, isQuestion } from '../../schedule/schedule.ts';

interface Answer {
  readonly reply?: Reply;
  readonly error?: string;
}

/** Result of a step. */
export interface Observed extends Answer, Pick<Turn<Step, Answer>, 'sent' | 'answered' | 'waited'> {}

/**
 * Terminals of a schedule, whose statements wait for their turn. The statements after a failed statement of a
 * transaction are not sent.
 */
export class Terminals {
  readonly #schedule: Schedule;
  readonly #conductor: Conductor<Step, Answer>;
  readonly #gates: ReadonlyMap<Step, Gate>;
  readonly #allConnected = new Gate();
  #connected = 0;

  constructor(schedule: Schedule, options: ConductOptions) {
    this.#schedule = schedule;
    this.#gates = new Map(schedule.steps.map((step) => [step, new Gate()]));
    const conducted = {
      sessionOf: (step: Step) => step.terminal,
      isEnd: (step: Step) => step.does.kind === 'commit' || step.does.kind === 'rollback',
      rushes: (step: Step) => step.rushes === true,
      send: ({ step }: Turn<Step, Answer>) => this.#gates.get(step)!.open(true),
    };
    this.#conductor = new Conductor(schedule.steps, conducted, options);
  }

  get isOver(): boolean {
    return this.#conductor.isOver;
  }

  /** Results until now, step by step. */
  get observed(): readonly Observed[] {
    return this.#conductor.turns.map(({ sent, answered, waited, answer }) => ({ sent, answered, waited, ...answer }));
  }

  /** Runs the schedule. Returns false if it was given up because answers were missing. */
  async run(): Promise<boolean> {
    await this.#allConnected.opened;
    try {
      return await this.#conductor.run();
    } finally {
      this.stop();
    }
  }

  stop(): void {
    this.#conductor.stop();
    for (const gate of [this.#allConnected, ...this.#gates.values()]) gate.open(false);
  }

  /** Returns the transactions of a terminal for the collector. */
  queueOf(terminal: number): Queue {
    const transactions = this.#schedule.transactions.flatMap((one, i) => (one.terminal === terminal ? [i] : []));
    let at = 0;
    let current = -1;
    const turns = (): readonly Turn<Step, Answer>[] =>
      this.#conductor.turns.filter(({ step }) => step.transaction === current);
    // Marks steps that will never be sent.
    const leaveOut = (): void => this.#conductor.leaveOut(({ transaction }) => transaction === current);
    return {
      next: () => {
        const transaction = transactions[at];
        if (transaction === undefined) return null;
        at++;
        current = transaction;
        return () => programOf(turns().map(({ step }) => step));
      },
      mayBegin: () => false,
      ended: leaveOut,
      connected: (connection) => {
        if (++this.#connected === this.#schedule.terminals) this.#allConnected.open(true);
        return this.#conducted(connection, turns, leaveOut);
      },
      turn: async () => {
        if (!(await this.#gates.get(turns()[0]!.step)!.opened)) throw new Interrupted();
      },
    };
  }

  /** Returns a connection whose statements wait for their turn. */
  #conducted(connection: Connection, turns: () => readonly Turn<Step, Answer>[], leaveOut: () => void): Connection {
    const doing = async <T>(
      kind: Step['does']['kind'],
      does: () => Promise<T>,
      told?: (answer: T) => Reply,
    ): Promise<T> => {
      const turn = turns().find(({ isOver }) => !isOver);
      if (!turn || turn.step.does.kind !== kind) return does(); // a rollback after a failure
      if (!(await this.#gates.get(turn.step)!.opened)) throw new ConnectionLost('the schedule was abandoned');
      try {
        const answer = await does();
        const reply = told?.(answer);
        this.#conductor.answered(turn, reply === undefined ? {} : { reply });
        return answer;
      } catch (error) {
        this.#conductor.answered(turn, { error: error instanceof Error ? error.message : String(error) });
        leaveOut();
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

/** A gate that opens once: true if the statement may be sent, false if it never will be. */
class Gate {
  readonly opened: Promise<boolean>;
  open: (mayGo: boolean) => void = () => {};

  constructor() {
    this.opened = new Promise((resolve) => (this.open = resolve));
  }
}

/** Makes the requests of the steps of a transaction, regardless of the answers. */
function* programOf(steps: readonly Step[]): Program {
  for (const { does } of steps) {
    if (isQuestion(does)) yield does;
    else if (does.kind === 'rollback') yield { kind: 'abort' };
  }
}
