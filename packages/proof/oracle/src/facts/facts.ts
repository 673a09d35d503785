import {
  type Atom,
  EMPTY_LIST,
  Exchange,
  type History,
  NO_TIME,
  OPEN_BOUND,
  OpKind,
  TxnStatus,
  UNKNOWN_LIST,
  UNKNOWN_VALUE,
  atomOf,
  levelOf,
} from '@isolab/history';
import { type Explained, type Match, type Version, explanations, matchesOf, returnedBy } from './scans.ts';

/**
 * Facts of a history, read from its columns in the simplest way, one operation at a time. The code is independent of
 * the checkers, so that a mistake in code shared by checkers appears as a disagreement.
 * A version of a register is a value, and a version of a list is the text of its elements. Reads with unknown results
 * and failed compare-and-sets are omitted. Other exchanges are a read and a write, and a range read reads every key
 * within its bounds.
 */
export interface Transaction {
  readonly id: number;
  readonly session: number;
  readonly status: number;
  /** The level that it states, or null. */
  readonly level: string | null;
  readonly begin: bigint | null;
  /** Times of the first answer and of the COMMIT request. */
  readonly begun: bigint | null;
  readonly committing: bigint | null;
  /** Null also if the outcome is unknown, because such a transaction may commit long after its client gave up. */
  readonly end: bigint | null;
  /** The keys of all operations, including reads with unknown results. */
  readonly keys: ReadonlySet<number>;
  /** The reads of a key before the transaction's own first write of it, in program order. */
  readonly reads: readonly ExternalRead[];
  readonly writes: readonly FinalWrite[];
  /** Keys and versions of every write, and of every read of another transaction's version. */
  readonly everyWrite: readonly Version[];
  readonly everyRead: readonly SeenVersion[];
  /** Whether a read after a write of the same transaction sees a version other than its latest. */
  readonly blind: boolean;
  /** Whether two external reads of a key see different versions. */
  readonly unrepeatable: boolean;
}

/** A value that was read. An element of a list never equals the initial value, because the initial list is empty. */
export interface SeenVersion {
  readonly key: number;
  /** Whether a value matches the value that was read. */
  readonly accepts: (value: number) => boolean;
  readonly isElement: boolean;
}

export interface ExternalRead {
  readonly key: number;
  /** The value, the elements of the list, or the fact learned about a row that a scan did not return. */
  readonly seen: number | readonly number[] | Match;
  /** Number of the statement, in the order of the transaction. */
  readonly statement: number;
}

export const isMatch = (seen: ExternalRead['seen']): seen is Match => typeof seen === 'object' && 'accepts' in seen;

/** Identifies the item that was read: the key, or whether a row matches. */
export const itemOf = ({ key, seen }: ExternalRead): string => (isMatch(seen) ? `${key}:${seen.item}` : String(key));

export interface FinalWrite {
  readonly key: number;
  /** The last value written, or all elements appended. */
  readonly value: number | readonly number[];
}

/** A transaction that happened in one of several ways, or did not happen. */
export interface Attempt {
  readonly id: number;
  readonly status: number;
  readonly everyWrite: readonly Version[];
  /**
   * One entry for each way in which rows can produce the results of its aggregates, and a single entry without
   * aggregates. An aborted transaction has one entry, without results of aggregates. An impossible transaction has no
   * entries.
   */
  readonly ways: readonly Transaction[];
}

export interface Facts {
  readonly attempts: readonly Attempt[];
  /** The value of each key's initial state. The initial list is empty. */
  readonly initial: Int32Array;
}

/** With `failed`, a failed compare-and-set shows that its key had another value, as for linearizability. */
export function readFacts(history: History, failed = false): Facts {
  refuseStrings(history);
  return {
    attempts: Array.from(history.txnStatus, (_, t) => readAttempt(history, t, failed)),
    initial: history.keyInitial,
  };
}

function readAttempt(history: History, id: number, failed: boolean): Attempt {
  const status = history.txnStatus[id];
  const attempted = readTransaction(history, id, NOTHING_EXPLAINED, failed);
  const isAborted = status === TxnStatus.Aborted;
  const ways = isAborted
    ? [attempted]
    : explanations(history, id).map((each) => readTransaction(history, id, each, failed));
  return { id, status, everyWrite: attempted.everyWrite, ways };
}

const NOTHING_EXPLAINED: Explained = new Map();

type Operation = { readonly key: number; readonly statement: number } & (
  | { readonly kind: 'read' | 'write' | 'append'; readonly value: number }
  | { readonly kind: 'list'; readonly value: readonly number[] }
  | { readonly kind: 'match'; readonly value: Match }
);

function readTransaction(history: History, id: number, explained: Explained, failed: boolean): Transaction {
  const { txnSession, txnStatus } = history;
  const operations = operationsOf(history, id, explained, failed);
  const timeIn = (column: BigInt64Array | null): bigint | null =>
    column === null || column[id] === NO_TIME ? null : column[id]!;
  return {
    id,
    session: txnSession[id],
    status: txnStatus[id],
    level: levelOf(history, id),
    begin: timeIn(history.txnBegin),
    begun: timeIn(history.txnBegun),
    committing: timeIn(history.txnCommitting),
    end: txnStatus[id] === TxnStatus.Unknown ? null : timeIn(history.txnEnd),
    keys: new Set([...keysUsed(history, id), ...operations.map(({ key }) => key)]),
    ...summarise(operations),
  };
}

/** The keys that operations name, except failed compare-and-sets. */
function keysUsed({ txnStart, opKind, opKey, opValue, exchanges }: History, t: number): number[] {
  const keys: number[] = [];
  for (let op = txnStart[t]; op < txnStart[t + 1]; op++) {
    const isExchange = opKey[op] >= 0 && opKind[op] > OpKind.ListRead;
    const isFailed = isExchange && (exchanges.flags[opValue[op]] & Exchange.Failed) !== 0;
    if (opKey[op] >= 0 && !isFailed) keys.push(opKey[op]);
  }
  return keys;
}

function summarise(operations: readonly Operation[]) {
  const own = new Map<number, number | number[]>(); // latest own value, or all own elements
  const seen = new Map<string, string>(); // version that the latest external read of an item saw
  const reads: ExternalRead[] = [];
  const everyWrite: Version[] = [];
  const everyRead: SeenVersion[] = [];
  let blind = false;
  let unrepeatable = false;

  const external = (read: ExternalRead): void => {
    reads.push(read);
    const item = itemOf(read);
    const text = String(isMatch(read.seen) ? read.seen.matched : read.seen);
    if (seen.has(item) && seen.get(item) !== text) unrepeatable = true;
    seen.set(item, text);
  };
  for (const { kind, key, value, statement } of operations) {
    const mine = own.get(key);
    if (kind === 'write') {
      own.set(key, value);
      everyWrite.push({ key, value });
    } else if (kind === 'append') {
      own.set(key, [...((mine as number[] | undefined) ?? []), value]);
      everyWrite.push({ key, value });
    } else if (kind === 'list') {
      const appended = (mine as number[] | undefined) ?? [];
      const others = value.slice(0, Math.max(0, value.length - appended.length));
      everyRead.push(
        ...value
          .filter((each) => !appended.includes(each))
          .map((each) => ({ key, accepts: (other: number) => other === each, isElement: true })),
      );
      if (value.slice(others.length).join() === appended.join()) external({ key, seen: others, statement });
      else blind = true;
    } else {
      const accepts = kind === 'match' ? value.accepts : (other: number): boolean => other === value;
      const isOwn = mine !== undefined && accepts(mine as number);
      if (!isOwn) everyRead.push({ key, accepts, isElement: false });
      if (mine === undefined) external({ key, seen: value, statement });
      else if (!isOwn) blind = true;
    }
  }
  const writes = [...own].map(([key, value]) => ({ key, value }));
  return { reads, writes, everyWrite, everyRead, blind, unrepeatable };
}

function operationsOf(history: History, t: number, explained: Explained, failed: boolean): Operation[] {
  const { txnStart, opKind, opKey, opValue, opStatement, exchanges } = history;
  const operations: Operation[] = [];
  const read = (key: number, value: number, statement: number): void => {
    if (value !== UNKNOWN_VALUE) operations.push({ kind: 'read', key, value, statement });
  };
  for (let op = txnStart[t]; op < txnStart[t + 1]; op++) {
    const key = opKey[op];
    const value = opValue[op];
    const statement = opStatement?.[op] ?? op;
    switch (opKind[op]) {
      case OpKind.Read:
        read(key, value, statement);
        break;
      case OpKind.Write:
        operations.push({ kind: 'write', key, value, statement });
        break;
      case OpKind.Append:
        operations.push({ kind: 'append', key, value, statement });
        break;
      case OpKind.ListRead:
        if (value !== UNKNOWN_LIST)
          operations.push({ kind: 'list', key, value: elementsOf(history, value), statement });
        break;
      case OpKind.RangeRead:
        for (const row of rowsOf(history, value)) read(row.key, row.value, statement);
        break;
      case OpKind.Scan:
        for (const match of history.scans.aggregate[value] < 0
          ? matchesOf(history, value)
          : (explained.get(value) ?? []))
          operations.push({ kind: 'match', ...match, statement });
        for (const row of returnedBy(history, value)) read(row.key, row.value, statement);
        break;
      default:
        if (exchanges.flags[value] & Exchange.Failed) {
          const { observed } = exchanges;
          if (failed && observed[value] !== UNKNOWN_VALUE)
            operations.push({ kind: 'match', key, value: notHolding(observed[value]), statement });
          break;
        }
        read(key, exchanges.observed[value], statement);
        operations.push({ kind: 'write', key, value: exchanges.written[value], statement });
    }
  }
  return operations;
}

const notHolding = (value: number): Match => ({
  item: `not ${value}`,
  matched: false,
  accepts: (other) => other !== value,
});

function elementsOf({ lists }: History, node: number): number[] {
  return node === EMPTY_LIST ? [] : [...elementsOf({ lists } as History, lists.parent[node]), lists.element[node]];
}

/**
 * The rows that a range read returned, followed by the initial states of every other register within its bounds that
 * some transaction writes.
 */
function rowsOf(history: History, range: number): Version[] {
  const { ranges, keys } = history;
  const rows: Version[] = [];
  for (let row = ranges.rowStart[range]; row < ranges.rowStart[range + 1]; row++) {
    rows.push({ key: ranges.rowKey[row], value: ranges.rowValue[row] });
  }
  const [low, high] = [ranges.low[range], ranges.high[range]];
  const isInside = (atom: Atom): boolean =>
    [low, high].every((bound, side) => {
      if (bound === OPEN_BOUND) return true;
      const limit = atomOf(keys, bound);
      if (atom === null || limit === null || typeof atom !== typeof limit) return false;
      return (side === 0 ? inOrder(limit, atom) : inOrder(atom, limit)) <= 0;
    });
  const absent = [...writtenRegisters(history)]
    .map((key) => ({ key, atom: atomOf(keys, key) }))
    .filter(({ key, atom }) => isInside(atom) && !rows.some((row) => row.key === key))
    .toSorted((a, b) => inOrder(a.atom, b.atom));
  return [...rows, ...absent.map(({ key }) => ({ key, value: history.keyInitial[key] }))];
}

/** Rows of tables are not registers, and a failed compare-and-set writes nothing. */
function writtenRegisters({ opKind, opKey, opValue, exchanges, scans }: History): Set<number> {
  const written = new Set<number>();
  opKey.forEach((key, op) => {
    if (key < 0 || scans.keyTable[key] >= 0) return;
    const isWrite = opKind[op] === OpKind.Write;
    const isExchange = opKind[op] > OpKind.ListRead && !(exchanges.flags[opValue[op]] & Exchange.Failed);
    if (isWrite || isExchange) written.add(key);
  });
  return written;
}

function inOrder(a: Atom, b: Atom): number {
  const isInteger = [a, b].map((atom) => typeof atom === 'bigint');
  if (isInteger[0] !== isInteger[1]) return isInteger[0] ? -1 : 1;
  const [x, y] = [a, b].map((atom) => (typeof atom === 'object' ? (atom?.text ?? '') : atom));
  return x! < y! ? -1 : x! > y! ? 1 : 0;
}

/** A key that is read as a register and appended to is a string, about which single reads show too little. */
function refuseStrings({ opKind, opKey }: History): void {
  if (!opKind.includes(OpKind.Append) && !opKind.includes(OpKind.ListRead)) return;
  const isList = (kind: number): boolean => kind === OpKind.Append || kind === OpKind.ListRead;
  const lists = new Set(opKey.filter((_, op) => isList(opKind[op])));
  const both = opKey.find((key, op) => !isList(opKind[op]) && lists.has(key));
  if (both !== undefined)
    throw new RangeError(`Got key ${both} both as a list and as a register; the oracle expects one of them.`);
}
