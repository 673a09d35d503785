import { OpKind, countKeys } from '@isolab/history';
import type { RawFacts } from './raw-facts.ts';
import { Rank, sortedBy } from './versions.ts';

/** Rows of numbers, by offsets with one extra slot. */
export interface Rows {
  readonly start: Int32Array;
  readonly item: Int32Array;
}

/** The transactions that happened and write each key, in ascending order. */
export function writersByKey({ history, happened, txnOf, versions }: RawFacts): Rows {
  const { opKind, opKey } = history;
  const lastWrites = new Int32Array(opKind.length);
  let count = 0;
  for (let op = 0; op < opKind.length; op++) {
    if (opKind[op] === OpKind.Write && versions.rank[op] === Rank.Last && happened[txnOf[op]]) lastWrites[count++] = op;
  }
  const { sorted, start } = sortedBy(lastWrites.subarray(0, count), opKey, countKeys(history));
  return { start, item: sorted.map((op) => txnOf[op]) };
}

/** The keys that each transaction that happened writes, in ascending order. */
export function keysWritten({ happened }: RawFacts, writers: Rows): Rows {
  const key = new Int32Array(writers.item.length);
  for (let k = 0; k + 1 < writers.start.length; k++) key.fill(k, writers.start[k], writers.start[k + 1]);
  const entries = Int32Array.from(key.keys());
  const { sorted, start } = sortedBy(entries, writers.item, happened.length);
  return { start, item: sorted.map((entry) => key[entry]) };
}

/** The place of the last number in a sorted row that is at most `bound`; `from` − 1 if there is none. */
export function lastUpTo(item: Int32Array, from: number, to: number, bound: number): number {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (item[middle] <= bound) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

export function rowHas({ start, item }: Rows, row: number, wanted: number): boolean {
  const place = lastUpTo(item, start[row], start[row + 1], wanted);
  return place >= start[row] && item[place] === wanted;
}
