/**
 * Sets of changes that may be a prediction together, size by size. With the recorded order of versions, a prediction
 * has a cycle. Either the cycle passes through each change of the set; or a smaller set already has the cycle, and
 * another change rules out other orders of versions, or changes a transaction that violates the weaker level; or another change keeps a transaction
 * that the smaller set leaves out. Sets that contain a prediction are not extended.
 */
import type { PossibleChange } from './changes.ts';
import type { Reach } from './dependencies.ts';
import { Exclusions } from './exclusions.ts';
import { type Setting, affectedBy } from './execution.ts';
import { INITIAL } from './model.ts';

export type Tried = 'prediction' | 'cycle' | 'no cycle' | Blocked;

/** The weaker level forbids all parts of the execution with a cycle. */
export interface Blocked {
  /** Transactions that violate the level. */
  readonly transactions: ReadonlySet<number>;
  /**
   * Reads that make all these transactions take part and violate the level: a larger set needs a change of one of them,
   * or one that cuts a transaction. Null if a transaction may be left out instead.
   */
  readonly reads: ReadonlySet<number> | null;
}

/** Path through the dependencies that a change adds. */
interface Arc {
  readonly from: number;
  readonly to: number;
}

/** Changes by their numbers, in ascending order. */
type Numbers = readonly number[];

export class ChangeSets {
  readonly changes: readonly PossibleChange[];
  readonly #setting: Setting;
  readonly #reach: Reach | null;
  readonly #exclusions: Exclusions | null;
  readonly #arcs: readonly (readonly Arc[])[];
  /** Changes of reads that saw a transaction in the recorded history, by that transaction. */
  readonly #readersOf = new Map<number, number[]>();
  /** Changes by the transaction of their read. */
  readonly #changesOf = new Map<number, number[]>();
  readonly #predictions: Numbers[] = [];
  /** Single changes that are blocked by certain reads. */
  readonly #blocked = new Map<number, Blocked>();
  /** Tried sets of the last size and of the present size that may be extended. */
  #before: { readonly set: Numbers; readonly result: Tried }[] = [];
  #tried: { readonly set: Numbers; readonly result: Tried }[] = [];
  /** Names of the sets of the present size. */
  #names = new Names(0);

  /** Without `reach`, any set may be a prediction. */
  constructor(setting: Setting, changes: readonly PossibleChange[], reach: Reach | null) {
    this.changes = changes;
    this.#setting = setting;
    this.#reach = reach;
    this.#exclusions = reach && new Exclusions(setting, changes);
    this.#arcs = changes.map((change) => (reach === null ? ANY : arcsOf(setting, change)));
    const { source, txn } = setting.model;
    for (const [i, { read }] of changes.entries()) {
      pushTo(this.#changesOf, txn[read], i);
      if (source[read] >= 0) pushTo(this.#readersOf, txn[source[read]], i);
    }
  }

  /** Yields the sets of a size, after all sets of the smaller sizes were added; and null from time to time. */
  *ofSize(size: number): Generator<Numbers | null> {
    this.#before = this.#tried;
    this.#tried = [];
    this.#names = new Names(this.changes.length ** size);
    for (const set of this.#candidates(size)) {
      if (set === null) yield null;
      else if (this.#isNew(set)) {
        const known = this.#knownResult(set);
        if (known === null) yield set;
        else {
          this.add(set, known);
          if (this.#tried.length % 64 === 0) yield null;
        }
      }
    }
  }

  /** Returns the result of a set if its single changes show it; otherwise null. */
  #knownResult(set: Numbers): Tried | null {
    for (const i of set) {
      const blocked = this.#blocked.get(i);
      if (blocked !== undefined && !set.some((j) => j !== i && this.#mayUnblock(blocked, j))) return blocked;
    }
    return set.length === 2 && this.#exclusions?.exclude(set[0]!, set[1]!) === true ? 'no cycle' : null;
  }

  #mayUnblock({ reads, transactions }: Blocked, i: number): boolean {
    const { read } = this.changes[i]!;
    return reads!.has(read) || (transactions.has(this.#setting.model.txn[read]) && this.#exclusions?.cuts(i) !== false);
  }

  /** Adds a set with its result. */
  add(set: Numbers, result: Tried): void {
    if (result === 'prediction') this.#predictions.push(set);
    else this.#tried.push({ set, result });
    if (set.length === 1 && typeof result === 'object' && result.reads !== null) this.#blocked.set(set[0]!, result);
  }

  #isNew(set: Numbers): boolean {
    if (!this.#names.add(this.#nameOf(set))) return false;
    for (const known of this.#predictions) if (known.every((i) => set.includes(i))) return false;
    return true;
  }

  /** Returns a number, which takes less memory than a text, if the set has one. */
  #nameOf(set: Numbers): number | string {
    let name = 0;
    for (const i of set) name = name * this.changes.length + i;
    return name < Number.MAX_SAFE_INTEGER ? name : set.join();
  }

  *#candidates(size: number): Generator<Numbers | null> {
    for (let i = 0; i < this.changes.length; i++) {
      if (size === 1) yield [i];
      else yield* this.#throughEach([i], this.#arcs[i]!, size);
    }
    for (const { set, result } of this.#before) {
      yield null;
      if (result === 'cycle') for (let i = 0; i < this.changes.length; i++) yield* this.#with(set, i);
      else yield* this.#keepingMore(set);
      if (typeof result === 'object')
        for (const t of result.transactions) for (const i of this.#changesOf.get(t) ?? []) yield* this.#with(set, i);
    }
  }

  /**
   * Yields the sets with a cycle through each change, by the arcs from the first one. Each path begins with the least
   * number.
   */
  *#throughEach(path: Numbers, arcs: readonly Arc[], size: number): Generator<Numbers | null> {
    yield null;
    for (let next = path[0]! + 1; next < this.changes.length; next++) {
      if (this.#hasReadOf(path, next)) continue;
      const longer: Arc[] = [];
      for (const { from, to } of arcs)
        for (const arc of this.#arcs[next]!) if (this.#leads(to, arc.from)) longer.push({ from, to: arc.to });
      if (path.length + 1 < size) yield* this.#throughEach([...path, next], longer, size);
      else if (longer.some(({ from, to }) => this.#leads(to, from))) yield [...path, next].toSorted(ascending);
    }
  }

  /** Yields a set with each change that may keep one of the transactions that the set leaves out. */
  *#keepingMore(set: Numbers): Generator<Numbers> {
    const changes = set.map((i) => this.changes[i]!);
    for (const t of affectedBy(this.#setting, changes))
      for (const i of this.#readersOf.get(t) ?? []) yield* this.#with(set, i);
  }

  *#with(set: Numbers, i: number): Generator<Numbers> {
    if (!this.#hasReadOf(set, i)) yield [...set, i].toSorted(ascending);
  }

  #hasReadOf(set: Numbers, i: number): boolean {
    return set.some((other) => this.changes[other]!.read === this.changes[i]!.read);
  }

  #leads(from: number, to: number): boolean {
    return this.#reach === null || this.#reach.leads(from, to);
  }
}

/** Set of names: of few numbers, as bits, which are faster. */
class Names {
  readonly #bits: Uint8Array | null;
  readonly #others = new Set<number | string>();

  constructor(count: number) {
    this.#bits = count < MOST_BITS ? new Uint8Array((count >> 3) + 1) : null;
  }

  /** Returns whether a name is new. */
  add(name: number | string): boolean {
    if (this.#bits === null || typeof name === 'string') {
      const { size } = this.#others;
      return this.#others.add(name).size > size;
    }
    const bit = 1 << (name & 7);
    const isNew = (this.#bits[name >> 3] & bit) === 0;
    this.#bits[name >> 3] |= bit;
    return isNew;
  }
}

const MOST_BITS = 2 ** 28;

const ANY: readonly Arc[] = [{ from: 0, to: 0 }];

function pushTo(lists: Map<number, number[]>, key: number, i: number): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [i]);
  else list.push(i);
}

const ascending = (a: number, b: number): number => a - b;

/** Returns the paths from the read's transaction to the next writer, from the seen writer to it, and from one to the other. */
function arcsOf({ model }: Setting, { read, writer }: PossibleChange): Arc[] {
  const { txn, key, writers, places } = model;
  const t = txn[read];
  const of = writers[key[read]]!;
  const place = writer === INITIAL ? 0 : places[key[read]]!.get(writer)! + 1;
  const next = of[place] === t ? of[place + 1] : of[place];
  const arcs: Arc[] = next === undefined ? [] : [{ from: t, to: next }];
  if (writer !== INITIAL) arcs.push({ from: writer, to: t });
  if (writer !== INITIAL && next !== undefined) arcs.push({ from: writer, to: next });
  return arcs;
}
