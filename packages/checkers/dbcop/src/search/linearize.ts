import type { RunContext } from '@isolab/contract';
import { IntList } from '@isolab/graph';
import { Memo } from './memo.ts';
import { Prefix } from './prefix.ts';
import type { Steps } from './steps.ts';

export interface SearchOptions {
  /** Whether steps that are always safe to execute next are executed without a choice. */
  readonly eager: boolean;
  readonly maxMemoBytes: number;
}

/** A correct order of all steps, or the longest prefix that the search found. */
export type Linearization =
  | { readonly order: Int32Array; readonly stuck: null }
  | { readonly order: null; readonly stuck: Int32Array };

/**
 * Algorithm 2 (Biswas & Enea, OOPSLA 2019): searches for valid extensions of the empty prefix up to the whole history,
 * depth first, and remembers failed prefixes. Implemented without recursion.
 * Prefixes with only one extension to try are not remembered: they fail together with the next prefix that has a
 * choice.
 */
export function linearize(steps: Steps, options: SearchOptions, context: RunContext): Linearization {
  const search = new Search(steps, options, context);
  try {
    return search.run();
  } finally {
    search.publish();
  }
}

class Search {
  readonly #steps: Steps;
  readonly #eager: boolean;
  readonly #context: RunContext;
  readonly #prefix: Prefix;
  readonly #memo: Memo;
  readonly #order: Int32Array; // the executed steps; the first #depth entries are valid
  #depth = 0;
  readonly #branchDepth = new IntList(); // by choice: the length of the prefix before it …
  readonly #branchStart = new IntList(); // … and the start of its other candidates in #candidates, the best candidate last
  readonly #candidates = new IntList();
  #deepest = -1;
  #stuck: Int32Array;
  #expanded = 0;
  #known = 0;

  constructor(steps: Steps, { eager, maxMemoBytes }: SearchOptions, context: RunContext) {
    this.#steps = steps;
    this.#eager = eager;
    this.#context = context;
    this.#prefix = new Prefix(steps);
    this.#memo = new Memo(steps.numSessions, maxMemoBytes);
    this.#order = new Int32Array(steps.numSteps);
    this.#stuck = this.#prefix.boundary;
  }

  publish(): void {
    this.#context.count('prefixesExpanded', this.#expanded);
    this.#context.count('prefixesKnownToFail', this.#known);
    this.#context.count('prefixesStored', this.#memo.size);
    this.#context.count('memoBytes', this.#memo.bytes);
  }

  run(): Linearization {
    const { numSteps } = this.#steps;
    for (;;) {
      const first = this.#candidates.length;
      this.#expand();
      if (this.#depth === numSteps) return { order: this.#order, stuck: null };
      const numCandidates = this.#candidates.length - first;
      if (numCandidates === 1) {
        this.#execute(this.#candidates.items[--this.#candidates.length]);
      } else if (numCandidates > 1 && !this.#isKnown(first)) {
        this.#branchDepth.push(this.#depth);
        this.#branchStart.push(first);
        this.#execute(this.#candidates.items[--this.#candidates.length]);
      } else if (!this.#backtrack()) {
        return { order: null, stuck: this.#stuck };
      }
    }
  }

  /** Executes steps that need no choice, then lists the other next steps, the best step last. */
  #expand(): void {
    const { numSessions } = this.#steps;
    const prefix = this.#prefix;
    const first = this.#candidates.length;
    let changed: boolean;
    do {
      changed = false;
      this.#candidates.length = first;
      const before = this.#depth;
      for (let s = 0; s < numSessions; s++) {
        let step = prefix.next(s);
        while (step >= 0 && prefix.allows(step) && this.#eager && prefix.isSafe(step)) {
          this.#execute(step);
          changed = true;
          step = prefix.next(s);
        }
        if (step >= 0 && prefix.allows(step)) this.#insert(first, step);
      }
      this.#context.tick(1 + numSessions + this.#depth - before);
    } while (changed);
    this.#expanded++;
    if (this.#depth <= this.#deepest || this.#candidates.length > first) return;
    this.#deepest = this.#depth;
    this.#stuck = prefix.boundary.slice();
  }

  /** Keeps candidates in descending order of their session's pace, so that the slowest session is tried first. */
  #insert(first: number, step: number): void {
    const candidates = this.#candidates;
    const pace = this.#paceOf(step);
    candidates.push(step);
    let i = candidates.length - 1;
    for (; i > first && this.#paceOf(candidates.items[i - 1]) <= pace; i--)
      candidates.items[i] = candidates.items[i - 1];
    candidates.items[i] = step;
  }

  /** Share of the session's steps that precede a step. */
  #paceOf(step: number): number {
    const { first, sessionOf } = this.#steps;
    const s = sessionOf[step];
    return (step - first[s]) / (first[s + 1] - first[s]);
  }

  #isKnown(first: number): boolean {
    if (!this.#memo.has(this.#prefix.boundary, this.#prefix.hash)) return false;
    this.#known++;
    this.#candidates.length = first;
    return true;
  }

  #execute(step: number): void {
    this.#prefix.execute(step);
    this.#order[this.#depth++] = step;
  }

  /** Returns to the last choice that has another candidate, and takes this candidate; false if there is none. */
  #backtrack(): boolean {
    const candidates = this.#candidates;
    while (this.#branchDepth.length > 0) {
      const top = this.#branchDepth.length - 1;
      const depth = this.#branchDepth.items[top];
      this.#context.tick(1 + this.#depth - depth);
      while (this.#depth > depth) this.#prefix.undo(this.#order[--this.#depth]);
      if (candidates.length > this.#branchStart.items[top]) {
        this.#execute(candidates.items[--candidates.length]);
        return true;
      }
      this.#memo.add(this.#prefix.boundary, this.#prefix.hash);
      this.#branchDepth.length = this.#branchStart.length = top;
    }
    return false;
  }
}
