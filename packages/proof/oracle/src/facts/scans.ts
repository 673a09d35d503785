import {
  type Aggregate,
  type History,
  NIL,
  OpKind,
  type Row,
  UNKNOWN_VALUE,
  aggregateOf,
  atomOf,
  isOpaque,
  matches,
  rowOfText,
} from '@isolab/history';
export interface Version {
  readonly key: number;
  readonly value: number;
}

/**
 * Whether a row matched, which is the only result of a scan for rows that it did not return. This result is a separate
 * item, because rows that are passed over are not read as rows. Predicates with the same matching versions are the same item.
 */
export interface Match {
  /** The matching versions, as text. Together with the key, they identify the item. */
  readonly item: string;
  readonly matched: boolean;
  readonly accepts: (value: number) => boolean;
}

/** For each scan that returned an aggregate, the reads of single rows that explain its result. */
export type Explained = ReadonlyMap<number, readonly MatchRead[]>;

export interface MatchRead {
  readonly key: number;
  readonly value: Match;
}

export function returnedBy({ scans }: History, scan: number): Version[] {
  const rows: Version[] = [];
  for (let row = scans.rowStart[scan]; row < scans.rowStart[scan + 1]; row++)
    rows.push({ key: scans.rowKey[row], value: scans.rowValue[row] });
  return rows;
}

/**
 * Facts that a scan states about the rows of its table that it did not return or only reported as matches, in order of
 * their names. Rows that were not returned and have no matching version under any outcome are irrelevant.
 */
export function matchesOf(history: History, scan: number): MatchRead[] {
  const { scans } = history;
  const where = scans.predicates[scans.predicate[scan]]!;
  const returned = returnedBy(history, scan);
  return rowsOf(history, scan, () => true).flatMap((row) => {
    const seen = returned.find(({ key }) => key === row.key);
    if (seen ? seen.value !== UNKNOWN_VALUE || isOpaque(where) : row.versions.length === 0) return [];
    return [matchOf(row, seen !== undefined)];
  });
}

/** A row, with all of its versions that match a condition. */
interface MatchingRow {
  readonly key: number;
  readonly versions: readonly number[];
}

/** Rows of the scan's table with a version that matches its predicate and a condition, sorted by name. */
const rowsMatching = (history: History, scan: number, also: (row: Row) => boolean): MatchingRow[] =>
  rowsOf(history, scan, also).filter(({ versions }) => versions.length > 0);

function rowsOf(history: History, scan: number, also: (row: Row) => boolean): MatchingRow[] {
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
    });
}

const matchOf = ({ key, versions }: MatchingRow, matched: boolean): MatchRead => ({
  key,
  value: { item: versions.join(), matched, accepts: (value) => versions.includes(value) === matched },
});

/** Returns all choices of the versions that the aggregates of a transaction saw; empty if a result is impossible. */
export function explanations(history: History, t: number): Explained[] {
  const { txnStart, opKind, opValue, scans } = history;
  let all: Explained[] = [new Map()];
  for (let op = txnStart[t]; op < txnStart[t + 1]; op++) {
    const scan = opValue[op];
    if (opKind[op] !== OpKind.Scan || scans.aggregate[scan] < 0) continue;
    const choices = explanationsOf(history, scan);
    all = all.flatMap((explained) => choices.map((choice) => new Map([...explained, [scan, choice]])));
    if (all.length > MOST) throw new RangeError(`Got aggregates with more than ${MOST} explanations, too many to try.`);
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

/** Chooses for each row one of its values, or no value, with the given sum. */
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
  return all.filter(({ values }) => aggregateOf({ kind: 'sum', column }, values) === result).map(({ reads }) => reads);
}

/** Requires that no row exceeded the result, and that some row had the result as its value. */
function extremes(history: History, scan: number, { kind, column, result }: ColumnAggregate): MatchRead[][] {
  const isBeyond = (row: Row): boolean => {
    const value = row[column] ?? null;
    return value !== null && (result === null || (kind === 'min' ? value < result : value > result));
  };
  const beyond = rowsMatching(history, scan, isBeyond).map((row) => matchOf(row, false));
  if (result === null) return [beyond];
  return rowsMatching(history, scan, (row) => row[column] === result).map((row) => [...beyond, matchOf(row, true)]);
}

const contentOf = ({ values }: History, value: number): Row => rowOfText(atomOf(values, value) as string);

const subsets = <T>(items: readonly T[]): T[][] =>
  items.reduce<T[][]>((all, item) => all.flatMap((some) => [some, [...some, item]]), [[]]);

const MOST = 100_000;

const valuesWrittenTo = ({ opKind, opKey, opValue }: History, key: number): number[] =>
  Array.from(opKind.keys())
    .filter((op) => opKey[op] === key && opKind[op] === OpKind.Write)
    .map((op) => opValue[op]);
