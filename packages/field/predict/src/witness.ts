/** Writes an execution as a history in which every version of a key has its own value. */
import {
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
  const { history, txn, value } = model;
  const isUnknown = (source: number): boolean =>
    source >= 0 && source > (divergence.get(txn[source]) ?? Infinity) && !scanned.isDelete(source);
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
      if (!isUnknown(source) || !repeated.has(source)) return atom;
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
export function witnessOf(
  { model, whole, scanned }: Pick<Setting, 'model' | 'whole' | 'scanned'>,
  execution: Execution,
  names: Names,
  isLeftOut: (op: number) => boolean = () => false,
  plan: Plan | null = null,
): Witness {
  const { history, session, start, isWrite, key, source, writers } = model;
  const { end, takesPart, sources } = execution;
  const locking: ReadonlyMap<number, readonly number[]> =
    plan === null ? NO_LOCKS : lockingReads(model, execution, plan);
  const { files, unit } = history.source;
  const builder = new HistoryBuilder({ format: names.format, file: files[0] ?? '', unit });
  for (const table of names.tables) builder.scans.table(table);
  const txnOf: number[] = [];
  const opOf: number[] = [];
  const keys = new Set<number>();
  const items = itemsRead();
  for (let t = 0; t < session.length; t++) {
    if (takesPart[t] === 0) continue;
    const of = builder.session(atomOf(history.sessionNames, session[t]));
    if (files.length > 1) builder.sessionFile(of, files[session[t]]!);
    const number = builder.begin(of, history.txnPosition[model.txnOf[t]]);
    txnOf.push(t);
    const level = plan === null ? levelOf(history, model.txnOf[t]) : plan.levels[t]!;
    if (level !== null) builder.level(number, level);
    if (history.txnNames !== null && names !== NUMBERED) builder.name(number, atomOf(history.txnNames, model.txnOf[t]));
    const own = new Map<number, number>();
    const seenBy = (op: number): number => seenIn(own, op);
    for (let op = start[t]; op < end[t]; op++) {
      const seen = seenBy(op);
      const scanEnd = endOfScan(op, seenBy);
      if (scanEnd > op) {
        addScan(op, scanEnd, seenBy);
        op = scanEnd - 1;
      } else if (seen !== NO_SOURCE && !isLeftOut(op)) {
        if (isWrite[op] === 1) own.set(key[op], op);
        if (isWrite[op] === 1 && scanned.isItem(key[op]) && !items.has(key[op])) continue;
        const shown = scanned.shown(op, seen);
        add(op, isWrite[op] === 1 ? OpKind.Write : OpKind.Read, shown.key, shown.source);
      }
    }
    for (const [item, write] of own)
      for (const read of locking.get(item) ?? [])
        if (model.txn[read] !== t) add(write, OpKind.Write, writers.length + read, write);
    for (const read of locksOf(t)) {
      builder.level(builder.begin(of, history.txnPosition[model.txnOf[t]]), LOCK);
      txnOf.push(t);
      add(read, OpKind.Read, writers.length + read, sources.get(read) ?? source[read]);
    }
  }
  for (const each of keys) builder.initialOf(atomOfKey(each), builder.values.atom(names.version(INITIAL, each)));
  const built = builder.finish();
  const isPlain = names.tables.length === 0;
  const opStatement = names.hasScans ? null : Int32Array.from(opOf, (op) => scanned.operationOf(op));
  return {
    history: isPlain
      ? { ...built, opStatement }
      : { ...built, source: { ...built.source, hiddenColumns: names.hidden } },
    txnOf,
    opOf,
  };

  function add(op: number, kind: number, item: number, seen: number): void {
    keys.add(item);
    opOf.push(op);
    builder.op(kind, atomOfKey(item), builder.values.atom(names.version(seen, item)));
  }

  /** Returns the version that an operation sees or writes; `own` has the last write of its transaction to each key. */
  function seenIn(own: ReadonlyMap<number, number>, op: number): number {
    return isWrite[op] === 1 ? op : (own.get(key[op]) ?? sources.get(op) ?? source[op]);
  }

  /** Returns the items whose versions reads show; writes of other items are not needed. */
  function itemsRead(): ReadonlySet<number> {
    const found = new Set<number>();
    for (let t = 0; t < session.length; t++) {
      const own = new Map<number, number>();
      const seenBy = (op: number): number => seenIn(own, op);
      for (let op = start[t]; op < end[t]; op++) {
        if (isWrite[op] === 1) own.set(key[op], op);
        else if (seenBy(op) !== NO_SOURCE && endOfScan(op, seenBy) === op) {
          const shown = scanned.shown(op, seenBy(op)).key;
          if (scanned.isItem(shown)) found.add(shown);
        }
      }
    }
    return found;
  }

  /** Returns the end of a scan if its result is known completely; otherwise the operation itself. */
  function endOfScan(op: number, seenBy: (op: number) => number): number {
    if (!names.hasScans || isWrite[op] === 1 || scanned.scanOf(op) < 0) return op;
    const scanEnd = scanned.endOf(op);
    for (let each = scanned.startOf(op); each < scanEnd; each++)
      if (seenBy(each) === NO_SOURCE || isLeftOut(each)) return op;
    return scanEnd;
  }

  function addScan(from: number, to: number, seenBy: (op: number) => number): void {
    const { table, predicate, predicates } = whole.scans;
    const scan = scanned.scanOf(from);
    builder.scan(builder.scans.table(names.tables[table[scan]]!), predicates[predicate[scan]]!);
    opOf.push(from);
    for (let op = from; op < to; op++) {
      const shown = scanned.shown(op, seenBy(op));
      const row = scanned.isItem(shown.key) ? scanned.rowOf(shown.key) : shown.key;
      keys.add(row);
      if (row === shown.key) builder.scanned(atomOfKey(row), builder.values.atom(names.version(shown.source, row)));
      else if (scanned.isMatch(shown)) builder.scanned(atomOfKey(row), UNKNOWN_VALUE);
    }
  }

  function atomOfKey(item: number): number {
    return builder.keys.atom(names.key(item));
  }

  function locksOf(t: number): readonly number[] {
    return [...locking.values()].flat().filter((read) => model.txn[read] === t);
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
