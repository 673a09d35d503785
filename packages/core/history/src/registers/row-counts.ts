import type { History } from '../history/history.ts';
import { OpKind } from '../columns/operation.ts';
import { countOpaqueScans } from '../history/evidence.ts';
import type { Aggregate } from '../rows/scans.ts';

/** Counts for a history with rows, regardless of the outcomes of its transactions. */
export interface RowCounts {
  /** Number of rows per table that were written, read or scanned. */
  readonly tables: Readonly<Record<string, number>>;
  /** Scans that returned rows or found no match. */
  readonly scans: number;
  /** Scans that returned an aggregate instead, by kind. */
  readonly aggregates: Readonly<Partial<Record<Aggregate['kind'], number>>>;
  /** Scans with an unmodelled predicate in transactions that did not abort. */
  readonly opaqueScans: number;
  readonly predicates: number;
  /** Rows returned by all scans together, and the maximum for a single scan. */
  readonly returned: number;
  readonly mostReturned: number;
}

/** Returns null for a history without tables. */
export function countRows(history: History): RowCounts | null {
  const { scans, opKind, opValue } = history;
  if (scans.tables.length === 0) return null;
  const tables: Record<string, number> = Object.fromEntries(scans.tables.map((name) => [name, 0]));
  for (const table of scans.keyTable) if (table >= 0) tables[scans.tables[table]!]!++;
  const aggregates: Partial<Record<Aggregate['kind'], number>> = {};
  let plain = 0;
  let returned = 0;
  let mostReturned = 0;
  for (let op = 0; op < opKind.length; op++) {
    if (opKind[op] !== OpKind.Scan) continue;
    const scan = opValue[op]!;
    const aggregate = scans.aggregates[scans.aggregate[scan]!];
    if (aggregate !== undefined) {
      aggregates[aggregate.kind] = (aggregates[aggregate.kind] ?? 0) + 1;
      continue;
    }
    const rows = scans.rowStart[scan + 1]! - scans.rowStart[scan]!;
    plain++;
    returned += rows;
    mostReturned = Math.max(mostReturned, rows);
  }
  return {
    tables,
    scans: plain,
    aggregates,
    opaqueScans: countOpaqueScans(history),
    predicates: scans.predicates.length,
    returned,
    mostReturned,
  };
}
