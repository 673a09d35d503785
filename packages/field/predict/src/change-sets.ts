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
  /** States, by change, that it is a prediction by itself. */
  readonly #isPrediction: Uint8Array;
  /** Larger sets that are predictions, and those of them that are smaller than the present size. */
  readonly #predictions: Numbers[] = [];
  #smaller: readonly Numbers[] = [];
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
    this.#isPrediction = new Uint8Array(changes.length);
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
    this.#smaller = [...this.#predictions];
    this.#names = new Names(this.changes.length ** size);
    for (const set of this.#candidates(size)) {
      const known = set === null ? null : this.#knownResult(set);
      if (set === null || known === null) {
        yield set;
        continue;
      }
      this.add(set, known);
      if (this.#tried.length % 64 === 0) yield null;
    }
  }

  /** Returns the result of a set if its single changes show it; otherwise null. */
  #knownResult(set: Numbers): Tried | null {
    const isAltered = (i: number): boolean => this.#isAltered(i, set);
    for (const i of set) {
      const blocked = this.#blocked.get(i);
      if (blocked === undefined || isAltered(i)) continue;
      if (!set.some((j) => j !== i && this.#mayUnblock(blocked, j, isAltered(j)))) return blocked;
    }
    return set.length === 2 && this.#exclusions?.exclude(set[0]!, set[1]!) === true ? 'no cycle' : null;
  }

  #mayUnblock({ reads, transactions }: Blocked, i: number, isAltered: boolean): boolean {
    const { read } = this.changes[i]!;
    const mayCut = isAltered || this.#exclusions?.cuts(i) !== false;
    return reads!.has(read) || (transactions.has(this.#setting.model.txn[read]) && mayCut);
  }

  /** Returns whether a change of a set may make the version unknown that another one reads, which then cuts more. */
  #isAltered(i: number, set: Numbers): boolean {
    const { writer } = this.changes[i]!;
    return set.some((j) => this.#setting.model.txn[this.changes[j]!.read] === writer);
  }

  /** Adds a set with its result. */
  add(set: Numbers, result: Tried): void {
    if (result !== 'prediction') this.#tried.push({ set, result });
    else if (set.length > 1) this.#predictions.push(set);
    else this.#isPrediction[set[0]!] = 1;
    if (set.length === 1 && typeof result === 'object' && result.reads !== null) this.#blocked.set(set[0]!, result);
  }

  /** Returns a set with one more change; null if the set was yielded before or contains a prediction. */
  #with(set: Numbers, i: number): Numbers | null {
    if (this.#isPrediction[i] === 1 || this.#hasReadOf(set, i) || !this.#names.add(this.#nameOf(set, i))) return null;
    const longer = set.filter((other) => other < i);
    longer.push(i);
    for (const other of set) if (other > i) longer.push(other);
    for (const known of this.#smaller) if (containsAll(longer, known)) return null;
    return longer;
  }

  /** Returns a number, which takes less memory than a text, if the set with one more change has one. */
  #nameOf(set: Numbers, more: number): number | string {
    const count = this.changes.length;
    let name = 0;
    let isIn = false;
    for (const i of set) {
      if (!isIn && more < i) {
        name = name * count + more;
        isIn = true;
      }
      name = name * count + i;
    }
    if (!isIn) name = name * count + more;
    return name < Number.MAX_SAFE_INTEGER ? name : [...set, more].toSorted(ascending).join();
  }

  *#candidates(size: number): Generator<Numbers | null> {
    for (let i = 0; i < this.changes.length; i++) {
      if (size === 1) yield [i];
      else if (this.#isPrediction[i] === 0) yield* this.#throughEach([i], this.#arcs[i]!, size);
    }
    for (const { set, result } of this.#before) {
      yield null;
      for (const i of this.#extending(set, result)) {
        const longer = this.#with(set, i);
        if (longer !== null) yield longer;
      }
    }
  }

  /**
   * Yields the sets with a cycle through each change, by the arcs from the first one. Each path begins with the least
   * number.
   */
  *#throughEach(path: Numbers, arcs: readonly Arc[], size: number): Generator<Numbers | null> {
    yield null;
    for (let next = path[0]! + 1; next < this.changes.length; next++) {
      if (this.#isPrediction[next] === 1 || this.#hasReadOf(path, next)) continue;
      if (path.length + 1 < size) {
        const longer: Arc[] = [];
        for (const { from, to } of arcs)
          for (const arc of this.#arcs[next]!) if (this.#leads(to, arc.from)) longer.push({ from, to: arc.to });
        yield* this.#throughEach([...path, next], longer, size);
      } else if (this.#closes(arcs, this.#arcs[next]!)) {
        const set = this.#with(path.toSorted(ascending), next);
        if (set !== null) yield set;
      }
    }
  }

  /** Returns whether some path and some further arc are a cycle. */
  #closes(paths: readonly Arc[], arcs: readonly Arc[]): boolean {
    for (const { from, to } of paths)
      for (const arc of arcs) if (this.#leads(to, arc.from) && this.#leads(arc.to, from)) return true;
    return false;
  }

  /** Returns the changes that may make a set a prediction: all, or those that keep or change certain transactions. */
  #extending(set: Numbers, result: Tried): Iterable<number> {
    if (result === 'cycle') return this.changes.keys();
    const changes = set.map((i) => this.changes[i]!);
    const keeping = affectedBy(this.#setting, changes).flatMap((t) => this.#readersOf.get(t) ?? []);
    if (typeof result !== 'object') return keeping;
    return [...keeping, ...[...result.transactions].flatMap((t) => this.#changesOf.get(t) ?? [])];
  }

  #hasReadOf(set: Numbers, i: number): boolean {
    const { read } = this.changes[i]!;
    for (const other of set) if (this.changes[other]!.read === read) return true;
    return false;
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

function containsAll(set: Numbers, others: Numbers): boolean {
  for (const i of others) if (!set.includes(i)) return false;
  return true;
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
