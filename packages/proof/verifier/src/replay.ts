import { EMPTY_LIST, type History, OpKind, type OperationId, UNKNOWN_LIST, UNKNOWN_VALUE } from '@isolab/history';
import { nameTxn, refuse } from './verdict/flaw.ts';
import { holdsLists, ListTree } from './facts/list-tree.ts';

// Executes transactions in an order, for levels whose reads all see the latest state or a snapshot. The writers that
// reads saw are not needed, so repeated values are no difficulty. A read of a write that did not happen, comes later,
// or was overwritten by its own transaction is detected because the state does not contain its value.

/** Content of each key: the value of a register or a list, and the last transaction that wrote it. */
class Store {
  readonly held: Int32Array;
  readonly writer: Int32Array;
  readonly lists: ListTree | null;

  constructor(history: History) {
    const { opKind, opKey, keyInitial } = history;
    this.held = keyInitial.slice();
    this.writer = new Int32Array(keyInitial.length).fill(-1);
    this.lists = holdsLists(history) ? new ListTree(history) : null;
    if (this.lists === null) return;
    for (let op = 0; op < opKind.length; op++)
      if (opKind[op] === OpKind.Append || opKind[op] === OpKind.ListRead) this.held[opKey[op]] = EMPTY_LIST;
  }
}

/** Verifies that every read sees the writes of earlier transactions in the order, and its own. */
export function replaySerially(history: History, order: Int32Array): void {
  const { txnStart, opKind, opKey, opValue } = history;
  const { held, writer, lists } = new Store(history);
  for (let i = 0; i < order.length; i++) {
    const t = order[i];
    for (let op = txnStart[t], end = txnStart[t + 1]; op < end; op++) {
      const key = opKey[op];
      const value = opValue[op];
      const kind = opKind[op];
      if (kind === OpKind.Read) {
        if (value !== held[key] && value !== UNKNOWN_VALUE) refuseRead(op, t, writer[key]);
      } else if (kind === OpKind.ListRead) {
        if (value !== held[key] && value !== UNKNOWN_LIST) refuseRead(op, t, writer[key]);
      } else {
        held[key] = kind === OpKind.Write ? value : lists!.append(key, held[key], value);
        writer[key] = t;
      }
    }
  }
}

/**
 * Verifies that every read sees the last commit before its transaction began, or a write of the same transaction. Exclusive writers must
 * not overlap.
 */
export function replaySnapshots(history: History, events: Int32Array, exclusive: boolean): void {
  const { txnStart, opKind, opKey, opValue } = history;
  const { held, writer, lists } = new Store(history);
  const own = new Int32Array(held.length); // by key: version that the beginning transaction sees, where it wrote
  const ownWriter = new Int32Array(held.length).fill(-1);
  const writing = new Int32Array(held.length).fill(-1); // by key: the writer that has begun and not committed

  const begin = (t: number): void => {
    for (let op = txnStart[t], end = txnStart[t + 1]; op < end; op++) {
      const key = opKey[op];
      const value = opValue[op];
      const kind = opKind[op];
      const seen = ownWriter[key] === t ? own[key] : held[key];
      if (kind === OpKind.Read || kind === OpKind.ListRead) {
        if (value === seen || value === (kind === OpKind.Read ? UNKNOWN_VALUE : UNKNOWN_LIST)) continue;
        if (ownWriter[key] === t) refuseRead(op, t, t);
        refuseSnapshot(op, t, writer[key]);
      }
      own[key] = kind === OpKind.Write ? value : lists!.append(key, seen, value);
      ownWriter[key] = t;
      if (!exclusive) continue;
      if (writing[key] >= 0 && writing[key] !== t)
        refuse(`transactions ${writing[key]} and ${t} write key ${key} at the same time in the order`);
      writing[key] = t;
    }
  };
  const commit = (t: number): void => {
    for (let op = txnStart[t], end = txnStart[t + 1]; op < end; op++) {
      const key = opKey[op];
      const kind = opKind[op];
      if (kind === OpKind.Read || kind === OpKind.ListRead) continue;
      held[key] = kind === OpKind.Write ? opValue[op] : lists!.append(key, held[key], opValue[op]);
      writer[key] = t;
      writing[key] = -1;
    }
  };
  for (let i = 0; i < events.length; i++) {
    if (events[i] % 2 === 0) begin(events[i] >> 1);
    else commit(events[i] >> 1);
  }
}

const refuseRead = (op: OperationId, t: number, writer: number): never =>
  refuse(
    writer === t
      ? `operation ${op} of transaction ${t} does not see the write of its own transaction to its key`
      : `operation ${op} of transaction ${t} does not see the value of ${nameTxn(writer)}, the latest writer of its key in the order`,
  );

const refuseSnapshot = (op: OperationId, t: number, writer: number): never =>
  refuse(
    `operation ${op} of transaction ${t} does not see the value of ${nameTxn(writer)}, the last to commit a write of its key before the begin`,
  );
