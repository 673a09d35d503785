import { type RunContext, Stop } from '@isolab/contract';
import {
  type Operation,
  type OperationHistory,
  type OperationLevel,
  type OperationVerdict,
  type PartCertificate,
  type SequentialModel,
  makeHistory,
  textOf,
} from '@isolab/operations';
import { type Limits, limited } from './judge-limits.ts';

export interface ShrinkPartOptions {
  readonly level: OperationLevel;
  readonly check: (history: OperationHistory, model: SequentialModel, context: RunContext) => OperationVerdict;
  /** Operation at which a search got stuck, or −1. */
  readonly stuck: number;
  /** Work of the whole search. Each smaller search may take somewhat more. */
  readonly work: number;
  /** Limits for all smaller searches together. */
  readonly limits: Required<Limits>;
}

export interface ShrunkPart {
  readonly certificate: PartCertificate;
  /** Reason why no further parts were tried; null if all were tried. */
  readonly stopped: string | null;
}

/**
 * Finds a small part of a history that violates a level, in steps that never turn a satisfying history into a violating
 * history (see the verifier): it removes later operations, reads and other parts of the object, and the returns of
 * operations. Stops after a while, or at a limit, with the smallest part found.
 */
export function shrinkToPart(
  history: OperationHistory,
  model: SequentialModel,
  options: ShrinkPartOptions,
): ShrunkPart {
  const part = new OperationsPart(history, model, options);
  if (options.level === 'linearizable') part.cut();
  part.reduce();
  return part.shrunk();
}

class OperationsPart {
  readonly #history: OperationHistory;
  readonly #model: SequentialModel;
  readonly #options: ShrinkPartOptions;
  readonly #deadline: number;
  #stepsLeft: number;
  #stopped: string | null = null;
  readonly #members: readonly number[];
  #kept: readonly number[];
  #relaxed: readonly number[];
  #until: number | null = null;

  constructor(history: OperationHistory, model: SequentialModel, options: ShrinkPartOptions) {
    const { operations } = history;
    this.#history = history;
    this.#model = model;
    this.#options = options;
    this.#deadline = performance.now() + Math.min(PATIENCE_MS, options.limits.timeMs);
    this.#stepsLeft = options.limits.steps;
    const partOf = (operation: Operation): string =>
      model.partition === undefined ? '' : textOf(model.partition(operation));
    const { stuck, level } = options;
    const isOne = level === 'linearizable' && stuck >= 0;
    this.#members = [...operations.keys()].filter(
      (i) => !isOne || partOf(operations[i]!) === partOf(operations[stuck]!),
    );
    this.#kept = this.#members.filter((i) => operations[i]!.return !== null);
    this.#relaxed = this.#members.filter((i) => operations[i]!.return === null && !this.#isRead(i));
  }

  /** Finds the first moment at which the history violates the level. */
  cut(): void {
    const { operations } = this.#history;
    const moments = [...new Set(this.#kept.map((i) => operations[i]!.return!))].toSorted((a, b) => a - b);
    let low = 0; // the answer is from here …
    let high = moments.length - 1; // … to here
    while (low < high && !this.#isOver()) {
      const middle = (low + high) >> 1;
      const { kept, relaxed } = this.#at(moments[middle]!);
      if (this.#isViolated(kept, relaxed)) high = middle;
      else low = middle + 1;
    }
    const until = moments[high]!;
    const { kept, relaxed } = this.#at(until);
    this.#until = until;
    this.#kept = kept;
    this.#relaxed = relaxed;
  }

  reduce(): void {
    const reads = this.#kept.filter((i) => this.#isRead(i));
    this.#kept = this.#without(reads, (gone) => [this.#kept.filter((i) => !gone.has(i)), this.#relaxed]);
    const others = this.#kept.filter((i) => !this.#isRead(i));
    const forget = (gone: ReadonlySet<number>): [readonly number[], readonly number[]] => [
      this.#kept.filter((i) => !gone.has(i)),
      [...this.#relaxed, ...gone].toSorted((a, b) => a - b),
    ];
    this.#without(others, forget);
  }

  shrunk(): ShrunkPart {
    return {
      certificate: { kind: 'operation-part', kept: this.#kept, relaxed: this.#relaxed, until: this.#until },
      stopped: this.#stopped,
    };
  }

  #isOver(): boolean {
    const isLate = performance.now() >= this.#deadline;
    if (this.#stepsLeft <= 0) this.#stopped ??= 'the budget of steps is spent';
    else if (isLate && this.#options.limits.timeMs < PATIENCE_MS) this.#stopped ??= 'the time limit was reached';
    else if (isLate) this.#stopped ??= `shrinking it took longer than ${PATIENCE_MS / 1000} s`;
    return this.#stopped !== null;
  }

  /** Removes as many items as possible, in chunks of decreasing size, as long as the rest violates the level. */
  #without(
    candidates: readonly number[],
    take: (gone: ReadonlySet<number>) => [kept: readonly number[], relaxed: readonly number[]],
  ): readonly number[] {
    let left = candidates;
    for (let size = left.length; size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
      for (let from = 0; from < left.length && !this.#isOver();) {
        const gone = left.slice(from, from + size);
        const [kept, relaxed] = take(new Set(gone));
        if (this.#isViolated(kept, relaxed)) {
          this.#kept = kept;
          this.#relaxed = relaxed;
          left = [...left.slice(0, from), ...left.slice(from + size)];
        } else from += size;
      }
    }
    return this.#kept;
  }

  #at(until: number): { kept: number[]; relaxed: number[] } {
    const { operations } = this.#history;
    const called = this.#members.filter((i) => operations[i]!.call <= until);
    const hasReturned = (i: number): boolean => operations[i]!.return !== null && operations[i]!.return! <= until;
    return {
      kept: called.filter(hasReturned),
      relaxed: called.filter((i) => !hasReturned(i) && !this.#isRead(i)),
    };
  }

  #isViolated(kept: readonly number[], relaxed: readonly number[]): boolean {
    const { check, work } = this.#options;
    const part = subHistory(this.#history, kept, relaxed);
    const steps = Math.min(STEPS + 20 * work, this.#stepsLeft);
    const context = limited({ steps, timeMs: Math.min(TEST_MS, this.#deadline - performance.now()) });
    try {
      return check(part, this.#model, context).status === 'violated';
    } catch (error) {
      if (error instanceof Stop) return false;
      throw error;
    } finally {
      this.#stepsLeft -= steps - context.left().steps;
    }
  }

  #isRead(i: number): boolean {
    return this.#model.isRead?.(this.#history.operations[i]!) === true;
  }
}

/** Turns a part of a history into a history, with relaxed operations pending. */
function subHistory(
  { operations }: OperationHistory,
  kept: readonly number[],
  relaxed: readonly number[],
): OperationHistory {
  return makeHistory([
    ...kept.map((i) => operations[i]!),
    ...relaxed.map((i) => ({ ...operations[i]!, result: undefined, return: null })),
  ]);
}

const PATIENCE_MS = 3000;
const TEST_MS = 500;
const STEPS = 20_000;
