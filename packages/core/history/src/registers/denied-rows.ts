import type { History } from '../history/history.ts';
import { isOpaque } from '../rows/predicate.ts';
import { excludedFrom } from './excluded.ts';
import { indexRows } from './versions-of-rows.ts';

const DENIED = new WeakMap<History, ReadonlySet<number>>();

/**
 * Returns the rows that some scan passed over although each of their versions matches. Only cut isolation allows that,
 * and there a sum may have left them out, too.
 */
export function deniedRows(history: History): ReadonlySet<number> {
  let denied = DENIED.get(history);
  if (denied === undefined) DENIED.set(history, (denied = findDeniedRows(history)));
  return denied;
}

function findDeniedRows(history: History): Set<number> {
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
