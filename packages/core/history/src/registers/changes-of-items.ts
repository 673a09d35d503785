import { grown } from '../columns/columns.ts';
import { type History, countKeys } from '../history/history.ts';
import { OpKind, TxnStatus, UNKNOWN_VALUE } from '../columns/operation.ts';
import { type Item, isMatch } from './items.ts';

/**
 * Items that each write changes. A committed transaction that read a row before writing it replaced that version at
 * levels where each writer of a key sees the previous version. If both versions match or neither does, the item is
 * unchanged; this is the case for most writes of a row with many versions.
 */
export class ChangesOfItems {
  readonly #history: History;
  // Writes of each row, and the version that each of them replaced, if known.
  readonly #writeStart: Int32Array;
  readonly #writeOp: Int32Array;
  readonly #replaced: Int32Array; // by operation
  /** First change of each operation, or −1; and for each change, the next change of the same operation. */
  readonly first: Int32Array;
  next = new Int32Array(FEW);
  item: Item[] = []; // by change
  matched = new Uint8Array(FEW); // by change: 1 if the row matches afterwards
  #count = 0;

  constructor(history: History) {
    this.#history = history;
    const { opKind, opKey } = history;
    this.first = new Int32Array(opKind.length).fill(-1);
    this.#replaced = replacedVersions(history);
    this.#writeStart = new Int32Array(countKeys(history) + 1);
    for (let op = 0; op < opKind.length; op++) if (opKind[op] === OpKind.Write) this.#writeStart[opKey[op] + 1]++;
    for (let key = 1; key < this.#writeStart.length; key++) this.#writeStart[key] += this.#writeStart[key - 1];
    this.#writeOp = new Int32Array(this.#writeStart.at(-1)!);
    const end = this.#writeStart.slice();
    for (let op = 0; op < opKind.length; op++) if (opKind[op] === OpKind.Write) this.#writeOp[end[opKey[op]]++] = op;
  }

  add(item: Item): void {
    const { opValue } = this.#history;
    for (let i = this.#writeStart[item.row], end = this.#writeStart[item.row + 1]; i < end; i++) {
      const op = this.#writeOp[i];
      const before = this.#replaced[op];
      const isMatching = isMatch(item, opValue[op]);
      if (before !== UNKNOWN_VALUE && isMatch(item, before) === isMatching) continue;
      if (this.#count === this.next.length) {
        this.next = grown(this.next, new Int32Array(2 * this.#count));
        this.matched = grown(this.matched, new Uint8Array(2 * this.#count));
      }
      this.next[this.#count] = this.first[op];
      this.matched[this.#count] = isMatching ? 1 : 0;
      this.item.push(item);
      this.first[op] = this.#count++;
    }
  }
}

const FEW = 1024;

/** Returns the version of the row that the transaction of each write had read or written before, or UNKNOWN_VALUE. */
function replacedVersions(history: History): Int32Array {
  const { txnStart, txnStatus, opKind, opKey, opValue, scans } = history;
  const replaced = new Int32Array(opKind.length).fill(UNKNOWN_VALUE);
  const seen = new Int32Array(countKeys(history)); // by key: the version that a transaction saw last
  const seenBy = new Int32Array(countKeys(history)).fill(-1);
  for (let t = 0; t + 1 < txnStart.length; t++) {
    if (txnStatus[t] !== TxnStatus.Committed) continue;
    for (let op = txnStart[t]; op < txnStart[t + 1]; op++) {
      const key = opKey[op];
      const x = opValue[op];
      if (opKind[op] === OpKind.Scan) {
        for (let i = scans.rowStart[x]; i < scans.rowStart[x + 1]; i++) {
          if (scans.rowValue[i] === UNKNOWN_VALUE) continue;
          seen[scans.rowKey[i]] = scans.rowValue[i];
          seenBy[scans.rowKey[i]] = t;
        }
      } else if ((opKind[op] === OpKind.Read && x !== UNKNOWN_VALUE) || opKind[op] === OpKind.Write) {
        if (opKind[op] === OpKind.Write && seenBy[key] === t) replaced[op] = seen[key];
        seen[key] = x;
        seenBy[key] = t;
      }
    }
  }
  return replaced;
}
