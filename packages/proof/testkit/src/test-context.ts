import { type RunContext, Stop } from '@isolab/contract';

/** Context that records the reports of a checker, and stops the run after `maxSteps` steps. */
export class TestContext implements RunContext {
  readonly certify: boolean;
  readonly findAll: boolean;
  /** Names of the stages. A stage that is named twice in succession counts once. */
  readonly stages: string[] = [];
  readonly counters: Record<string, number> = {};
  steps = 0;
  /** Whether the budget was exhausted, so that the checker had to stop. */
  stopped = false;
  readonly #maxSteps: number;

  constructor({ certify = true, findAll = false, maxSteps = Infinity } = {}) {
    this.certify = certify;
    this.findAll = findAll;
    this.#maxSteps = maxSteps;
  }

  readonly stage = (name: string): void => {
    if (this.stages.at(-1) !== name) this.stages.push(name);
  };

  readonly count = (name: string, amount: number): void => {
    this.counters[name] = (this.counters[name] ?? 0) + amount;
  };

  readonly progress = (): void => {};

  readonly tick = (steps: number): void => {
    this.steps += steps;
    if (this.steps <= this.#maxSteps) return;
    this.stopped = true;
    throw new Stop('steps', 'the steps are spent');
  };
}
