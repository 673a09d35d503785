import type { History } from './history.ts';
import type { IdColumn, KeyId, OperationId, TransactionId } from '../columns/ids.ts';

/** Operations in a different order from their history, with their content. */
export interface OperationOrder {
  readonly op: IdColumn<OperationId>;
  readonly kind: Uint8Array;
  readonly key: IdColumn<KeyId>;
  readonly value: Int32Array;
}

/** Keys of one part of the work: from the first up to, but without, `end`. */
export interface KeyRange {
  readonly first: number;
  readonly end: number;
}

/**
 * Splits the keys of a history into ranges with about equally many operations, estimated from a sample. Returns at most
 * `count` ranges; a single range if range reads, which involve many keys, occur.
 */
export function splitKeys({ opKey, keyInitial, ranges }: History, count: number): KeyRange[] {
  if (ranges.low.length > 0) return [{ first: 0, end: keyInitial.length }];
  const shift = Math.max(0, Math.ceil(Math.log2(keyInitial.length / MOST_BUCKETS)));
  const sampled = new Int32Array((keyInitial.length >> shift) + 1);
  let left = 0;
  for (let op = 0; op < opKey.length; op += SAMPLED) {
    if (opKey[op] < 0) continue;
    sampled[opKey[op] >> shift]++;
    left++;
  }
  const split: KeyRange[] = [];
  for (let bucket = 0, first = 0, here = 0; bucket < sampled.length; bucket++) {
    here += sampled[bucket];
    const isLast = bucket + 1 === sampled.length;
    if (!isLast && (split.length + 1 === count || here < left / (count - split.length))) continue;
    const end = isLast ? keyInitial.length : (bucket + 1) << shift;
    split.push({ first, end });
    left -= here;
    [first, here] = [end, 0];
  }
  return split;
}

/**
 * Orders all operations except scans by groups of keys, keeping their order within a group. Returns null if that has no
 * benefit. With a range of keys, orders only the operations on these keys, always.
 * The data about the keys of one group, limited by the given bytes for all keys, fits into the processor's caches. In
 * the original order of a large history with random keys, nearly every operation waits for memory. Range reads involve
 * several groups, so their place among the other operations matters.
 */
export function orderByKeyGroups(history: History, bytes: number, keys: KeyRange | null = null): OperationOrder | null {
  const { opKind, opKey, opValue, keyInitial, ranges } = history;
  const wanted = Math.min(bytes / CACHED_BYTES, MOST_GROUPS);
  if (keys === null && (wanted < 2 || ranges.low.length > 0)) return null;
  const { first, end } = keys ?? { first: 0, end: keyInitial.length };
  const shift = Math.max(0, Math.ceil(Math.log2(keyInitial.length / wanted)));
  const next = new Int32Array((keyInitial.length >> shift) + 2);
  for (let op = 0; op < opKey.length; op++) if (opKey[op] >= first && opKey[op] < end) next[(opKey[op] >> shift) + 1]++;
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
    if (opKey[op] < first || opKey[op] >= end) continue;
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
/** Every 16th operation is counted. */
const SAMPLED = 16;
const MOST_BUCKETS = 1 << 12;
/** Maximal number of groups: each group takes a pass over all transactions, which is fast but not free. */
const MOST_GROUPS = 64;
