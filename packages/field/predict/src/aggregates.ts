/**
 * Aggregates as scans. A serial order of a history shows the rows that each aggregate included, and their versions. The
 * aggregate becomes a scan that returned these, so a prediction may change each of them and compute the result again.
 */
import {
  type Aggregate,
  type History,
  NIL,
  OpKind,
  aggregateOf,
  contentsOf,
  isOpaque,
  matches,
  valueWritten,
} from '@isolab/history';
import { certificate } from 'isolab';
import { judgeWhole } from './judge.ts';

export interface WithoutAggregates {
  readonly history: History;
  /** Aggregates that became scans, by the number of the scan. */
  readonly aggregates: ReadonlyMap<number, Aggregate>;
}

/** Returns the transactions of a history with aggregates in a serial order; null if none is known. */
export async function serialOrder(whole: History, ends: number): Promise<readonly number[] | null> {
  const evidence = certificate(whole, await judgeWhole(whole, 'serializable', ends));
  return evidence?.certificate.kind === 'commit-order' ? evidence.certificate.order : null;
}

/** Leaves an aggregate as it is if its rows in this order do not give the recorded result. */
export function aggregatesAsScans(whole: History, order: readonly number[]): WithoutAggregates {
  const { scans } = whole;
  const count = scans.aggregate.reduce((sum, each) => sum + (each >= 0 ? 1 : 0), 0);
  if (count === 0 || count * scans.keyTable.length > MOST_LOOKUPS) return { history: whole, aggregates: new Map() };
  const rowsOf = new Map<number, readonly VersionOfRow[]>();
  for (const [scan, rows] of rowsIncluded(whole, order)) rowsOf.set(scan, rows);
  const aggregates = new Map(Array.from(rowsOf.keys(), (scan) => [scan, scans.aggregates[scans.aggregate[scan]]!]));
  const all = Array.from(scans.table.keys(), (scan) => rowsOf.get(scan) ?? rowsReturned(whole, scan));
  let end = 0;
  return {
    history: {
      ...whole,
      scans: {
        ...scans,
        aggregate: scans.aggregate.map((each, scan) => (rowsOf.has(scan) ? -1 : each)),
        rowStart: Int32Array.from([0, ...all.map(({ length }) => (end += length))]),
        rowKey: Int32Array.from(all.flat(), ({ row }) => row) as typeof scans.rowKey,
        rowValue: Int32Array.from(all.flat(), ({ value }) => value),
      },
    },
    aggregates,
  };
}

const MOST_LOOKUPS = 5_000_000;

interface VersionOfRow {
  readonly row: number;
  readonly value: number;
}

/** Yields each aggregate with its rows, if they give the recorded result. */
function* rowsIncluded(
  whole: History,
  order: readonly number[],
): Generator<[scan: number, rows: readonly VersionOfRow[]]> {
  const { scans, txnStart, opKind, opKey, opValue } = whole;
  const contents = contentsOf(whole);
  const current = Int32Array.from(whole.keyInitial);
  for (const t of order)
    for (let op: number = txnStart[t]!; op < txnStart[t + 1]!; op++) {
      const written = valueWritten(whole, op);
      if (written >= 0) current[opKey[op]] = written;
      const scan = opValue[op]!;
      if (opKind[op] !== OpKind.Scan || scans.aggregate[scan]! < 0) continue;
      const where = scans.predicates[scans.predicate[scan]!]!;
      const aggregate = scans.aggregates[scans.aggregate[scan]!]!;
      const rows: VersionOfRow[] = [];
      for (const [row, table] of scans.keyTable.entries()) {
        const value = current[row]!;
        if (table === scans.table[scan] && value !== NIL && matches(where, contents.of(value)))
          rows.push({ row, value });
      }
      const result = aggregateOf(
        aggregate,
        rows.map(({ value }) => contents.of(value)),
      );
      if (!isOpaque(where) && result === aggregate.result) yield [scan, rows];
    }
}

const rowsReturned = ({ scans: { rowStart, rowKey, rowValue } }: History, scan: number): VersionOfRow[] =>
  Array.from(rowKey.subarray(rowStart[scan], rowStart[scan + 1]), (row, i) => ({
    row,
    value: rowValue[rowStart[scan]! + i]!,
  }));
