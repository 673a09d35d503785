import { valueRead, valueWritten } from './entries.ts';
import { type History, countKeys } from './history.ts';
import { AnomalyList, type InternalAnomalies, Spoilt, findSpoilt } from './internal-anomaly.ts';
import { findListAnomalies } from './internal-list-anomalies.ts';
import { OpKind, UNKNOWN_VALUE } from '../columns/operation.ts';
import { Outcome, ReadFrom, type ReadFromIndex } from './read-from.ts';
import type { IdColumn, KeyId, OperationId, TransactionId } from '../columns/ids.ts';

/** Finds all internal anomalies in transactions that happened. */
export function findInternalAnomalies(history: History, index: ReadFromIndex): InternalAnomalies {
  const found = new AnomalyList();
  if (index.isOdd.includes(1)) findRegisterAnomalies(history, index, found);
  if (history.opKind.includes(OpKind.ListRead)) findListAnomalies(history, index, found);
  return found.finish();
}

function findRegisterAnomalies(history: History, index: ReadFromIndex, found: AnomalyList): void {
  const finder = new RegisterFinder(history, index, found);
  for (let t = 0 as TransactionId; t < history.txnStatus.length; t++)
    if (index.isOdd[t] === 1 && index.outcome[t] === Outcome.Happened) finder.checkTransaction(t);
}

class RegisterFinder {
  readonly #history: History;
  readonly #index: ReadFromIndex;
  readonly #found: AnomalyList;
  readonly #spoilt: Uint8Array;
  // For each key: the latest write of the current transaction and its latest read before its own first write, each with
  // the number of that transaction plus 1.
  readonly #writeTxn: Int32Array;
  readonly #write: IdColumn<OperationId>;
  readonly #readTxn: Int32Array;
  readonly #readOp: IdColumn<OperationId>;
  readonly #readValue: Int32Array;

  constructor(history: History, index: ReadFromIndex, found: AnomalyList) {
    this.#history = history;
    this.#index = index;
    this.#found = found;
    this.#spoilt = index.spoiltReads > 0 ? findSpoilt(history) : new Uint8Array(history.opKind.length);
    const numKeys = countKeys(history);
    this.#writeTxn = new Int32Array(numKeys);
    this.#write = new Int32Array(numKeys) as IdColumn<OperationId>;
    this.#readTxn = new Int32Array(numKeys);
    this.#readOp = new Int32Array(numKeys) as IdColumn<OperationId>;
    this.#readValue = new Int32Array(numKeys);
  }

  checkTransaction(t: TransactionId): void {
    const { txnStart, opKind, opKey, opValue, ranges } = this.#history;
    const { readFrom, rowReadFrom } = this.#index;
    for (let op = txnStart[t], end = txnStart[t + 1]; op < end; op++) {
      const kind = opKind[op];
      if (kind === OpKind.Read) {
        this.#checkRead(t, op, opKey[op], opValue[op], readFrom[op]);
      } else if (kind === OpKind.Write) {
        this.#writeTxn[opKey[op]] = t + 1;
        this.#write[opKey[op]] = op;
      } else if (kind === OpKind.RangeRead) {
        for (let row = ranges.rowStart[opValue[op]]; row < ranges.rowStart[opValue[op] + 1]; row++) {
          this.#checkRead(t, op, ranges.rowKey[row], ranges.rowValue[row], rowReadFrom[row]);
        }
      } else if (kind !== OpKind.Append && kind !== OpKind.ListRead && valueRead(this.#history, op) >= 0) {
        this.#checkRead(t, op, opKey[op], valueRead(this.#history, op), readFrom[op]);
        this.#writeTxn[opKey[op]] = t + 1;
        this.#write[opKey[op]] = op;
      }
    }
  }

  /** Checks that transaction `t` may read `value` of `key` from `writer`. */
  #checkRead(t: TransactionId, read: OperationId, key: KeyId, value: number, writer: OperationId): void {
    if (writer === ReadFrom.None || value === UNKNOWN_VALUE) return;
    const ownWrite = this.#writeTxn[key] === t + 1 ? this.#write[key] : (-1 as OperationId);
    if (ownWrite >= 0) {
      if (writer !== ownWrite) this.#checkAfterOwnWrite(t, read, key, value, ownWrite, writer);
      return;
    }
    if (writer < 0) {
      if (writer === ReadFrom.ThinAir) this.#found.add('thin-air-read', read, -1 as OperationId);
    } else if (this.#isOf(t, writer)) {
      this.#found.add('future-read', read, writer);
    } else if (this.#spoilt[writer] !== 0) {
      this.#found.add(this.#spoilt[writer] === Spoilt.Aborted ? 'aborted-read' : 'intermediate-read', read, writer);
    }

    if (this.#readTxn[key] === t + 1 && this.#readValue[key] !== value) {
      this.#found.add('non-repeatable-read', read, this.#readOp[key]);
    }
    this.#readTxn[key] = t + 1;
    this.#readOp[key] = read;
    this.#readValue[key] = value;
  }

  #checkAfterOwnWrite(
    t: TransactionId,
    read: OperationId,
    key: KeyId,
    value: number,
    ownWrite: OperationId,
    writer: OperationId,
  ): void {
    if (writer === ReadFrom.ThinAir) this.#found.add('thin-air-read', read, -1 as OperationId);
    else if (writer >= 0 && this.#spoilt[writer] === Spoilt.Aborted) this.#found.add('aborted-read', read, writer);
    else if (!this.#isOf(t, writer) && !this.#wroteBefore(t, ownWrite, key, value))
      this.#found.add('not-my-own-write', read, ownWrite);
    else if (writer > read && this.#isOf(t, writer)) this.#found.add('future-read', read, writer);
    else this.#found.add('not-my-last-write', read, ownWrite);
  }

  /**
   * Returns whether an earlier write of this transaction has the value, even if the value is also initial or written by
   * another transaction.
   */
  #wroteBefore(t: TransactionId, ownWrite: OperationId, key: KeyId, value: number): boolean {
    const { txnStart, opKey } = this.#history;
    for (let op = txnStart[t]; op < ownWrite; op++)
      if (opKey[op] === key && valueWritten(this.#history, op) === value) return true;
    return false;
  }

  #isOf(t: TransactionId, op: OperationId): boolean {
    return op >= this.#history.txnStart[t] && op < this.#history.txnStart[t + 1];
  }
}
