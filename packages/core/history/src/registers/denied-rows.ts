import { OpKind, TxnStatus, UNKNOWN_VALUE } from '../columns/operation.ts';
import type { History } from '../history/history.ts';
import { isOpaque } from '../rows/predicate.ts';
import { askedRows } from './asked-rows.ts';
import { excludedFrom } from './excluded.ts';
import { MOST_ROWS, isWithoutVersion, soleSum } from './sole-sum.ts';
import { indexRows } from './versions-of-rows.ts';

const DENIED = new WeakMap<History, ReadonlySet<number>>();

/**
 * Returns the rows that a sum may have left out although each of their versions adds to it. Only cut isolation allows
 * that, so it matters only if some scan passed over the row, or if the sums of a transaction contradict its other scans
 * when they include the row.
 */
export function deniedRows(history: History): ReadonlySet<number> {
  let denied = DENIED.get(history);
  if (denied === undefined) {
    const byScans = rowsDeniedByScans(history);
    DENIED.set(history, (denied = new Set([...byScans, ...rowsDeniedBySums(history, byScans)])));
  }
  return denied;
}

function rowsDeniedByScans(history: History): Set<number> {
  const { table, rowStart, rowKey } = history.scans;
  const certain = new Map<string, readonly number[]>(); // by table and predicate: the rows that match in each version
  const denied = new Set<number>();
  for (let scan = 0; scan < table.length; scan++) {
    const where = excludedFrom(history, scan);
    if (where === null || isOpaque(where)) continue;
    const index = indexRows(history)[table[scan]]!;
    const name = `${table[scan]} ${JSON.stringify(where)}`;
    let rows = certain.get(name);
    if (rows === undefined) {
      const always = index.matching(where).filter(({ row, some }) => some === null && !index.isEverAbsent(row));
      certain.set(name, (rows = always.map(({ row }) => row)));
    }
    if (rows.length === 0) continue;
    const returned = new Set<number>(rowKey.subarray(rowStart[scan], rowStart[scan + 1]));
    for (const row of rows) if (!returned.has(row)) denied.add(row);
  }
  return denied;
}

function rowsDeniedBySums(history: History, denied: ReadonlySet<number>): number[] {
  const { txnStart, txnStatus, opKind, opValue, scans } = history;
  const found: number[] = [];
  if (scans.aggregates.length === 0) return found;
  for (let t = 0; t + 1 < txnStart.length; t++) {
    if (txnStatus[t] === TxnStatus.Aborted) continue;
    const byTable = new Map<number, number[]>();
    for (let op = txnStart[t]!; op < txnStart[t + 1]!; op++) {
      if (opKind[op] !== OpKind.Scan) continue;
      const scan = opValue[op]!;
      const table = scans.table[scan]!;
      byTable.set(table, [...(byTable.get(table) ?? []), scan]);
    }
    for (const together of byTable.values()) {
      if (together.length === 1) continue;
      const rows = together.filter((scan) => isSum(history, scan)).flatMap((scan) => rowsAlwaysAdded(history, scan));
      if (rows.length > 0 && mayContradict(history, together, denied)) found.push(...rows);
    }
  }
  return found;
}

function isSum({ scans }: History, scan: number): boolean {
  const { kind, result } = scans.aggregates[scans.aggregate[scan]!] ?? {};
  return kind === 'sum' && result !== null && !isOpaque(scans.predicates[scans.predicate[scan]!]!);
}

function rowsAlwaysAdded(history: History, scan: number): number[] {
  const index = indexRows(history)[history.scans.table[scan]!]!;
  if (index.size > MOST_ROWS) return [];
  return askedRows(history, scan).flatMap((one) => (isWithoutVersion(one, index) ? [one.row] : []));
}

/** Returns whether scans of one table state contrary facts of a row; also true if an aggregate leaves the rows open. */
function mayContradict(history: History, together: readonly number[], denied: ReadonlySet<number>): boolean {
  const { table, rowStart, rowKey, rowValue, aggregate, aggregates } = history.scans;
  const matched = new Map<string, boolean>();
  const contradicts = (row: number, some: readonly number[] | null, isMatched: boolean): boolean => {
    const name = `${row} ${some === null ? 'all' : some.join()}`;
    const before = matched.get(name) ?? isMatched;
    matched.set(name, isMatched);
    return before !== isMatched;
  };
  return together.some((scan) => {
    const index = indexRows(history)[table[scan]!]!;
    const result = aggregates[aggregate[scan]!];
    if (isSum(history, scan)) {
      const sole = soleSum(askedRows(history, scan), Number(result!.result), index, denied);
      return sole === null || sole.some(({ row, some, adds }) => contradicts(row, some, adds !== null));
    }
    const where = excludedFrom(history, scan);
    if (where === null || (result !== undefined && result.result !== null && result.kind !== 'count')) return true;
    const returned = new Map<number, number>();
    for (let row = rowStart[scan]!; row < rowStart[scan + 1]!; row++) returned.set(rowKey[row]!, rowValue[row]!);
    return index.matching(where).some(({ row, some }) => {
      const value = returned.get(row);
      return (value === undefined || value === UNKNOWN_VALUE) && contradicts(row, some, value !== undefined);
    });
  });
}
