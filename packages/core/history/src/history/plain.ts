import { type Atom, type Atoms, atomIdentity, atomOf, countAtoms } from '../columns/atoms.ts';
import { HistoryBuilder } from './builder.ts';
import { type History, countSessions, levelOf, type TimeUnit } from './history.ts';
import { listElements } from '../columns/lists.ts';
import { Exchange, NO_TIME, OPEN_BOUND, OpKind, STATUS_NAMES, UNKNOWN_LIST } from '../columns/operation.ts';
import { buildReadFrom } from './build-read-from.ts';
import { ReadFrom } from './read-from.ts';
import type { Predicate } from '../rows/predicate.ts';
import type { Aggregate } from '../rows/scans.ts';
import { asStated } from './times.ts';

/** A history as nested objects, for tests, literals and comparisons; far too big for other purposes. */
export interface PlainHistory {
  readonly sessions: readonly PlainSession[];
  /** Initial value of every key; nil if not given. */
  readonly initial?: Atom;
  /** Keys with a different initial value. */
  readonly initialOf?: readonly (readonly [key: Atom, value: Atom])[];
  readonly database?: string;
  readonly timeUnit?: TimeUnit;
  readonly drift?: number;
  /** Tables that are not scanned. */
  readonly tables?: readonly string[];
}

export interface PlainSession {
  readonly name: Atom;
  readonly transactions: readonly PlainTransaction[];
}

export interface PlainTransaction {
  readonly status: (typeof STATUS_NAMES)[number];
  readonly operations: readonly PlainOperation[];
  readonly name?: Atom;
  readonly level?: string;
  readonly begin?: bigint;
  readonly begun?: bigint;
  readonly committing?: bigint;
  readonly end?: bigint;
  readonly startTs?: bigint;
  readonly commitTs?: bigint;
}

export type PlainOperation = (
  | { readonly kind: 'read' | 'write' | 'append'; readonly key: Atom; readonly value: Atom }
  /** Elements are null if the result was never received. */
  | { readonly kind: 'list-read'; readonly key: Atom; readonly elements: readonly Atom[] | null }
  | {
      readonly kind: 'compare-and-set';
      readonly key: Atom;
      readonly observed: Atom;
      readonly written: Atom;
      readonly failed: boolean;
    }
  | {
      readonly kind: 'insert' | 'delete';
      readonly key: Atom;
      readonly observed: Atom;
      readonly written: Atom;
      readonly foundTombstone: boolean;
    }
  | { readonly kind: 'range-read'; readonly low: Atom; readonly high: Atom; readonly rows: readonly PlainRow[] }
  | {
      readonly kind: 'scan';
      readonly table: string;
      readonly where: Predicate;
      /** Keys and versions in the form of {@link rowName} and {@link textOfRow}; UNKNOWN for an unknown version. */
      readonly rows: readonly { readonly key: Atom; readonly value: Atom }[];
      readonly aggregate: Aggregate | null;
    }
) & { readonly version?: bigint };

export interface PlainRow {
  readonly key: Atom;
  readonly value: Atom;
  readonly dead: boolean;
}

export function fromPlain(plain: PlainHistory, file = 'literal'): History {
  const builder = new HistoryBuilder({ format: 'plain', file, unit: 'record', database: plain.database ?? null });
  builder.timeUnit = plain.timeUnit ?? 'none';
  builder.drift = plain.drift ?? 0;
  for (const table of plain.tables ?? []) builder.scans.table(table);
  let position = 1;
  for (const { name, transactions } of plain.sessions) {
    const session = builder.session(name);
    for (const transaction of transactions) {
      const t = builder.begin(session, position++);
      builder.outcome(t, STATUS_NAMES.indexOf(transaction.status));
      if (transaction.name !== undefined) builder.name(t, transaction.name);
      if (transaction.level !== undefined) builder.level(t, transaction.level);
      for (const column of ['begin', 'begun', 'committing', 'end', 'startTs', 'commitTs'] as const) {
        const time = transaction[column];
        if (time !== undefined) builder.time(t, column, time);
      }
      for (const operation of transaction.operations) addOperation(builder, operation);
    }
  }
  builder.initialEverywhere(builder.values.atom(plain.initial ?? null));
  for (const [key, value] of plain.initialOf ?? []) {
    builder.initialOf(builder.keys.atom(key), builder.values.atom(value));
  }
  return builder.finish();
}

function addOperation(builder: HistoryBuilder, operation: PlainOperation): void {
  const { keys, values, lists } = builder;
  switch (operation.kind) {
    case 'read':
    case 'write':
    case 'append':
      builder.op(SIMPLE_KINDS[operation.kind], keys.atom(operation.key), values.atom(operation.value));
      break;
    case 'list-read': {
      const key = keys.atom(operation.key);
      let node = operation.elements === null ? UNKNOWN_LIST : 0;
      for (const element of operation.elements ?? []) node = lists.extend(key, node, values.atom(element));
      builder.op(OpKind.ListRead, key, node);
      break;
    }
    case 'compare-and-set':
      builder.exchange(
        OpKind.CompareAndSet,
        keys.atom(operation.key),
        values.atom(operation.observed),
        values.atom(operation.written),
        operation.failed ? Exchange.Failed : 0,
      );
      break;
    case 'insert':
    case 'delete':
      builder.exchange(
        operation.kind === 'insert' ? OpKind.Insert : OpKind.Delete,
        keys.atom(operation.key),
        values.atom(operation.observed),
        values.atom(operation.written),
        operation.foundTombstone ? Exchange.FoundTombstone : 0,
      );
      break;
    case 'range-read': {
      const bound = (key: Atom): number => (key === null ? OPEN_BOUND : keys.atom(key));
      builder.range(bound(operation.low), bound(operation.high));
      for (const { key, value, dead } of operation.rows) builder.row(keys.atom(key), values.atom(value), dead);
      break;
    }
    case 'scan':
      builder.scan(builder.scans.table(operation.table), operation.where, operation.aggregate);
      for (const { key, value } of operation.rows) builder.scanned(keys.atom(key), values.atom(value));
  }
  if (operation.version !== undefined) builder.opVersion(operation.version);
}

const SIMPLE_KINDS = { read: OpKind.Read, write: OpKind.Write, append: OpKind.Append } as const;

export function toPlain(widened: History): PlainHistory {
  const history = asStated(widened);
  const { keys, values, keyInitial } = history;
  return {
    sessions: Array.from({ length: countSessions(history) }, (_, s) => ({
      name: atomOf(history.sessionNames, s),
      transactions: range(history.sessionStart[s], history.sessionStart[s + 1], (t) => plainTransaction(history, t)),
    })),
    initialOf: Array.from(keyInitial, (value, key) => [atomOf(keys, key), atomOf(values, value)] as const),
    ...(history.source.database !== null && { database: history.source.database }),
    timeUnit: history.source.timeUnit,
    ...(history.source.drift > 0 && { drift: history.source.drift }),
    ...(history.scans.tables.length > 0 && { tables: history.scans.tables }),
  };
}

function plainTransaction(history: History, t: number): PlainTransaction {
  const { txnNames, txnStart } = history;
  const level = levelOf(history, t);
  const time = (name: string, column: BigInt64Array | null): object =>
    column && column[t] !== NO_TIME ? { [name]: column[t] } : {};
  return {
    status: STATUS_NAMES[history.txnStatus[t]]!,
    operations: range(txnStart[t], txnStart[t + 1], (op) => plainOperation(history, op)),
    ...(txnNames && atomOf(txnNames, t) !== null && { name: atomOf(txnNames, t) }),
    ...(level !== null && { level }),
    ...time('begin', history.txnBegin),
    ...time('begun', history.txnBegun),
    ...time('committing', history.txnCommitting),
    ...time('end', history.txnEnd),
    ...time('startTs', history.txnStartTs),
    ...time('commitTs', history.txnCommitTs),
  };
}

function plainOperation(history: History, op: number): PlainOperation {
  const { opKind, opKey, opValue, opVersion, exchanges, ranges, lists } = history;
  const key = (id: number): Atom => (id < 0 ? null : atomOf(history.keys, id));
  const value = (id: number): Atom => atomOf(history.values, id);
  const version = opVersion && opVersion[op] !== NO_TIME ? { version: opVersion[op]! } : {};
  const x = opValue[op];
  switch (opKind[op]) {
    case OpKind.Read:
    case OpKind.Write:
    case OpKind.Append: {
      const kind = opKind[op] === OpKind.Read ? 'read' : opKind[op] === OpKind.Write ? 'write' : 'append';
      return { kind, key: key(opKey[op]), value: value(x), ...version };
    }
    case OpKind.ListRead: {
      const elements = x === UNKNOWN_LIST ? null : Array.from(listElements(lists, x), value);
      return { kind: 'list-read', key: key(opKey[op]), elements, ...version };
    }
    case OpKind.RangeRead: {
      const rows = range(ranges.rowStart[x], ranges.rowStart[x + 1], (row) => ({
        key: key(ranges.rowKey[row]),
        value: value(ranges.rowValue[row]),
        dead: ranges.rowDead[row] === 1,
      }));
      return { kind: 'range-read', low: key(ranges.low[x]), high: key(ranges.high[x]), rows, ...version };
    }
  }
  if (opKind[op] === OpKind.Scan) return plainScan(history, x);
  const change = {
    key: key(opKey[op]),
    observed: value(exchanges.observed[x]),
    written: value(exchanges.written[x]),
    ...version,
  };
  const flags = exchanges.flags[x];
  if (opKind[op] === OpKind.CompareAndSet)
    return { kind: 'compare-and-set', ...change, failed: (flags & Exchange.Failed) !== 0 };
  const foundTombstone = (flags & Exchange.FoundTombstone) !== 0;
  return { kind: opKind[op] === OpKind.Insert ? 'insert' : 'delete', ...change, foundTombstone };
}

function plainScan({ scans, keys, values }: History, scan: number): PlainOperation {
  const { tables, table, predicates, predicate, aggregate, aggregates, rowStart, rowKey, rowValue } = scans;
  return {
    kind: 'scan',
    table: tables[table[scan]]!,
    where: predicates[predicate[scan]]!,
    rows: range(rowStart[scan], rowStart[scan + 1], (row) => ({
      key: atomOf(keys, rowKey[row]),
      value: atomOf(values, rowValue[row]),
    })),
    aggregate: aggregates[aggregate[scan]] ?? null,
  };
}

/** Returns the content of a history, without its source, the initial value, and names that merely count. */
function essence(history: History): unknown {
  const { readFrom, rowReadFrom } = buildReadFrom(history);
  const { sessions, timeUnit, drift = 0 } = toPlain(history);
  const { txnBegin, txnBegun, txnCommitting, txnEnd } = history;
  const isTimed = (txnBegin ?? txnBegun ?? txnCommitting ?? txnEnd) !== null; // drift concerns only times
  const initialRead = { type: 'initial' };
  let op = 0;
  let row = 0;
  const reading = (operation: PlainOperation): unknown => {
    const from = readFrom[op++];
    if (operation.kind === 'range-read') {
      return {
        ...operation,
        rows: operation.rows.map((r) => (rowReadFrom[row++] === ReadFrom.Initial ? { ...r, value: initialRead } : r)),
      };
    }
    if (from === ReadFrom.Ambiguous) return { ...operation, ambiguous: true };
    if (from !== ReadFrom.Initial) return operation;
    if (operation.kind === 'read') return { ...operation, value: initialRead };
    return 'observed' in operation ? { ...operation, observed: initialRead } : operation;
  };
  const namesCount = namesOnlyCount(history.sessionNames);
  const txnNamesCount = history.txnNames === null || namesOnlyCount(history.txnNames);
  return {
    timeUnit,
    drift: isTimed ? drift : 0,
    sessions: sessions.map(({ name, transactions }) => ({
      name: namesCount ? null : name,
      transactions: transactions.map((transaction) => ({
        ...transaction,
        name: txnNamesCount ? null : (transaction.name ?? null),
        operations: transaction.operations.map(reading),
      })),
    })),
  };
}

/** Returns whether names are 0, 1, 2 … or 1, 2, 3 … or missing, so that a format can reconstruct them. */
export function namesOnlyCount(names: Atoms): boolean {
  const count = countAtoms(names);
  if (count === 0) return true;
  const first = atomOf(names, 0);
  if (first !== null && first !== 0n && first !== 1n) return false;
  for (let i = 1; i < count; i++) {
    if (atomOf(names, i) !== (first === null ? null : first + BigInt(i))) return false;
  }
  return true;
}

/** Returns whether two histories have the same {@link essence}. */
export const sameHistory = (a: History, b: History): boolean => fingerprint(essence(a)) === fingerprint(essence(b));

const fingerprint = (data: unknown): string =>
  JSON.stringify(data, (_, value: unknown) => (typeof value === 'bigint' ? atomIdentity(value) : value));

const range = <T>(from: number, to: number, make: (i: number) => T): T[] =>
  Array.from({ length: to - from }, (_, i) => make(from + i));
