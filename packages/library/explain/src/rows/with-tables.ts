import {
  type History,
  type OperationId,
  type PlainOperation,
  UNKNOWN,
  fromPlain,
  textOfRow,
  toPlain,
} from '@isolab/history';
import { type RowSource, RowView } from './row-view.ts';
import { scanTold } from './scan-told.ts';

/**
 * Restores the rows and scans of a lowered part. Returns null where a scan would still be incomplete. A restored scan
 * lists all rows of the part, with its results for rows whose writes are all in the part.
 */
export function withTables(part: History, source: RowSource): History | null {
  const view = new RowView(part, source, false);
  const rows = view.allRows();
  if (rows.length === 0) return null;
  const plain = toPlain(part);
  const positions: number[] = [];
  let op = 0;
  let isWhole = true;
  const sessions = plain.sessions.map((session) => ({
    ...session,
    transactions: session.transactions.map((transaction) => {
      const operations: PlainOperation[] = [];
      const own = transaction.operations;
      const first = op;
      const end = op + own.length;
      while (op < end) {
        const group = [op];
        while (op + group.length < end && view.kindOf(op) !== null && view.headOf(op + group.length) === op)
          group.push(op + group.length);
        if (view.kindOf(op) === null) operations.push(own[op - first]!);
        else if (view.kindOf(op) === 'scan') {
          const told = scanTold(view, group, rows);
          isWhole &&= told.isWhole;
          operations.push(scanOf(view, op, told.returned));
        } else operations.push(pointOf(view, op));
        positions.push(part.opPosition === null ? 0 : part.opPosition[op]!);
        op += group.length;
      }
      return { ...transaction, operations };
    }),
  }));
  if (!isWhole) return null;
  const initialRows = rows.flatMap((row) => {
    const version = view.initialOf(row);
    return version ? [[view.nameOf(row), textOfRow(version)] as const] : [];
  });
  const plainKeys = (plain.initialOf ?? []).filter((_, key) => view.rowOfKey(key) < 0);
  const history = fromPlain({
    ...plain,
    sessions,
    initialOf: [...plainKeys, ...initialRows],
    tables: source.history.scans.tables,
  });
  const opPosition = part.opPosition && Uint32Array.from(positions);
  return { ...history, source: part.source, txnPosition: part.txnPosition, opPosition };
}

function pointOf(view: RowView, op: OperationId): PlainOperation {
  const version = view.versionOf(op);
  const value = version === undefined ? UNKNOWN : version && textOfRow(version);
  return { kind: view.kindOf(op) === 'get' ? 'read' : 'write', key: view.nameOf(view.rowOf(op)), value };
}

function scanOf(view: RowView, op: OperationId, returned: ReturnType<typeof scanTold>['returned']): PlainOperation {
  const aggregate = view.aggregateOf(op);
  const rows = Array.from(returned, ([row, version]) => ({
    key: view.nameOf(row),
    value: version ? textOfRow(version) : UNKNOWN,
  }));
  return {
    kind: 'scan',
    table: view.tableOf(op),
    where: view.fullWhereOf(op),
    rows: aggregate === null ? rows : [],
    aggregate,
  };
}
