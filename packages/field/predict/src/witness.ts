/** Writes an execution as a history in which every version of a key has its own value. */
import {
  type Aggregate,
  type Atom,
  type History,
  HistoryBuilder,
  OpKind,
  UNKNOWN_VALUE,
  atomOf,
  countKeys,
  levelOf,
  literal,
  nameAtom,
  printAtom,
  rowOfText,
  textOfRow,
} from '@isolab/history';
import type { Execution, Setting } from './execution.ts';
import { INITIAL, type Model, NO_SOURCE } from './model.ts';
import { LOCK, type Plan } from './plan.ts';

/** A history of an execution, with the origins of its numbers. */
export interface Witness {
  readonly history: History;
  /** Transaction of the model that each transaction represents. */
  readonly txnOf: readonly number[];
  /** Operation of the model that each operation represents. */
  readonly opOf: readonly number[];
}

/** Keys and values of a history that only checkers see: numbers. */
export const NUMBERED: Names = {
  format: 'numbers',
  hasScans: false,
  tables: [],
  hidden: [],
  key: (key) => BigInt(key),
  version: (source) => BigInt(source + 1),
};

export interface Names {
  readonly format: string;
  /** States that scans are written as such. */
  readonly hasScans: boolean;
  readonly tables: readonly string[];
  readonly hidden: readonly string[];
  readonly key: (key: number) => Atom;
  /** Name of the version that a write left, or of the initial version of a key. */
  readonly version: (source: number, key: number) => Atom;
}

/**
 * Names keys and versions as the recorded history does, so versions with equal values have the same name. A version
 * that was written after a changed value differs from all others: if its recorded value repeats, it gets a number.
 */
export function namesOf({ model, whole, scanned }: Setting, { divergence }: Execution): Names {
  const { history, value } = model;
  const repeated = repeatedIn(model);
  const rows = countKeys(whole);
  const isRow = (of: number): boolean => of < rows && whole.scans.keyTable[of] >= 0;
  return {
    format: 'predicted',
    hasScans: true,
    tables: whole.scans.tables,
    hidden: [...(whole.source.hiddenColumns ?? []), NUMBER_OF_WRITE],
    // The name of an item must not look like the name of a row.
    key: (of) => (of < rows ? atomOf(history.keys, of) : `${nameAtom(history.keys, of)}?`),
    version: (source, of) => {
      const atom = atomOf(history.values, source < 0 ? history.keyInitial[of] : value[source]);
      if (!scanned.isUnknown(source, divergence) || !repeated.has(source)) return atom;
      if (!isRow(of)) return literal(`${printAtom(atom)}#${source}`);
      return textOfRow({ ...(typeof atom === 'string' && rowOfText(atom)), [NUMBER_OF_WRITE]: source });
    },
  };
}

/** Returns the writes whose key has the same value in another version. */
export function repeatedIn({ history, isWrite, key, value }: Model): ReadonlySet<number> {
  const writes = new Map<string, number[]>(Array.from(history.keyInitial, (initial, of) => [`${of} ${initial}`, [-1]]));
  for (let op = 0; op < value.length; op++) {
    if (isWrite[op] === 0) continue;
    const text = `${key[op]} ${value[op]}`;
    const known = writes.get(text);
    if (known === undefined) writes.set(text, [op]);
    else known.push(op);
  }
  return new Set(
    [...writes.values()]
      .filter(({ length }) => length > 1)
      .flat()
      .filter((op) => op >= 0),
  );
}

/** Hidden column that distinguishes versions with equal contents. */
const NUMBER_OF_WRITE = 'isolab write';

/**
 * `isLeftOut` selects reads that the history does not need. With a plan, transactions state its levels. Each locking read
 * then has a shadow: a key of its own, which the other writers of its row write too, and a transaction behind its own
 * that reads this key. A history with shadows has numbers as keys.
 */
export const witnessOf = (
  setting: Parts,
  execution: Execution,
  names: Names,
  isLeftOut: (op: number) => boolean = () => false,
  plan: Plan | null = null,
): Witness => new Writer(setting, execution, names, isLeftOut, plan).write();

type Parts = Pick<Setting, 'model' | 'whole' | 'scanned'>;

class Writer {
  readonly #parts: Parts;
  readonly #execution: Execution;
  readonly #names: Names;
  readonly #isLeftOut: (op: number) => boolean;
  readonly #plan: Plan | null;
  readonly #locking: ReadonlyMap<number, readonly number[]>;
  readonly #builder: HistoryBuilder;
  readonly #txnOf: number[] = [];
  readonly #opOf: number[] = [];
  readonly #keys = new Set<number>();
  /** Last write of the present transaction to each key. */
  #own = new Map<number, number>();

  constructor(parts: Parts, execution: Execution, names: Names, isLeftOut: (op: number) => boolean, plan: Plan | null) {
    const { files, unit } = parts.model.history.source;
    this.#parts = parts;
    this.#execution = execution;
    this.#names = names;
    this.#isLeftOut = isLeftOut;
    this.#plan = plan;
    this.#locking = plan === null ? NO_LOCKS : lockingReads(parts.model, execution, plan);
    this.#builder = new HistoryBuilder({ format: names.format, file: files[0] ?? '', unit });
  }

  write(): Witness {
    const names = this.#names;
    for (const table of names.tables) this.#builder.scans.table(table);
    if (names.hasScans) this.#builder.scans.counters.push(...(this.#parts.whole.scans.counters ?? []));
    const items = this.#itemsRead();
    for (let t = 0; t < this.#execution.takesPart.length; t++)
      if (this.#execution.takesPart[t] === 1) this.#addTransaction(t, items);
    const { values } = this.#builder;
    for (const each of this.#keys)
      this.#builder.initialOf(this.#atomOf(each), values.atom(names.version(INITIAL, each)));
    const built = this.#builder.finish();
    const opStatement = Int32Array.from(this.#opOf, (op) => this.#parts.scanned.operationOf(op));
    const source = names.tables.length === 0 ? built.source : { ...built.source, hiddenColumns: names.hidden };
    const history = { ...built, source, ...(!names.hasScans && { opStatement }) };
    return { history, txnOf: this.#txnOf, opOf: this.#opOf };
  }

  #addTransaction(t: number, items: ReadonlySet<number>): void {
    const { model, scanned } = this.#parts;
    const { start, isWrite, key } = model;
    const number = this.#begin(t);
    const level = this.#plan === null ? levelOf(model.history, model.txnOf[t]) : this.#plan.levels[t]!;
    if (level !== null) this.#builder.level(number, level);
    for (let op = start[t]; op < this.#execution.end[t]; op++) {
      const scanEnd = this.#endOfScan(op);
      if (scanEnd > op) {
        this.#addScan(op, scanEnd);
        op = scanEnd - 1;
      } else if (isWrite[op] === 1) {
        this.#own.set(key[op], op);
        if (!scanned.isItem(key[op]) || items.has(key[op])) this.#add(op, OpKind.Write, key[op], op);
      } else if (this.#seenBy(op) !== NO_SOURCE && !this.#isLeftOut(op)) {
        const shown = scanned.shown(op, this.#seenBy(op));
        this.#add(op, OpKind.Read, shown.key, shown.source);
      }
    }
    if (this.#locking.size > 0) this.#addShadows(t);
  }

  #begin(t: number): number {
    const { history, session, txnOf } = this.#parts.model;
    const { files } = history.source;
    const of = this.#builder.session(atomOf(history.sessionNames, session[t]));
    if (files.length > 1) this.#builder.sessionFile(of, files[session[t]]!);
    const number = this.#builder.begin(of, history.txnPosition[txnOf[t]]);
    this.#txnOf.push(t);
    const isNamed = history.txnNames !== null && this.#names !== NUMBERED;
    if (isNamed) this.#builder.name(number, atomOf(history.txnNames, txnOf[t]));
    this.#own = new Map();
    return number;
  }

  #addShadows(t: number): void {
    const { txn, source, writers } = this.#parts.model;
    for (const [item, write] of this.#own)
      for (const read of this.#locking.get(item) ?? [])
        if (txn[read] !== t) this.#add(write, OpKind.Write, writers.length + read, write);
    for (const read of [...this.#locking.values()].flat()) {
      if (txn[read] !== t) continue;
      this.#builder.level(this.#begin(t), LOCK);
      this.#add(read, OpKind.Read, writers.length + read, this.#execution.sources.get(read) ?? source[read]);
    }
  }

  #add(op: number, kind: number, item: number, seen: number): void {
    this.#keys.add(item);
    this.#opOf.push(op);
    this.#builder.op(kind, this.#atomOf(item), this.#builder.values.atom(this.#names.version(seen, item)));
  }

  /** Adds a scan, or an aggregate with the result of the execution, unless that is unknown. */
  #addScan(from: number, to: number): void {
    const { whole, scanned } = this.#parts;
    const { table, predicate, predicates } = whole.scans;
    const [builder, names] = [this.#builder, this.#names];
    const scan = scanned.scanOf(from);
    const recorded = scanned.aggregateOf(from);
    const result = recorded && scanned.resultOf(from, this.#execution);
    if (recorded !== undefined && result === undefined) return;
    const aggregate = recorded === undefined ? null : ({ ...recorded, result } as Aggregate);
    builder.scan(builder.scans.table(names.tables[table[scan]]!), predicates[predicate[scan]]!, aggregate);
    this.#opOf.push(from);
    for (let op = from; op < to; op++) {
      const shown = scanned.shown(op, this.#seenBy(op));
      const row = scanned.isItem(shown.key) ? scanned.rowOf(shown.key) : shown.key;
      this.#keys.add(row);
      if (aggregate !== null) continue;
      if (row === shown.key) builder.scanned(this.#atomOf(row), builder.values.atom(names.version(shown.source, row)));
      else if (scanned.isMatch(shown)) builder.scanned(this.#atomOf(row), UNKNOWN_VALUE);
    }
  }

  #atomOf(item: number): number {
    return this.#builder.keys.atom(this.#names.key(item));
  }

  /** Returns the version that a read sees. */
  #seenBy(op: number): number {
    const { key, source } = this.#parts.model;
    return this.#own.get(key[op]) ?? this.#execution.sources.get(op) ?? source[op];
  }

  /** Returns the end of an aggregate, or of a scan whose result is known completely; otherwise the operation itself. */
  #endOfScan(op: number): number {
    const { model, scanned } = this.#parts;
    if (!this.#names.hasScans || model.isWrite[op] === 1 || scanned.scanOf(op) < 0) return op;
    const scanEnd = scanned.endOf(op);
    if (scanned.aggregateOf(op) !== undefined) return scanEnd;
    for (let each = scanned.startOf(op); each < scanEnd; each++)
      if (this.#seenBy(each) === NO_SOURCE || this.#isLeftOut(each)) return op;
    return scanEnd;
  }

  /** Returns the items whose versions reads show; writes of other items are not needed. */
  #itemsRead(): ReadonlySet<number> {
    const { model, scanned } = this.#parts;
    const { start, isWrite, key } = model;
    const found = new Set<number>();
    if (!scanned.hasItems) return found;
    for (let t = 0; t < this.#execution.end.length; t++) {
      this.#own = new Map();
      for (let op = start[t]; op < this.#execution.end[t]; op++) {
        if (isWrite[op] === 1) this.#own.set(key[op], op);
        else if (this.#seenBy(op) !== NO_SOURCE && this.#endOfScan(op) === op) {
          const shown = scanned.shown(op, this.#seenBy(op)).key;
          if (scanned.isItem(shown)) found.add(shown);
        }
      }
    }
    return found;
  }
}

/** Returns the external reads of an execution that lock their rows, by key. */
function lockingReads(model: Model, { end, takesPart }: Execution, { locks }: Plan): ReadonlyMap<number, number[]> {
  const found = new Map<number, number[]>();
  for (let op = locks.indexOf(1); op >= 0; op = locks.indexOf(1, op + 1)) {
    const t = model.txn[op];
    if (takesPart[t] === 0 || op >= end[t] || model.source[op] === NO_SOURCE) continue;
    found.set(model.key[op], [...(found.get(model.key[op]) ?? []), op]);
  }
  return found;
}

const NO_LOCKS: ReadonlyMap<number, readonly number[]> = new Map();

/**
 * Returns the part of an execution with some transactions and all transactions on which these depend, in the recorded
 * history also if `isForBoth`.
 */
export function pastOf(model: Model, execution: Execution, txns: Iterable<number>, isForBoth: boolean): Execution {
  const past = readersOf(model, execution, txns, isForBoth);
  const takesPart = execution.takesPart.map((_, t) => (past.has(t) ? 1 : 0));
  const end = execution.end.map((to, t) => (takesPart[t] === 1 ? to : model.start[t]));
  return { ...execution, takesPart, end };
}

/** Transaction that depends on another one, with its read; −1 if it is the next one of its session. */
interface Step {
  readonly from: number;
  readonly read: number;
}

/** Returns all transactions on which some transactions depend, as pastOf, each with one that depends on it. */
export function readersOf(
  { session, start, txn, source }: Model,
  execution: Execution,
  txns: Iterable<number>,
  isForBoth: boolean,
): ReadonlyMap<number, Step> {
  const found = new Map<number, Step>();
  const waiting: number[] = [];
  const visit = (t: number, from: number, read: number): void => {
    if (found.has(t)) return;
    found.set(t, { from, read });
    waiting.push(t);
  };
  for (const t of txns) visit(t, t, -1);
  for (let t = waiting.pop(); t !== undefined; t = waiting.pop()) {
    if (t > 0 && session[t - 1] === session[t]) visit(t - 1, t, -1);
    for (let op = start[t]; op < execution.end[t]; op++) {
      const seen = execution.sources.get(op) ?? source[op];
      if (seen >= 0) visit(txn[seen], t, op);
      if (isForBoth && source[op] >= 0 && execution.takesPart[txn[source[op]]] === 1) visit(txn[source[op]], t, op);
    }
  }
  return found;
}

/** Returns the same transactions with their recorded reads. */
export const recordedPart = (execution: Execution): Execution => ({
  ...execution,
  sources: NO_CHANGES,
  divergence: NO_CHANGES,
});

const NO_CHANGES: ReadonlyMap<number, number> = new Map();
