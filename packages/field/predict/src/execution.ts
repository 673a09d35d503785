/**
 * Predicted executions: the recorded transactions, some of whose reads see other versions. Operations before the first
 * changed value are as recorded; the boundary determines the later operations that are kept. Any session may stop
 * anywhere, so an execution may leave out the rest of a session, and the readers of its writes.
 */
import type { History, Scalar } from '@isolab/history';
import type { DataFlow } from './data-flow.ts';
import { INITIAL, type Model, lastWrite } from './model.ts';
import type { Plan } from './plan.ts';
import type { ScannedReads } from './scanned.ts';

export const BOUNDARIES = ['data-flow', 'relaxed', 'strict'] as const;

/**
 * Operations that are kept after a changed value. `strict`: none. `relaxed`: the rest of the transaction, which is the
 * last one of its session. `data-flow`: the rest of the session, until an operation has a parameter that equals a
 * changed value.
 */
export type Boundary = (typeof BOUNDARIES)[number];

/** A read, and the transaction whose version it sees instead of the recorded version, or INITIAL. */
export interface Change {
  readonly read: number;
  readonly writer: number;
}

/** The model, the boundary, and the data flow that the boundary may follow. */
export interface Setting {
  readonly whole: History;
  readonly model: Model;
  readonly scanned: ScannedReads;
  readonly boundary: Boundary;
  readonly flow: DataFlow;
  /** Transactions that take part in no prediction. */
  readonly leftOut: readonly number[];
  /** Statement of each operation of the whole history in its transaction; null without statements. */
  readonly statementOf: Int32Array | null;
  /** Levels of transactions, and locking reads; null if the weaker level has no plans. */
  readonly plan: Plan | null;
}

export interface Execution {
  /** End of the kept operations of each transaction. */
  readonly end: Int32Array;
  /** 1 for transactions that take part. */
  readonly takesPart: Uint8Array;
  /** Source of each changed read. */
  readonly sources: ReadonlyMap<number, number>;
  /** First read with a value other than recorded, by transaction. */
  readonly divergence: ReadonlyMap<number, number>;
}

/** Returns the largest execution with some changes and without some transactions; null if a change is impossible. */
export function execute(
  setting: Setting,
  changes: readonly Change[],
  leftOut: Iterable<number> = [],
): Execution | null {
  return new Run(setting, changes).finish([...setting.leftOut, ...leftOut]);
}

/** Effect of a single change on the other transactions and on its own one. */
export interface Effect {
  /** End of the kept operations of its own transaction. */
  readonly end: number;
  /** Its read if that has a value other than recorded; otherwise infinite. */
  readonly divergence: number;
  readonly isIn: (t: number) => boolean;
}

export function effectOf(setting: Setting, change: Change): Effect {
  const run = new Run(setting, [change]);
  const t = setting.model.txn[change.read];
  run.finish(setting.leftOut);
  const { end, takesPart, divergence } = run;
  const bits = new Uint32Array((takesPart.length + 31) >> 5);
  for (let u = 0; u < takesPart.length; u++) bits[u >> 5] |= takesPart[u]! << (u & 31);
  return {
    end: end[t]!,
    divergence: divergence.get(t) ?? Infinity,
    isIn: (u) => ((bits[u >> 5]! >>> (u & 31)) & 1) === 1,
  };
}

/** Returns the transactions that some changes leave out, or whose later writes they make unknown. */
export function affectedBy(setting: Setting, changes: readonly Change[]): number[] {
  const run = new Run(setting, changes);
  run.finish(setting.leftOut);
  return Array.from(run.end.keys()).filter((t) => run.takesPart[t] === 0 || run.divergence.has(t));
}

class Run implements Omit<Execution, 'sources'> {
  readonly #setting: Setting;
  readonly #changes: readonly Change[];
  readonly #changed: ReadonlySet<number>;
  readonly end: Int32Array;
  readonly takesPart: Uint8Array;
  readonly divergence = new Map<number, number>();
  /** Texts that each read with another value no longer returns. */
  readonly #lost = new Map<number, ReadonlySet<string>>();

  constructor(setting: Setting, changes: readonly Change[]) {
    this.#setting = setting;
    this.#changes = changes;
    this.#changed = new Set(changes.map(({ read }) => read));
    this.end = setting.model.start.slice(1);
    this.takesPart = new Uint8Array(this.end.length).fill(1);
  }

  finish(leftOut: Iterable<number>): Execution | null {
    while (this.#followChanges());
    for (const t of leftOut) this.#leaveOut(t);
    for (const t of this.divergence.keys()) this.#leaveOutFollowers(t);
    const { txn } = this.#setting.model;
    const sources = new Map<number, number>();
    for (const { read, writer } of this.#changes) {
      const source = this.#sourceOf(read, writer);
      const isLeftOut = this.takesPart[txn[read]] === 0 || (writer >= 0 && this.takesPart[writer] === 0);
      if (source === null || isLeftOut || read >= this.end[txn[read]]) return null;
      sources.set(read, source);
    }
    const { end, takesPart, divergence } = this;
    return { end, takesPart, sources, divergence };
  }

  /** Leaves out a transaction, the later ones of its session, and the readers of their writes. */
  #leaveOut(t: number): void {
    const { session, start } = this.#setting.model;
    for (let u = t; u < session.length && session[u] === session[t] && this.takesPart[u] === 1; u++) {
      this.takesPart[u] = 0;
      const end = this.end[u];
      this.end[u] = start[u];
      for (let op = start[u]; op < end; op++) this.#leaveOutReadersOf(op);
    }
  }

  /** Cuts transactions behind reads that are now known to return another value. Returns whether there are any. */
  #followChanges(): boolean {
    const { model, scanned } = this.#setting;
    let isFurther = false;
    for (const { read, writer } of this.#changes) {
      const t = model.txn[read];
      const source = this.#sourceOf(read, writer);
      if (source === null || read >= this.end[t]) continue;
      const lost = scanned.aggregateOf(read) === undefined ? this.#lostBy(read, source) : this.#lostResult(read);
      if (lost === null) continue;
      const known = this.#lost.get(read);
      if (known !== undefined && [...lost].every((text) => known.has(text))) continue;
      const all = new Set([...lost, ...(known ?? [])]);
      this.#lost.set(read, all);
      this.divergence.set(t, Math.min(read, this.divergence.get(t) ?? Infinity));
      this.end[t] = this.#endBehind(read, all);
      isFurther = true;
    }
    return isFurther;
  }

  /** Returns the texts that a read no longer returns; null if its value is as recorded. */
  #lostBy(read: number, source: number): ReadonlySet<string> | null {
    const { model, flow, scanned } = this.#setting;
    const isUnknown = scanned.isUnknown(source, this.divergence);
    const value = source < 0 ? model.history.keyInitial[model.key[read]] : model.value[source];
    if (!isUnknown && value === model.value[read]) return null;
    // A scan returns no column of a version that does not match.
    const isReturned = scanned.shown(read, source).key === model.key[read];
    return flow.lost(model.value[read], isUnknown || !isReturned ? null : value);
  }

  /** Returns the text that an aggregate no longer returns; null if its result is as recorded. */
  #lostResult(read: number): ReadonlySet<string> | null {
    const { scanned } = this.#setting;
    const sources = new Map<number, number>();
    for (const change of this.#changes) {
      const source = this.#sourceOf(change.read, change.writer);
      if (source !== null) sources.set(change.read, source);
    }
    const { result } = scanned.aggregateOf(read)!;
    return scanned.resultOf(read, { sources, divergence: this.divergence }) === result ? null : textsOf(result);
  }

  #sourceOf(read: number, writer: number): number | null {
    if (writer === INITIAL) return INITIAL;
    const { model } = this.#setting;
    const source = lastWrite(model, writer, model.key[read], this.end[writer]);
    return source < 0 ? null : source;
  }

  /** Returns the end of the operations that the boundary keeps behind a read with another value. */
  #endBehind(read: number, lost: Set<string>): number {
    const { model, boundary, flow, scanned } = this.#setting;
    const end = this.end[model.txn[read]];
    const next = scanned.endOf(read);
    if (boundary === 'strict') return Math.min(end, next);
    if (boundary === 'relaxed') return end;
    const unknown = new Set<number>(); // keys
    for (let op = next; op < end; op++) {
      if (flow.usesOne(model.operation[op], lost)) return op;
      if (model.isWrite[op] === 1 && !scanned.isDelete(op)) unknown.add(model.key[op]);
      else if (model.isWrite[op] === 1) unknown.delete(model.key[op]);
      else if (unknown.has(model.key[op]))
        for (const text of textsOf(scanned.aggregateOf(op)?.result ?? null)) lost.add(text);
    }
    return end;
  }

  /** Leaves out the readers and the later transactions that a transaction with another value may influence. */
  #leaveOutFollowers(t: number): void {
    const { model, boundary } = this.#setting;
    for (let op = this.divergence.get(t)! + 1; op < model.start[t + 1]; op++) this.#leaveOutReadersOf(op);
    const isCut = this.end[t] < model.start[t + 1];
    for (let u = t + 1; model.session[u] === model.session[t]; u++)
      if (boundary !== 'data-flow' || isCut || this.#dependsOn(u, t)) return this.#leaveOut(u);
  }

  /** Returns whether a later transaction of a session uses a value that a transaction no longer reads. */
  #dependsOn(later: number, t: number): boolean {
    const { model, flow } = this.#setting;
    for (const [read, lost] of this.#lost) {
      if (model.txn[read] !== t) continue;
      for (let op = model.start[later]; op < model.start[later + 1]; op++)
        if (flow.usesOne(model.operation[op], lost)) return true;
    }
    return false;
  }

  /** Leaves out transactions that saw a version that is no longer known, unless a change gives them another one. */
  #leaveOutReadersOf(write: number): void {
    const { readers, txn } = this.#setting.model;
    for (const read of readers[write]!)
      if (read < this.end[txn[read]] && !this.#changed.has(read)) this.#leaveOut(txn[read]);
  }
}

/** Returns the text of a result, which a later parameter may equal. */
const textsOf = (result: Scalar): ReadonlySet<string> =>
  new Set(result === null || typeof result === 'boolean' ? [] : [String(result)]);
