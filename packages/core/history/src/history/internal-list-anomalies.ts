import { type Entries, entriesByKey } from './entries.ts';
import { type History, countKeys } from './history.ts';
import { type AnomalyList, Spoilt, findSpoilt } from './internal-anomaly.ts';
import { EMPTY_LIST, OpKind, TxnStatus, UNKNOWN_LIST } from '../columns/operation.ts';
import { Outcome, ReadFrom, type ReadFromIndex } from './read-from.ts';
import type { IdColumn, OperationId, TransactionId } from '../columns/ids.ts';

/** Finds the internal anomalies of list reads; see internal-anomalies.ts. */
export function findListAnomalies(history: History, index: ReadFromIndex, found: AnomalyList): void {
  const finder = new ListFinder(history, index, found);
  for (let key = 0; key < countKeys(history); key++) finder.checkKey(key);
}

class ListFinder {
  readonly #history: History;
  readonly #index: ReadFromIndex;
  readonly #found: AnomalyList;
  readonly #entries: Entries;
  readonly #spoilt: Uint8Array;
  /**
   * For each list node, the first node on its path whose append is aborted or missing; EMPTY_LIST if there is none, -1
   * if unset.
   */
  readonly #rotten: Int32Array;

  constructor(history: History, index: ReadFromIndex, found: AnomalyList) {
    this.#history = history;
    this.#index = index;
    this.#found = found;
    this.#entries = entriesByKey(history);
    this.#spoilt = findSpoilt(history);
    this.#rotten = new Int32Array(history.lists.parent.length).fill(-1);
    this.#rotten[EMPTY_LIST] = EMPTY_LIST;
  }

  /** Checks the operations of a key, transaction by transaction. */
  checkKey(key: number): void {
    const { keyStart, entry, txnOfOp } = this.#entries;
    const { outcome } = this.#index;
    const numOps = this.#history.opKind.length;
    for (let from = keyStart[key], end = keyStart[key + 1]; from < end;) {
      if (entry[from] >= numOps) return; // rows of range reads are not lists
      const t = txnOfOp[entry[from]];
      let to = from + 1;
      while (to < end && entry[to] < numOps && txnOfOp[entry[to]] === t) to++;
      if (outcome[t] === Outcome.Happened) this.#checkTransaction(t, from, to);
      from = to;
    }
  }

  #checkTransaction(t: TransactionId, from: number, to: number): void {
    const { opKind, opValue } = this.#history;
    const entry = this.#entries.entry as IdColumn<OperationId>; // lists have no rows
    let lastAppend = -1 as OperationId; // of the whole transaction
    for (let i = from; i < to; i++) if (opKind[entry[i]] === OpKind.Append) lastAppend = entry[i];

    let lastRead = -1 as OperationId;
    let lastForeign = -1; // elements of other transactions that the read saw
    const own: OperationId[] = []; // appends of this transaction so far
    for (let i = from; i < to; i++) {
      const op = entry[i];
      if (opKind[op] === OpKind.Append) own.push(op);
      else if (opKind[op] === OpKind.ListRead && opValue[op] !== UNKNOWN_LIST) {
        this.#checkElements(op, lastAppend > op ? this.#ownLaterAppend(op, t) : (-1 as OperationId));
        const foreign = this.#withoutOwn(op, own);
        if (foreign < 0) this.#addOwnMissing(op, own);
        else if (lastRead >= 0 && foreign !== lastForeign) this.#found.add('non-repeatable-read', op, lastRead);
        if (foreign >= 0) this.#checkIntermediate(op, t, foreign);
        if (foreign >= 0) {
          lastRead = op;
          lastForeign = foreign;
        }
      }
    }
  }

  /** Returns the list without the transaction's own appends at its end, or −1 if it does not end with them. */
  #withoutOwn(read: OperationId, own: readonly OperationId[]): number {
    const { opValue, lists } = this.#history;
    let node = opValue[read];
    for (let i = own.length - 1; i >= 0; i--) {
      if (node === EMPTY_LIST || lists.element[node] !== opValue[own[i]!]) return -1;
      node = lists.parent[node];
    }
    return node;
  }

  #addOwnMissing(read: OperationId, own: readonly OperationId[]): void {
    const { opValue, lists } = this.#history;
    const last = own[own.length - 1]!;
    const lastElement = lists.element[opValue[read]];
    const seesEarlier = own.some((append) => append !== last && opValue[append] === lastElement);
    this.#found.add(seesEarlier ? 'not-my-last-write' : 'not-my-own-write', read, last);
  }

  /** Checks whether the last foreign element is intermediate: its transaction appended more elements later. */
  #checkIntermediate(read: OperationId, t: TransactionId, foreign: number): void {
    const writer = this.#index.readFrom[read];
    if (writer < 0 || this.#entries.txnOfOp[writer] === t || this.#rotten[foreign] === foreign) return;
    if (this.#spoilt[writer] === Spoilt.Overwritten) this.#found.add('intermediate-read', read, writer);
  }

  #checkElements(read: OperationId, future: OperationId): void {
    const rotten = this.#findRotten(this.#history.opValue[read]);
    if (rotten !== EMPTY_LIST) {
      const append = this.#index.nodeAppend[rotten];
      if (append < 0) this.#found.add('thin-air-read', read, -1 as OperationId);
      else this.#found.add('aborted-read', read, append);
    }
    if (future >= 0) this.#found.add('future-read', read, future);
  }

  #findRotten(node: number): number {
    const rotten = this.#rotten;
    const { parent } = this.#history.lists;
    const fresh: number[] = [];
    for (; rotten[node] < 0; node = parent[node]) fresh.push(node);
    let first = rotten[node];
    for (let n = fresh.pop(); n !== undefined; n = fresh.pop()) {
      if (first === EMPTY_LIST && this.#isRotten(n)) first = n;
      rotten[n] = first;
    }
    return first;
  }

  #isRotten(node: number): boolean {
    const append = this.#index.nodeAppend[node];
    if (append === ReadFrom.ThinAir) return true;
    return append >= 0 && this.#history.txnStatus[this.#entries.txnOfOp[append]] === TxnStatus.Aborted;
  }

  /** Returns the append of a list element that the reader itself makes only later, or -1. */
  #ownLaterAppend(read: OperationId, t: TransactionId): OperationId {
    const { parent } = this.#history.lists;
    for (let node = this.#history.opValue[read]; node !== EMPTY_LIST; node = parent[node]) {
      const append = this.#index.nodeAppend[node];
      if (append > read && this.#entries.txnOfOp[append] === t) return append;
    }
    return -1 as OperationId;
  }
}
