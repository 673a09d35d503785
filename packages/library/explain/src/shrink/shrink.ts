// Delta debugging (Zeller & Hildebrandt, "Simplifying and Isolating Failure-Inducing Input", TSE 2002), guided by
// certificates. Transactions outside the anomaly are removed in one step, and the next anomaly names fewer
// transactions.

import type { FoundAnomaly } from '@isolab/contract';
import {
  type History,
  type IdColumn,
  OpKind,
  type TransactionId,
  countOperations,
  countTransactions,
  registersOf,
} from '@isolab/history';
import type { ShrinkResult, Violates } from './result.ts';
import { shrinkWithAggregates } from './with-aggregates.ts';
import { namedTransactions, withNeighbours } from './named.ts';
import { type Keep, type Part, partsOf, wholeOf } from './part.ts';

export interface ShrinkLimits {
  /** Known violation of the level in the whole history, in the numbers of that history or of its lowered form. */
  readonly anomaly?: FoundAnomaly;
  /** Maximum number of checks, after which shrinking returns the smallest part found. */
  readonly maxChecks?: number;
  /** Stops shrinking once `aborted` is true. An AbortSignal works. */
  readonly signal?: { readonly aborted: boolean };
  readonly onProgress?: (progress: ShrinkProgress) => void;
  /**
   * Number of searches for a smaller violation elsewhere if the violation has more than 6 transactions. The default is
   * 12, or less for a large history.
   */
  readonly retries?: number;
}

export interface ShrinkProgress {
  readonly stage: 'transactions' | 'operations';
  readonly transactions: number;
  readonly operations: number;
  readonly checks: number;
}

/** Minimises a history that violates a level. Throws a RangeError if the history does not violate the level. */
export async function shrink(history: History, violates: Violates, options: ShrinkLimits = {}): Promise<ShrinkResult> {
  if (options.anomaly?.certificate?.kind === 'aggregates')
    return shrinkWithAggregates(history, violates, options.anomaly);
  const lowered = isShrunkLowered(history);
  const registers = lowered ? registersOf(history, options.anomaly ?? {}) : null;
  const whole = wholeOf(registers?.history ?? history);
  let best = new Shrinker(whole, violates, options, 0);
  const end = await best.run(options.anomaly ? inLowered(options.anomaly) : null);
  if (end === 'satisfied') throw new RangeError('The history does not violate the level; there is nothing to shrink.');
  let { checks } = best;
  const isMinimal = end === 'minimal';
  const keep = partsOf(whole.history);
  const tried = new Set<number>();
  const affordable = Math.floor(MOST_OPERATIONS / whole.opOf.length);
  const retries = Math.min(options.retries ?? RETRIES, affordable);
  for (let left = isMinimal ? retries : 0; left > 0 && best.size > LARGE; left--) {
    const without = best.part.txnOf.find((t) => !tried.has(t));
    if (without === undefined) break;
    tried.add(without);
    const rest = keep(new Uint8Array(whole.txnOf.length).fill(1).fill(0, without, without + 1));
    const elsewhere = new Shrinker(rest, violates, options, checks);
    const isDone = (await elsewhere.run(null)) === 'minimal';
    ({ checks } = elsewhere);
    if (isDone && elsewhere.size < best.size) best = elsewhere;
  }
  const { part, anomaly } = best;
  const opOf = registers ? part.opOf.map((op) => registers.opOf[op]) : part.opOf;
  return { ...part, opOf, anomaly, checks, isMinimal, lowered };
}

/** Converts the anomaly to the lowered history, where no scan is left to name the rows that it passed over. */
const inLowered = (anomaly: FoundAnomaly): FoundAnomaly => ({ ...anomaly, passedOver: undefined });

/** Returns whether shrinking lowers the history to reads and writes and may remove some of them. */
export const isShrunkLowered = ({ opKind }: History): boolean =>
  opKind.includes(OpKind.RangeRead) || opKind.includes(OpKind.Scan);

class Shrinker {
  part: Part;
  anomaly: FoundAnomaly | null = null;
  checks: number;
  #unknowns = 0; // since the last removal
  readonly #violates: Violates;
  readonly #options: ShrinkLimits;
  #keep: Keep;
  #stage: ShrinkProgress['stage'] = 'transactions';

  constructor(part: Part, violates: Violates, options: ShrinkLimits, checks: number) {
    this.part = part;
    this.checks = checks;
    this.#violates = violates;
    this.#options = options;
    this.#keep = partsOf(part.history);
  }

  get size(): number {
    return this.#count('transactions');
  }

  /** Returns how shrinking ended. An anomaly that is already known is not searched again. */
  async run(known: FoundAnomaly | null): Promise<'minimal' | 'stopped' | 'satisfied'> {
    this.anomaly = known;
    if (known === null) {
      if (this.#isStopped()) return 'stopped';
      this.checks++;
      const judgement = await this.#violates(this.part.history);
      if (judgement === 'unknown') return 'stopped';
      if (!judgement) return 'satisfied';
      if (judgement !== true) this.anomaly = judgement;
    }
    await this.#focus();
    await this.#remove('transactions', Math.ceil(this.#count('transactions') / 2));
    await this.#remove('operations', Math.ceil(this.#count('operations') / 2));
    // Removes superfluous parts until none is left.
    while ((await this.#remove('transactions', 1)) || (await this.#remove('operations', 1)));
    return this.#isStopped() || this.#unknowns > 0 ? 'stopped' : 'minimal';
  }

  /** Repeatedly removes everything outside the anomaly. */
  async #focus(): Promise<void> {
    for (let anomaly = this.anomaly; anomaly !== null; anomaly = this.anomaly) {
      const { history } = this.part;
      const named = namedTransactions(history, anomaly);
      if (named.size === 0) return;
      const smaller = (await this.#keepOnly(named)) || (await this.#keepOnly(withNeighbours(history, named)));
      if (!smaller) return;
    }
  }

  #keepOnly(txns: ReadonlySet<number>): Promise<boolean> {
    const kept = new Uint8Array(this.#count('transactions'));
    for (const t of txns) kept[t] = 1;
    return this.#attempt(kept);
  }

  /** Tries to remove runs of `size` items, then of half that size, down to 1. Returns whether anything was removed. */
  async #remove(what: ShrinkProgress['stage'], size: number): Promise<boolean> {
    this.#stage = what;
    let smaller = false;
    for (let run = Math.max(1, size); ; run = Math.ceil(run / 2)) {
      let removed = false;
      for (let from = 0; from < this.#count(what) && !this.#isStopped();) {
        if (await this.#without(what, from, from + run)) removed = true;
        else from += run;
      }
      smaller ||= removed;
      if (this.#isStopped() || (run === 1 && !removed)) return smaller;
    }
  }

  async #without(what: ShrinkProgress['stage'], from: number, to: number): Promise<boolean> {
    const kept = new Uint8Array(this.#count(what)).fill(1).fill(0, from, to);
    const gone =
      what === 'transactions'
        ? await this.#attempt(kept)
        : await this.#attempt(new Uint8Array(this.#count('transactions')).fill(1), kept);
    if (gone) await this.#focus();
    return gone;
  }

  /** Accepts a part if it is smaller and still violates the level. */
  async #attempt(txns: Uint8Array, ops?: Uint8Array): Promise<boolean> {
    if (this.#isStopped()) return false;
    const next = this.#keep(txns, ops);
    const numTxns = countTransactions(next.history);
    const numOps = countOperations(next.history);
    if (numOps === 0 || (numTxns === this.#count('transactions') && numOps === this.#count('operations'))) return false;
    this.checks++;
    const judgement = await this.#violates(next.history);
    if (judgement === 'unknown') this.#unknowns++;
    if (!judgement || judgement === 'unknown') return false;
    this.#unknowns = 0;
    this.anomaly = judgement === true ? null : judgement;
    this.part = {
      history: next.history,
      txnOf: next.txnOf.map((t) => this.part.txnOf[t]) as IdColumn<TransactionId>,
      opOf: next.opOf.map((op) => this.part.opOf[op]),
    };
    this.#keep = partsOf(next.history);
    this.#options.onProgress?.({ stage: this.#stage, transactions: numTxns, operations: numOps, checks: this.checks });
    return true;
  }

  #count(what: ShrinkProgress['stage']): number {
    const { history } = this.part;
    return what === 'transactions' ? countTransactions(history) : countOperations(history);
  }

  #isStopped(): boolean {
    const { signal, maxChecks = Infinity } = this.#options;
    return this.checks >= maxChecks || signal?.aborted === true;
  }
}

/** A violation with more transactions probably has a smaller violation beside it. */
const LARGE = 6;
const RETRIES = 12;
/** Limit on the operations of all retries together, because each retry begins with the whole history. */
const MOST_OPERATIONS = 1_000_000;
