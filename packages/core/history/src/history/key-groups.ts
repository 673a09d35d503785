import type { History } from './history.ts';
import type { IdColumn, KeyId, OperationId, TransactionId } from '../columns/ids.ts';

/** Operations in a different order from their history, with their content. */
export interface OperationOrder {
  readonly op: IdColumn<OperationId>;
  readonly kind: Uint8Array;
  readonly key: IdColumn<KeyId>;
  readonly value: Int32Array;
}

/**
 * Orders all operations except scans by groups of keys, keeping their order within a group. Returns null if that has no
 * benefit.
 * The data about the keys of one group, limited by the given bytes for all keys, fits into the processor's caches. In
 * the original order of a large history with random keys, nearly every operation waits for memory. Range reads involve
 * several groups, so their place among the other operations matters.
 */
export function orderByKeyGroups(history: History, bytes: number): OperationOrder | null {
  const { opKind, opKey, opValue, keyInitial, ranges } = history;
  const wanted = Math.min(bytes / CACHED_BYTES, MOST_GROUPS);
  if (wanted < 2 || ranges.low.length > 0) return null;
  const shift = Math.max(0, Math.ceil(Math.log2(keyInitial.length / wanted)));
  const next = new Int32Array((keyInitial.length >> shift) + 2);
  for (let op = 0; op < opKey.length; op++) if (opKey[op] >= 0) next[(opKey[op] >> shift) + 1]++;
  for (let group = 1; group < next.length; group++) next[group] += next[group - 1];
  const ops = next[next.length - 1];
  const order = {
    op: new Int32Array(ops) as IdColumn<OperationId>,
    kind: new Uint8Array(ops),
    key: new Int32Array(ops) as IdColumn<KeyId>,
    value: new Int32Array(ops),
  };
  const { op: inOrder, kind, key, value } = order;
  for (let op = 0 as OperationId; op < opKey.length; op++) {
    if (opKey[op] < 0) continue;
    const at = next[opKey[op] >> shift]++;
    inOrder[at] = op;
    kind[at] = opKind[op];
    key[at] = opKey[op];
    value[at] = opValue[op];
  }
  return order;
}

/** Finds the transactions of operations, fast for neighbouring operations. */
export class TransactionCursor {
  readonly #txnStart: Int32Array;
  #t = 0 as TransactionId;

  constructor({ txnStart }: History) {
    this.#txnStart = txnStart;
  }

  of(op: OperationId): TransactionId {
    const txnStart = this.#txnStart;
    let t = this.#t;
    while (op < txnStart[t]) t--;
    while (op >= txnStart[t + 1]) t++;
    return (this.#t = t);
  }
}

const CACHED_BYTES = 1 << 20;
/** Maximal number of groups: each group takes a pass over all transactions, which is fast but not free. */
const MOST_GROUPS = 64;
