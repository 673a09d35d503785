/** Writes an execution as a history in which every version of a key has its own value. */
import {
  type Atom,
  type History,
  HistoryBuilder,
  OpKind,
  atomOf,
  countKeys,
  levelOf,
  literal,
  nameAtom,
  printAtom,
  rowOfText,
  textOfRow,
} from '@isolab/history';
import type { Execution } from './execution.ts';
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
  tables: [],
  hidden: [],
  key: (key) => BigInt(key),
  version: (source) => BigInt(source + 1),
};

export interface Names {
  readonly format: string;
  readonly tables: readonly string[];
  readonly hidden: readonly string[];
  readonly key: (key: number) => Atom;
  /** Name of the version that a write left, or of the initial version of a key. */
  readonly version: (source: number, key: number) => Atom;
}

/** Names keys and versions as the recorded history does. A value that repeats gets the number of its write. */
export function namesOf({ history, isWrite, key, value }: Model, whole: History): Names {
  const seen = new Set<string>(Array.from(history.keyInitial, (initial, of) => `${of} ${initial}`));
  const repeated = new Set<number>();
  for (let op = 0; op < value.length; op++) {
    if (isWrite[op] === 0) continue;
    const text = `${key[op]} ${value[op]}`;
    if (seen.has(text)) repeated.add(op);
    seen.add(text);
  }
  const rows = countKeys(whole);
  const isRow = (of: number): boolean => of < rows && whole.scans.keyTable[of] >= 0;
  return {
    format: 'predicted',
    tables: whole.scans.tables,
    hidden: [...(whole.source.hiddenColumns ?? []), NUMBER_OF_WRITE],
    // The name of an item must not look like the name of a row.
    key: (of) => (of < rows ? atomOf(history.keys, of) : `${nameAtom(history.keys, of)}?`),
    version: (source, of) => {
      const atom = atomOf(history.values, source < 0 ? history.keyInitial[of] : value[source]);
      if (!repeated.has(source)) return atom;
      if (!isRow(of)) return literal(`${printAtom(atom)}#${source}`);
      return textOfRow({ ...(typeof atom === 'string' && rowOfText(atom)), [NUMBER_OF_WRITE]: source });
    },
  };
}

/** Hidden column that distinguishes versions with equal contents. */
const NUMBER_OF_WRITE = 'isolab write';

/**
 * `isLeftOut` selects reads that the history does not need. With a plan, transactions state its levels. Each locking read
 * then has a shadow: a key of its own, which the other writers of its row write too, and a transaction behind its own
 * that reads this key. A history with shadows has numbers as keys.
 */
export function witnessOf(
  model: Model,
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
    for (let op = start[t]; op < end[t]; op++) {
      const seen = isWrite[op] === 1 ? op : (own.get(key[op]) ?? sources.get(op) ?? source[op]);
      if (seen === NO_SOURCE || isLeftOut(op)) continue;
      if (isWrite[op] === 1) own.set(key[op], op);
      add(op, isWrite[op] === 1 ? OpKind.Write : OpKind.Read, key[op], seen);
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
  for (const each of keys)
    builder.initialOf(builder.keys.atom(names.key(each)), builder.values.atom(names.version(INITIAL, each)));
  const built = builder.finish();
  const isPlain = names.tables.length === 0;
  return {
    history: isPlain ? built : { ...built, source: { ...built.source, hiddenColumns: names.hidden } },
    txnOf,
    opOf,
  };

  function add(op: number, kind: number, item: number, seen: number): void {
    keys.add(item);
    opOf.push(op);
    builder.op(kind, builder.keys.atom(names.key(item)), builder.values.atom(names.version(seen, item)));
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
export const recordedPart = (execution: Execution): Execution => ({ ...execution, sources: NO_CHANGES });

const NO_CHANGES: ReadonlyMap<number, number> = new Map();
