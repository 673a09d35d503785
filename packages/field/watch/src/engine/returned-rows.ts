import { type History, type IdColumn, type KeyId, LoweredOperations, OpKind, UNKNOWN_VALUE } from '@isolab/history';

/** A history in which scans are replaced by reads of the rows that they returned. */
export interface Returned {
  readonly history: History;
  /** Number of scans in each transaction; null if there are no scans. */
  readonly scansOf: Int32Array | null;
}

/**
 * Replaces each scan by reads of the rows that it returned. Rows that a scan skipped or counted concern all rows at
 * that time, which a window does not contain. Dropping reads is sound: a history with fewer reads violates a level only
 * if the complete history does.
 */
export function returnedRows(history: History): Returned {
  if (history.scans.table.length === 0) return { history, scansOf: null };
  const { txnStart, opKind, opKey, opValue, opVersion, scans } = history;
  const scansOf = new Int32Array(history.txnStatus.length);
  const out = new LoweredOperations(opKind.length + scans.rowKey.length);
  const newStart = new Int32Array(txnStart.length);
  for (let t = 0; t + 1 < txnStart.length; t++) {
    for (let op = txnStart[t]!; op < txnStart[t + 1]!; op++) {
      if (opKind[op] !== OpKind.Scan) {
        out.put(opKind[op]!, opKey[op]!, opValue[op]!, op);
        continue;
      }
      scansOf[t]!++;
      const scan = opValue[op]!;
      for (let row = scans.rowStart[scan]!; row < scans.rowStart[scan + 1]!; row++)
        if (scans.rowValue[row] !== UNKNOWN_VALUE) out.put(OpKind.Read, scans.rowKey[row]!, scans.rowValue[row]!, op);
    }
    newStart[t + 1] = out.count;
  }
  const opStatement = out.opOf.slice(0, out.count);
  const lowered: History = {
    ...history,
    txnStart: newStart,
    opKind: out.kind.slice(0, out.count),
    opKey: out.key.slice(0, out.count) as IdColumn<KeyId>,
    opValue: out.value.slice(0, out.count),
    opVersion: opVersion && BigInt64Array.from(opStatement, (op) => opVersion[op]!),
    opPosition: null,
    opStatement,
    scans: {
      ...scans, // the transaction's tables stay
      predicates: [],
      aggregates: [],
      table: NONE,
      predicate: NONE,
      aggregate: NONE,
      rowStart: new Int32Array(1),
      rowKey: NONE as IdColumn<KeyId>,
      rowValue: NONE,
    },
  };
  return { history: lowered, scansOf };
}

const NONE = new Int32Array(0);
