import {
  type Aggregate,
  EMPTY_LIST,
  Exchange,
  type History,
  NIL,
  NO_TIME,
  OPEN_BOUND,
  OpKind,
  type Row,
  TxnStatus,
  UNKNOWN_LIST,
  UNKNOWN_VALUE,
  aggregateOf,
  atomOf,
  isOpaque,
  matches,
} from '@isolab/history';

/**
 * What a history says, read from its columns one operation at a time and as simply as can be: nothing here is shared
 * with any checker, so that a mistake in what they share shows as a disagreement.
 *
 * A version of a register is a value; of a list, all its elements as text. Reads whose result the client never learned
 * say nothing and are left out, as are compare-and-sets that failed; other exchanges are a read and a write, and range
 * reads a read of every key between their bounds.
 */
export interface Transaction {
  readonly id: number;
  readonly session: number;
  readonly status: number;
  readonly begin: bigint | null;
  /** Null also where the outcome is unknown: such a transaction may commit long after its client gave up. */
  readonly end: bigint | null;
  /** The keys of all its operations, also of reads whose result the client never learned. */
  readonly keys: ReadonlySet<number>;
  /** The reads of a key before the transaction's own first write to it, in program order. */
  readonly reads: readonly ExternalRead[];
  readonly writes: readonly FinalWrite[];
  /** What else was written or read: [key, version] pairs of every write, and of every read of something not its own. */
  readonly everyWrite: readonly Version[];
  readonly everyRead: readonly SeenVersion[];
  /** Whether a read after an own write sees something else than the latest own write. */
  readonly blind: boolean;
  /** Whether two external reads of a key see different versions. */
  readonly unrepeatable: boolean;
}

export interface Version {
  readonly key: number;
  readonly value: number;
}

/** Something that was read; an element of a list is never the initial value, because the initial list is empty. */
export interface SeenVersion {
  readonly key: number;
  /** Whether a value may be what was seen. */
  readonly accepts: (value: number) => boolean;
  readonly isElement: boolean;
}

export interface ExternalRead {
  readonly key: number;
  /** The value, the elements of the list, or what was learned of a row that a scan did not return. */
  readonly seen: number | readonly number[] | Match;
}

/**
 * Whether a row matched, which is all that a scan says of a row that it did not return. It is an item of its own: rows
 * that are passed over are not read as rows, and predicates that the same versions match are one item.
 */
export interface Match {
  /** The versions that match, as text: with the key it names the item. */
  readonly item: string;
  readonly matched: boolean;
  readonly accepts: (value: number) => boolean;
}

export const isMatch = (seen: ExternalRead['seen']): seen is Match => typeof seen === 'object' && 'accepts' in seen;

/** The name of what was read: the key, or whether a row matches. */
export const itemOf = ({ key, seen }: ExternalRead): string => (isMatch(seen) ? `${key}:${seen.item}` : String(key));

export interface FinalWrite {
  readonly key: number;
  /** The last value written, or all elements appended. */
  readonly value: number | readonly number[];
}

export interface Facts {
  readonly transactions: readonly Transaction[];
  /** The value of each key's initial state; the initial list is empty. */
  readonly initial: Int32Array;
}

/** Once for each way in which rows can come to what aggregates returned; without aggregates that is one. */
export function readFacts(history: History): Facts[] {
  const initial = history.keyInitial;
  refuseStrings(history);
  return explanations(history).map((explained) => ({
    transactions: Array.from(history.txnStatus, (_, t) => readTransaction(history, t, explained)),
    initial,
  }));
}

/** By scan that returned an aggregate: what it must have seen of single rows to come to its result. */
type Explained = ReadonlyMap<number, readonly MatchRead[]>;

interface MatchRead {
  readonly key: number;
  readonly value: Match;
}

type Operation =
  | { readonly kind: 'read' | 'write' | 'append'; readonly key: number; readonly value: number }
  | { readonly kind: 'list'; readonly key: number; readonly value: readonly number[] }
  | { readonly kind: 'match'; readonly key: number; readonly value: Match };

function readTransaction(history: History, id: number, explained: Explained): Transaction {
  const { txnSession, txnStatus, txnBegin, txnEnd, txnStart, opKey } = history;
  const operations = operationsOf(history, id, explained);
  const timeIn = (column: BigInt64Array | null): bigint | null =>
    column === null || column[id] === NO_TIME ? null : column[id]!;
  return {
    id,
    session: txnSession[id],
    status: txnStatus[id],
    begin: timeIn(txnBegin),
    end: txnStatus[id] === TxnStatus.Unknown ? null : timeIn(txnEnd),
    keys: new Set([...opKey.subarray(txnStart[id], txnStart[id + 1]), ...operations.map(({ key }) => key)]),
    ...summarise(operations),
  };
}

function summarise(operations: readonly Operation[]) {
  const own = new Map<number, number | number[]>(); // latest own value, or all own elements
  const seen = new Map<string, string>(); // what the latest external read of an item saw
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
  for (const { kind, key, value } of operations) {
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
      if (value.slice(others.length).join() === appended.join()) external({ key, seen: others });
      else blind = true;
    } else {
      const accepts = kind === 'match' ? value.accepts : (other: number): boolean => other === value;
      const isOwn = mine !== undefined && accepts(mine as number);
      if (!isOwn) everyRead.push({ key, accepts, isElement: false });
      if (mine === undefined) external({ key, seen: value });
      else if (!isOwn) blind = true;
    }
  }
  const writes = [...own].map(([key, value]) => ({ key, value }));
  return { reads, writes, everyWrite, everyRead, blind, unrepeatable };
}

function operationsOf(history: History, t: number, explained: Explained): Operation[] {
  const { txnStart, opKind, opKey, opValue, exchanges } = history;
  const operations: Operation[] = [];
  const read = (key: number, value: number): void => {
    if (value !== UNKNOWN_VALUE) operations.push({ kind: 'read', key, value });
  };
  for (let op = txnStart[t]; op < txnStart[t + 1]; op++) {
    const key = opKey[op];
    const value = opValue[op];
    switch (opKind[op]) {
      case OpKind.Read:
        read(key, value);
        break;
      case OpKind.Write:
        operations.push({ kind: 'write', key, value });
        break;
      case OpKind.Append:
        operations.push({ kind: 'append', key, value });
        break;
      case OpKind.ListRead:
        if (value !== UNKNOWN_LIST) operations.push({ kind: 'list', key, value: elementsOf(history, value) });
        break;
      case OpKind.RangeRead:
        for (const row of rowsOf(history, value)) read(row.key, row.value);
        break;
      case OpKind.Scan:
        for (const match of explained.get(value) ?? matchesOf(history, value))
          operations.push({ kind: 'match', ...match });
        for (const row of returnedBy(history, value)) read(row.key, row.value);
        break;
      default:
        if (exchanges.flags[value] & Exchange.Failed) break;
        read(key, exchanges.observed[value]);
        operations.push({ kind: 'write', key, value: exchanges.written[value] });
    }
  }
  return operations;
}

function elementsOf({ lists }: History, node: number): number[] {
  return node === EMPTY_LIST ? [] : [...elementsOf({ lists } as History, lists.parent[node]), lists.element[node]];
}

/** The rows that a range read returned, and the initial state of every key between its bounds that some transaction writes. */
function rowsOf(history: History, range: number): Version[] {
  const { ranges, keys, opKey, opKind } = history;
  const rows: Version[] = [];
  for (let row = ranges.rowStart[range]; row < ranges.rowStart[range + 1]; row++) {
    rows.push({ key: ranges.rowKey[row], value: ranges.rowValue[row] });
  }
  const written = new Set(opKey.filter((key, op) => key >= 0 && opKind[op] !== OpKind.Read));
  const [low, high] = [ranges.low[range], ranges.high[range]];
  for (const key of [...written].toSorted((a, b) => a - b)) {
    const atom = atomOf(keys, key);
    const inside = [low, high].every((bound, side) => {
      if (bound === OPEN_BOUND) return true;
      const limit = atomOf(keys, bound);
      if (atom === null || limit === null || typeof atom !== typeof limit) return false;
      return side === 0 ? limit <= atom : atom <= limit;
    });
    if (inside && !rows.some((row) => row.key === key)) rows.push({ key, value: history.keyInitial[key] });
  }
  return rows;
}

/** The rows that a scan returned. */
function returnedBy({ scans }: History, scan: number): Version[] {
  const rows: Version[] = [];
  for (let row = scans.rowStart[scan]; row < scans.rowStart[scan + 1]; row++)
    rows.push({ key: scans.rowKey[row], value: scans.rowValue[row] });
  return rows;
}

/**
 * What a scan says of the rows of its table that it did not return, and of those of which it is only known that they
 * matched, in the order of their names. Rows of which no version matches, whatever became of its writer, cannot matter.
 */
function matchesOf(history: History, scan: number): MatchRead[] {
  const { scans } = history;
  const where = scans.predicates[scans.predicate[scan]]!;
  const returned = returnedBy(history, scan);
  return rowsMatching(history, scan, () => true).flatMap((row) => {
    const seen = returned.find(({ key }) => key === row.key);
    if (seen && (seen.value !== UNKNOWN_VALUE || isOpaque(where))) return [];
    return [matchOf(row, seen !== undefined)];
  });
}

/** A row, with all of its versions that match a condition. */
interface MatchingRow {
  readonly key: number;
  readonly versions: readonly number[];
}

/** The rows of the scan's table of which a version matches its predicate and a condition, in the order of their names. */
function rowsMatching(history: History, scan: number, also: (row: Row) => boolean): MatchingRow[] {
  const { scans, keyInitial, keys } = history;
  const where = scans.predicates[scans.predicate[scan]]!;
  const isMatching = (value: number): boolean => {
    if (value === NIL) return false;
    const row = contentOf(history, value);
    return matches(where, row) && also(row);
  };
  const name = (key: number): string => atomOf(keys, key) as string;
  return Array.from(scans.keyTable.keys())
    .filter((key) => scans.keyTable[key] === scans.table[scan])
    .toSorted((a, b) => (name(a) < name(b) ? -1 : 1))
    .map((key) => {
      const versions = new Set([keyInitial[key], ...valuesWrittenTo(history, key)]);
      return { key, versions: [...versions].filter(isMatching).toSorted((a, b) => a - b) };
    })
    .filter(({ versions }) => versions.length > 0);
}

const matchOf = ({ key, versions }: MatchingRow, matched: boolean): MatchRead => ({
  key,
  value: { item: versions.join(), matched, accepts: (value) => versions.includes(value) === matched },
});

/** All choices of what the aggregates saw; those of transactions that did not happen say nothing. */
function explanations(history: History): Explained[] {
  const { txnStart, txnStatus, opKind, opValue, scans } = history;
  let all: Explained[] = [new Map()];
  for (let t = 0; t < txnStatus.length; t++)
    for (let op = txnStart[t]; op < txnStart[t + 1]; op++) {
      const scan = opValue[op];
      if (opKind[op] !== OpKind.Scan || scans.aggregate[scan] < 0) continue;
      const choices = txnStatus[t] === TxnStatus.Aborted ? [[]] : explanationsOf(history, scan);
      all = all.flatMap((explained) => choices.map((choice) => new Map([...explained, [scan, choice]])));
      if (all.length > MOST)
        throw new RangeError(`Got aggregates with more than ${MOST} explanations, too many to try.`);
    }
  return all;
}

function explanationsOf(history: History, scan: number): MatchRead[][] {
  const { scans } = history;
  if (isOpaque(scans.predicates[scans.predicate[scan]]!)) return [[]];
  const aggregate = scans.aggregates[scans.aggregate[scan]]!;
  switch (aggregate.kind) {
    case 'count': {
      const rows = rowsMatching(history, scan, () => true);
      return subsets(rows)
        .filter((counted) => counted.length === aggregate.result)
        .map((counted) => rows.map((row) => matchOf(row, counted.includes(row))));
    }
    case 'sum':
      return sums(history, scan, aggregate);
    default:
      return extremes(history, scan, aggregate);
  }
}

type ColumnAggregate = Exclude<Aggregate, { readonly kind: 'count' }>;

/** Of each row, that it held one of its values, or none; so that all of them come to the sum. */
function sums(history: History, scan: number, { column, result }: ColumnAggregate): MatchRead[][] {
  const rows = rowsMatching(history, scan, (row) => (row[column] ?? null) !== null);
  let all: { readonly reads: MatchRead[]; readonly values: Row[] }[] = [{ reads: [], values: [] }];
  for (const row of rows) {
    const held = new Set(row.versions.map((value) => contentOf(history, value)[column]!));
    const ways = [
      { read: matchOf(row, false), values: [] as Row[] },
      ...Array.from(held, (value) => {
        const versions = row.versions.filter((version) => contentOf(history, version)[column] === value);
        return { read: matchOf({ key: row.key, versions }, true), values: [{ [column]: value }] };
      }),
    ];
    all = all.flatMap(({ reads, values }) =>
      ways.map((way) => ({ reads: [...reads, way.read], values: [...values, ...way.values] })),
    );
  }
  return all.filter(({ values }) => aggregateOf('sum', column, values) === result).map(({ reads }) => reads);
}

/** That no row held anything beyond the result, and one of them the result itself. */
function extremes(history: History, scan: number, { kind, column, result }: ColumnAggregate): MatchRead[][] {
  const isBeyond = (row: Row): boolean => {
    const value = row[column] ?? null;
    return value !== null && (result === null || (kind === 'min' ? value < result : value > result));
  };
  const beyond = rowsMatching(history, scan, isBeyond).map((row) => matchOf(row, false));
  if (result === null) return [beyond];
  return rowsMatching(history, scan, (row) => row[column] === result).map((row) => [...beyond, matchOf(row, true)]);
}

const contentOf = ({ values }: History, value: number): Row => JSON.parse(atomOf(values, value) as string) as Row;

const subsets = <T>(items: readonly T[]): T[][] =>
  items.reduce<T[][]>((all, item) => all.flatMap((some) => [some, [...some, item]]), [[]]);

const MOST = 100_000;

const valuesWrittenTo = ({ opKind, opKey, opValue }: History, key: number): number[] =>
  Array.from(opKind.keys())
    .filter((op) => opKey[op] === key && opKind[op] === OpKind.Write)
    .map((op) => opValue[op]);

/** A key that is read as a register and appended to is a string, of which single reads say too little. */
function refuseStrings({ opKind, opKey }: History): void {
  if (!opKind.includes(OpKind.Append) && !opKind.includes(OpKind.ListRead)) return;
  const isList = (kind: number): boolean => kind === OpKind.Append || kind === OpKind.ListRead;
  const lists = new Set(opKey.filter((_, op) => isList(opKind[op])));
  const both = opKey.find((key, op) => !isList(opKind[op]) && lists.has(key));
  if (both !== undefined)
    throw new RangeError(`The oracle got key ${both} both as a list and as a register; it expected one of them.`);
}
