import { type RunContext, Stop, type Verdict } from '@isolab/contract';
import type { History } from '@isolab/history';
import { prepare } from '@isolab/testkit';
import { porcupine } from '../../src/index.ts';

/** A context that records its reports, and stops after some steps. */
export class Recorder implements RunContext {
  readonly certify: boolean;
  readonly findAll: boolean;
  readonly counters: Record<string, number> = {};
  steps = 0;
  readonly #maxSteps: number;

  constructor({ certify = true, findAll = false, maxSteps = Infinity } = {}) {
    this.certify = certify;
    this.findAll = findAll;
    this.#maxSteps = maxSteps;
  }

  stage(): void {}

  count(name: string, amount: number): void {
    this.counters[name] = (this.counters[name] ?? 0) + amount;
  }

  progress(): void {}

  tick(steps: number): void {
    this.steps += steps;
    if (this.steps > this.#maxSteps) throw new Stop('steps', 'the steps are spent');
  }
}

export const check = (history: History, context: RunContext = new Recorder()): Verdict =>
  porcupine.check(prepare(history), 'linearizable', {}, context) as Verdict;
