import { type History, OpKind, TxnStatus, countKeys, countValues } from '@isolab/history';

/** What a write is worth to readers; the best come first. */
export const Rank = {
  /** Its transaction's last write of the key, and not aborted. */
  Last: 0,
  /** Its own transaction overwrote it. */
  InPassing: 1,
  Aborted: 2,
} as const;

/** All writes, sorted by value, then key, then rank: the writes of one version stand side by side, the best ones first. */
export class Versions {
  /** By operation: a Rank, where it is a write. */
  readonly rank: Uint8Array;
  readonly #history: History;
  readonly #writes: Int32Array;
  readonly #valueStart: Int32Array; // first write of each value, with one extra slot

  constructor(history: History, txnOf: Int32Array) {
    const { opKey, opValue } = history;
    this.#history = history;
    this.rank = rankWrites(history, txnOf);
    const byRank = sortedBy(writesOf(history), this.rank, Rank.Aborted + 1).sorted;
    const numValues = countValues(history);
    let byValue = sortedBy(byRank, opValue, numValues);
    if (!isUnique(byValue.start))
      byValue = sortedBy(sortedBy(byRank, opKey, countKeys(history)).sorted, opValue, numValues);
    this.#writes = byValue.sorted;
    this.#valueStart = byValue.start;
  }

  /** The write of a version whose value nothing else wrote, not even to another key; else −1. */
  onlyWrite(key: number, value: number): number {
    const place = this.#valueStart[value];
    if (this.#valueStart[value + 1] !== place + 1) return -1;
    const write = this.#writes[place];
    return this.#history.opKey[write] === key ? write : -1;
  }

  /** The place of the first write of a version, or −1. */
  find(key: number, value: number): number {
    const { opKey } = this.#history;
    const writes = this.#writes;
    const end = this.#valueStart[value + 1];
    let low = this.#valueStart[value];
    let high = end;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (opKey[writes[middle]] < key) low = middle + 1;
      else high = middle;
    }
    return low < end && opKey[writes[low]] === key ? low : -1;
  }

  /** The write at a place, if it is of that version; else −1. */
  writeAt(place: number, key: number, value: number): number {
    if (place < 0 || place >= this.#writes.length) return -1;
    const write = this.#writes[place];
    return this.#history.opKey[write] === key && this.#history.opValue[write] === value ? write : -1;
  }
}

function isUnique(start: Int32Array): boolean {
  for (let group = 0; group + 1 < start.length; group++) if (start[group + 1] - start[group] > 1) return false;
  return true;
}

function writesOf({ opKind }: History): Int32Array {
  const writes = new Int32Array(opKind.length);
  let count = 0;
  for (let op = 0; op < opKind.length; op++) if (opKind[op] === OpKind.Write) writes[count++] = op;
  return writes.subarray(0, count);
}

function rankWrites({ txnStatus, opKind, opKey, keyInitial }: History, txnOf: Int32Array): Uint8Array {
  const rank = new Uint8Array(opKind.length);
  const writer = new Int32Array(keyInitial.length).fill(-1); // by key, from the end: the transaction that wrote it
  for (let op = opKind.length - 1; op >= 0; op--) {
    if (opKind[op] !== OpKind.Write) continue;
    const t = txnOf[op];
    if (txnStatus[t] === TxnStatus.Aborted) rank[op] = Rank.Aborted;
    else if (writer[opKey[op]] === t) rank[op] = Rank.InPassing;
    writer[opKey[op]] = t;
  }
  return rank;
}

/** Sorts numbers by what a column holds for them, equal ones as they were; and says where each group starts. */
export function sortedBy(
  numbers: Int32Array,
  column: Int32Array | Uint8Array,
  groups: number,
): { readonly sorted: Int32Array; readonly start: Int32Array } {
  const start = new Int32Array(groups + 1);
  for (let i = 0; i < numbers.length; i++) start[column[numbers[i]] + 1]++;
  for (let group = 0; group < groups; group++) start[group + 1] += start[group];
  const cursor = start.slice(0, groups);
  const sorted = new Int32Array(numbers.length);
  for (let i = 0; i < numbers.length; i++) sorted[cursor[column[numbers[i]]]++] = numbers[i];
  return { sorted, start };
}
