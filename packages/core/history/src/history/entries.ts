import { type History, countKeys, countOperations, transactionOfOperations } from './history.ts';
import { NO_KEY, OpKind, Exchange } from '../columns/operation.ts';
import type { IdColumn, OperationId, TransactionId } from '../columns/ids.ts';

/** Operations and rows of range reads, sorted by key. Entries below `numOps` are operations, all others are rows. */
export interface Entries {
  /** First entry of each key, with one extra slot. */
  readonly keyStart: Int32Array;
  readonly entry: Int32Array;
  /** Range read that returned each row. */
  readonly rowOp: IdColumn<OperationId>;
  readonly txnOfOp: IdColumn<TransactionId>;
}

export function entriesByKey(history: History): Entries {
  const { opKind, opKey, opValue, ranges } = history;
  const numOps = countOperations(history);
  const numKeys = countKeys(history);

  const keyStart = new Int32Array(numKeys + 1);
  for (let op = 0; op < numOps; op++) if (opKey[op] !== NO_KEY) keyStart[opKey[op] + 1]++;
  for (let row = 0; row < ranges.rowKey.length; row++) keyStart[ranges.rowKey[row] + 1]++;
  for (let key = 0; key < numKeys; key++) keyStart[key + 1] += keyStart[key];

  const cursor = keyStart.slice(0, numKeys);
  const entry = new Int32Array(keyStart[numKeys]);
  const rowOp = new Int32Array(ranges.rowKey.length) as IdColumn<OperationId>;
  for (let op = 0 as OperationId; op < numOps; op++) {
    if (opKey[op] !== NO_KEY) {
      entry[cursor[opKey[op]]++] = op;
    } else if (opKind[op] === OpKind.RangeRead) {
      for (let row = ranges.rowStart[opValue[op]], end = ranges.rowStart[opValue[op] + 1]; row < end; row++) {
        rowOp[row] = op;
        entry[cursor[ranges.rowKey[row]]++] = numOps + row;
      }
    }
  }
  return { keyStart, entry, rowOp, txnOfOp: transactionOfOperations(history) };
}

/** Returns the value id that a register operation or row saw, or -1 if it saw none. List reads are not registers. */
export function valueRead(history: History, entry: number): number {
  const numOps = history.opKind.length;
  if (entry >= numOps) return history.ranges.rowValue[entry - numOps];
  switch (history.opKind[entry]) {
    case OpKind.Read:
      return history.opValue[entry];
    case OpKind.CompareAndSet:
    case OpKind.Insert:
    case OpKind.Delete: {
      const exchange = history.opValue[entry];
      return history.exchanges.flags[exchange] & Exchange.Failed ? -1 : history.exchanges.observed[exchange];
    }
    default:
      return -1;
  }
}

/** Returns the value id that an operation wrote or appended, or -1 if it wrote none. */
export function valueWritten(history: History, op: number): number {
  if (op >= history.opKind.length) return -1;
  switch (history.opKind[op]) {
    case OpKind.Write:
    case OpKind.Append:
      return history.opValue[op];
    case OpKind.CompareAndSet:
    case OpKind.Insert:
    case OpKind.Delete: {
      const exchange = history.opValue[op];
      return history.exchanges.flags[exchange] & Exchange.Failed ? -1 : history.exchanges.written[exchange];
    }
    default:
      return -1;
  }
}
