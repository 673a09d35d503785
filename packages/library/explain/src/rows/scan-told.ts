import { matches } from '@isolab/history';
import type { Version } from './row-history.ts';
import type { RowView } from './row-view.ts';

/** The displayable content of a scan in a part that keeps only some of its reads. */
export interface ScanTold {
  readonly returned: ReadonlyMap<number, Version>;
  /** Rows that the scan passed over according to the part. */
  readonly passedOver: readonly number[];
  /** Whether a complete scan would return exactly these rows among the rows whose writes are all in the part. */
  readonly isWhole: boolean;
}

/** `ops` are the operations of the scan in the part, `rows` all of its rows. */
export function scanTold(view: RowView, ops: readonly number[], rows: readonly number[]): ScanTold {
  const scan = ops[0]!;
  const [table, where, aggregate] = [view.tableOf(scan), view.fullWhereOf(scan), view.aggregateOf(scan)];
  if (view.readsCounter(scan)) {
    const there = new Set(rows);
    const isWhole = view.rowsOfTable(table).every((row) => there.has(row) && view.hasAllWrites(row));
    return { returned: new Map(), passedOver: [], isWhole };
  }
  // An aggregate is determined by its reads of all rows that it may cover.
  if (ops.some((op) => view.isItem(op) && view.isOpen(op))) {
    const isWhole = rows.every((row) => view.tableNameOf(row) !== table || view.hasAllWrites(row));
    return { returned: new Map(), passedOver: [], isWhole };
  }
  const passedOver = ops.filter((op) => view.isItem(op) && !view.isMatch(op)).map((op) => view.rowOf(op));
  const returned = new Map<number, Version>();
  const isPassedOver = new Set(passedOver);
  for (const op of ops) if (!isPassedOver.has(view.rowOf(op))) returned.set(view.rowOf(op), view.versionOf(op));
  const told = new Set(ops.map((op) => view.rowOf(op)));
  const mayMatch = (row: number): boolean =>
    view.tableNameOf(row) === table &&
    !told.has(row) &&
    view.versionsOf(row).some((version) => matches(where, version));
  if (aggregate !== null) {
    if (aggregate.kind !== 'count') return { returned, passedOver, isWhole: false };
    let counted = passedOver.length > 0 ? 0 : told.size;
    for (const row of rows) {
      if (!mayMatch(row)) continue;
      const isTooMany = passedOver.length === 0 && ++counted > Number(aggregate.result);
      if (isTooMany || !view.hasAllWrites(row)) return { returned, passedOver, isWhole: false };
    }
    return { returned, passedOver, isWhole: aggregate.result === counted };
  }
  // In a large history, examining every row would take long and find nothing missing.
  if (view.hasEveryWrite && view.returnedBy(scan).every((row) => told.has(row)))
    return { returned, passedOver, isWhole: true };
  const open = rows.filter(mayMatch);
  const isKnown = open.every((row) => view.hasAllWrites(row));
  for (const row of isKnown ? open : []) {
    const version = view.returnedAs(scan, row);
    if (version !== null) returned.set(row, version);
  }
  return { returned, passedOver, isWhole: isKnown };
}
