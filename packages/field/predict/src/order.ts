/**
 * Orders in which the statements of a predicted execution can be executed one after the other, so that each of its
 * reads sees the predicted version. Statements see committed versions: the latest ones, or at levels with snapshots
 * those before the first statement of their transaction.
 */
import { type LevelName, implies } from '@isolab/contract';
import { type History, transactionOfOperations } from '@isolab/history';
import type { Event } from './command/schedule.ts';
import type { Execution, Setting } from './execution.ts';
import { INITIAL, NO_SOURCE } from './model.ts';
import type { Statements } from './programs.ts';

/** Returns the number of the statement of each operation in its transaction; null if statements were not recorded. */
export function statementNumbers(whole: History, statements: Statements): Int32Array | null {
  if (statements.size === 0) return null;
  const txnOf = transactionOfOperations(whole);
  const numbers = new Int32Array(whole.opKind.length).fill(-1);
  for (let op = 0; op < numbers.length;) {
    const t = txnOf[op];
    const of = statements.get(whole.txnPosition[t]) ?? [];
    for (const [number, { operations }] of of.entries()) numbers.fill(number, op, (op += operations));
    op = whole.txnStart[t + 1];
  }
  return numbers;
}

/** A step of a transaction: the operations of a statement, or its end. */
interface Step {
  readonly statement: number | null;
  readonly operations: readonly number[];
  readonly isLast: boolean;
}

const MOST_STATES = 20_000;

/**
 * Returns an order of the statements of some transactions and of those that they read from; null if there is none. An
 * order in which no statement meets the uncommitted write of another transaction comes first.
 */
export function orderOf(
  setting: Setting,
  execution: Execution,
  cycle: readonly number[],
  weaker: LevelName,
): readonly Event[] | null {
  if (setting.statementOf === null) return null;
  const hasSnapshots = implies(weaker, 'prefix');
  for (const waits of [true, false]) {
    const found = new Ordering(setting, execution, cycle, { hasSnapshots, waits }).find();
    if (found !== null) return found;
  }
  return null;
}

class Ordering {
  readonly #setting: Setting;
  readonly #execution: Execution;
  readonly #hasSnapshots: boolean;
  readonly #waits: boolean;
  readonly #part: readonly number[];
  readonly #steps: readonly (readonly Step[])[];
  /** Number of executed steps of each transaction. */
  readonly #done: number[];
  /** Committed writers of each key, in order. */
  readonly #committed = new Map<number, number[]>();
  /** Number of commits before the first statement of each transaction. */
  readonly #begun: number[];
  readonly #commits: number[] = [];
  readonly #order: Event[] = [];
  #states = 0;

  constructor(
    setting: Setting,
    execution: Execution,
    cycle: readonly number[],
    { hasSnapshots, waits }: { readonly hasSnapshots: boolean; readonly waits: boolean },
  ) {
    this.#setting = setting;
    this.#execution = execution;
    this.#hasSnapshots = hasSnapshots;
    this.#waits = waits;
    const { model } = setting;
    const line = (t: number): number => model.history.txnPosition[model.txnOf[t]];
    this.#part = [...this.#withSources(cycle)].toSorted((a, b) => line(a) - line(b));
    this.#steps = this.#part.map((t) => this.#stepsOf(t));
    this.#done = this.#part.map(() => 0);
    this.#begun = this.#part.map(() => -1);
  }

  find(): readonly Event[] | null {
    return this.#next(-1) ? this.#order : null;
  }

  #sourceOf(op: number): number {
    return this.#execution.sources.get(op) ?? this.#setting.model.source[op];
  }

  #withSources(cycle: readonly number[]): Set<number> {
    const { start, txn } = this.#setting.model;
    const found = new Set<number>();
    const waiting = [...cycle];
    for (let t = waiting.pop(); t !== undefined; t = waiting.pop()) {
      if (found.has(t)) continue;
      found.add(t);
      for (let op = start[t]; op < this.#execution.end[t]; op++)
        if (this.#sourceOf(op) >= 0) waiting.push(txn[this.#sourceOf(op)]);
    }
    return found;
  }

  #stepsOf(t: number): readonly Step[] {
    const { model, flow, statementOf } = this.#setting;
    const byStatement = new Map<number, number[]>();
    for (let op = model.start[t]; op < this.#execution.end[t]; op++) {
      const number = statementOf![flow.operationOf(model.operation[op])];
      byStatement.set(number, [...(byStatement.get(number) ?? []), op]);
    }
    const steps = [...byStatement].map(([statement, operations]) => ({ statement, operations, isLast: false }));
    return [...steps, { statement: null, operations: [], isLast: true }];
  }

  /** Prefers the transaction of the last step, and then the order of the recording. */
  #next(last: number): boolean {
    if (this.#done.every((done, i) => done === this.#steps[i]!.length)) return true;
    if (++this.#states > MOST_STATES) return false;
    const others = Array.from(this.#part.keys()).filter((i) => i !== last);
    for (const i of [...(last < 0 ? [] : [last]), ...others]) {
      const step = this.#steps[i]![this.#done[i]!];
      if (step === undefined || !this.#isPossible(i, step)) continue;
      this.#takes(i, step);
      if (this.#next(i)) return true;
      this.#takesBack(i, step);
    }
    return false;
  }

  #isPossible(i: number, { operations }: Step): boolean {
    const { model, flow } = this.#setting;
    return operations.every((op) => {
      const isCurrent = model.isWrite[op] === 1 || flow.isUpdate(model.operation[op]);
      if (isCurrent && this.#waits && this.#isLocked(i, model.key[op])) return false;
      const source = this.#sourceOf(op);
      if (model.isWrite[op] === 1 || source === NO_SOURCE) return true;
      return this.#visible(i, model.key[op], isCurrent) === (source < 0 ? INITIAL : model.txn[source]);
    });
  }

  /** Returns the writer of the version that a transaction sees. */
  #visible(i: number, key: number, isCurrent: boolean): number {
    const writers = this.#committed.get(key) ?? [];
    const begun = this.#begun[i]!;
    if (isCurrent || !this.#hasSnapshots || begun < 0) return writers.at(-1) ?? INITIAL;
    const before = new Set(this.#commits.slice(0, begun));
    return writers.findLast((t) => before.has(t)) ?? INITIAL;
  }

  /** Returns whether another unfinished transaction has written or locked a key. */
  #isLocked(i: number, key: number): boolean {
    const { model, flow } = this.#setting;
    const isLock = (op: number): boolean => model.isWrite[op] === 1 || flow.isLocking(model.operation[op]);
    return this.#part.some((_, other) => {
      const steps = this.#steps[other]!;
      const done = this.#done[other]!;
      if (other === i || done === 0 || done === steps.length) return false;
      return steps
        .slice(0, done)
        .some(({ operations }) => operations.some((op) => model.key[op] === key && isLock(op)));
    });
  }

  #takes(i: number, step: Step): void {
    const t = this.#part[i]!;
    if (this.#done[i]++ === 0) this.#begun[i] = this.#commits.length;
    const { history, txnOf } = this.#setting.model;
    this.#order.push({ line: history.txnPosition[txnOf[t]], statement: step.statement });
    if (!step.isLast) return;
    this.#commits.push(t);
    for (const key of this.#keysWrittenBy(i)) this.#committed.set(key, [...(this.#committed.get(key) ?? []), t]);
  }

  #takesBack(i: number, step: Step): void {
    if (--this.#done[i] === 0) this.#begun[i] = -1;
    this.#order.pop();
    if (!step.isLast) return;
    this.#commits.pop();
    for (const key of this.#keysWrittenBy(i)) this.#committed.get(key)!.pop();
  }

  #keysWrittenBy(i: number): Set<number> {
    const { isWrite, key } = this.#setting.model;
    const operations = this.#steps[i]!.flatMap((step) => step.operations);
    return new Set(operations.filter((op) => isWrite[op] === 1).map((op) => key[op]));
  }
}
