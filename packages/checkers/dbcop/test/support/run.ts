import { type InputOf, type RunContext, Stop, type Verdict } from '@isolab/contract';
import { type History, buildReadFrom, findInternalAnomalies } from '@isolab/history';
import { type DbcopOptions, dbcop } from '../../src/index.ts';
import type { DbcopLevel } from '../../src/levels.ts';

export const inputOf = (history: History): InputOf<'history'> => {
  const index = buildReadFrom(history);
  return { kind: 'history', history, index, internal: findInternalAnomalies(history, index) };
};

const DEFAULTS: DbcopOptions = {
  asPublished: false,
  decompose: false,
  eager: true,
  maxClosureBytes: 2 ** 31,
  maxMemoBytes: 2 ** 31,
};

/** A context that records its reports, and stops after some steps. */
export class Recorder implements RunContext {
  readonly certify: boolean;
  readonly findAll: boolean;
  readonly stages: string[] = [];
  readonly counters: Record<string, number> = {};
  steps = 0;
  readonly #maxSteps: number;

  constructor({ certify = true, findAll = false, maxSteps = Infinity } = {}) {
    this.certify = certify;
    this.findAll = findAll;
    this.#maxSteps = maxSteps;
  }

  stage(name: string): void {
    if (this.stages.at(-1) !== name) this.stages.push(name);
  }

  count(name: string, amount: number): void {
    this.counters[name] = (this.counters[name] ?? 0) + amount;
  }

  progress(): void {}

  tick(steps: number): void {
    this.steps += steps;
    if (this.steps > this.#maxSteps) throw new Stop('steps');
  }
}

export const check = (
  history: History,
  level: DbcopLevel,
  options: Partial<DbcopOptions> = {},
  context: RunContext = new Recorder(),
): Verdict => dbcop.check(inputOf(history), level, { ...DEFAULTS, ...options }, context) as Verdict;

export const statusOf = (history: History, level: DbcopLevel, options: Partial<DbcopOptions> = {}): string =>
  check(history, level, options).status;
