/**
 * Sets of changes that may be a prediction together, size by size. With the recorded order of versions, a prediction
 * has a cycle. Either the cycle passes through each change of the set; or a smaller set already has the cycle, and
 * another change rules out other orders of versions, or changes a transaction that violates the weaker level; or another change keeps a transaction
 * that the smaller set leaves out. Sets that contain a prediction are not extended.
 */
import type { PossibleChange } from './changes.ts';
import type { Reach } from './dependencies.ts';
import { type Setting, affectedBy } from './execution.ts';
import { INITIAL } from './model.ts';

/** Result of a set: transactions are those that violate the weaker level in all parts of the execution with a cycle. */
export type Tried = 'prediction' | 'cycle' | 'no cycle' | ReadonlySet<number>;

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
  readonly #arcs: readonly (readonly Arc[])[];
  /** Changes of reads that saw a transaction in the recorded history, by that transaction. */
  readonly #readersOf = new Map<number, number[]>();
  /** Changes by the transaction of their read. */
  readonly #changesOf = new Map<number, number[]>();
  readonly #predictions: Numbers[] = [];
  /** Tried sets of the last size and of the present size that may be extended. */
  #before: { readonly set: Numbers; readonly result: Tried }[] = [];
  #tried: { readonly set: Numbers; readonly result: Tried }[] = [];
  /** Names of the sets of the present size. */
  #names = new Set<number | string>();

  /** Without `reach`, any set may be a prediction. */
  constructor(setting: Setting, changes: readonly PossibleChange[], reach: Reach | null) {
    this.changes = changes;
    this.#setting = setting;
    this.#reach = reach;
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
    this.#names = new Set();
    for (const set of this.#candidates(size)) if (set === null || this.#isNew(set)) yield set;
  }

  /** Adds a set with its result. */
  add(set: Numbers, result: Tried): void {
    if (result === 'prediction') this.#predictions.push(set);
    else this.#tried.push({ set, result });
  }

  #isNew(set: Numbers): boolean {
    const name = this.#nameOf(set);
    if (this.#names.has(name)) return false;
    this.#names.add(name);
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
      else for (const arc of this.#arcs[i]!) yield* this.#throughEach([i], arc, size);
    }
    for (const { set, result } of this.#before) {
      yield null;
      if (result === 'cycle') for (let i = 0; i < this.changes.length; i++) yield* this.#with(set, i);
      else yield* this.#keepingMore(set);
      if (typeof result === 'object')
        for (const t of result) for (const i of this.#changesOf.get(t) ?? []) yield* this.#with(set, i);
    }
  }

  /** Yields the sets with a cycle through each change. Each path begins with the least number. */
  *#throughEach(path: Numbers, { from, to }: Arc, size: number): Generator<Numbers | null> {
    yield null;
    for (let next = path[0]! + 1; next < this.changes.length; next++) {
      if (this.#hasReadOf(path, next)) continue;
      for (const arc of this.#arcs[next]!) {
        if (!this.#leads(to, arc.from)) continue;
        const longer = [...path, next];
        if (longer.length < size) yield* this.#throughEach(longer, { from, to: arc.to }, size);
        else if (this.#leads(arc.to, from)) yield longer.toSorted(ascending);
      }
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
