import { type History, countKeys, countOperations, transactionOf } from './history.ts';
import { Exchange, OpKind, TxnStatus } from './operation.ts';

/** How a version, a value of a key, came about. */
export const Written = {
  /** Nothing wrote it. */
  Never: 0,
  /** Only aborted transactions wrote it. */
  ByAborted: 1,
  /** Only transactions that overwrote it themselves (and perhaps aborted ones) wrote it. */
  InPassing: 2,
  /** One transaction that may have happened wrote it last to its key. */
  Once: 3,
  Twice: 4,
  /** Three times or more. */
  Often: 5,
} as const;

/**
 * Who wrote which value to which key. Every key has a table of its own, by open addressing, and all tables stand in
 * one array; what is known of a version is kept with one of the operations that wrote it.
 */
export class Versions {
  readonly #history: History;
  readonly #base: Int32Array; // first slot of each key, with one extra slot
  readonly #slots: Int32Array; // pairs: value and operation + 1, negated unless the version was written once
  readonly #written: Uint8Array; // by operation
  readonly #second = new Map<number, number>(); // the other write of a version that was written twice or more
  /** 1 for a key that is appended to. */
  readonly isAppended: Uint8Array;
  /** 1 for a transaction that wrote a version last that another one wrote last, too. */
  readonly isContested: Uint8Array;
  /** Writes of versions that had been written already, and the first write that another one repeats. */
  repeatedWrites = 0;
  firstRepeated = -1;

  constructor(history: History) {
    const numKeys = countKeys(history);
    this.#history = history;
    this.#base = new Int32Array(numKeys + 1);
    this.#written = new Uint8Array(countOperations(history));
    this.isAppended = new Uint8Array(numKeys);
    this.isContested = new Uint8Array(history.txnStatus.length);
    this.#slots = this.#layOutTables(numKeys);
    this.#enterWrites();
  }

  /**
   * What is known of a version: 0 when nothing wrote it; the operation plus 1 when one transaction wrote it last; else
   * minus that number for the best write there is, of which {@link written} says what it is worth.
   */
  find(key: number, value: number): number {
    const base = this.#base[key];
    const size = this.#base[key + 1] - base;
    if (size === 0) return 0;
    const slots = this.#slots;
    let slot = slotOf(value, size);
    for (;;) {
      const at = 2 * (base + slot);
      if (slots[at + 1] === 0 || slots[at] === value) return slots[at + 1];
      if (++slot === size) slot = 0;
    }
  }

  /** How the version came about for which {@link find} gave this operation. */
  written(op: number): number {
    return this.#written[op];
  }

  /** The other operation that wrote a version which was written twice. */
  second(op: number): number {
    return this.#second.get(op)!;
  }

  #layOutTables(numKeys: number): Int32Array {
    const { opKind, opKey } = this.#history;
    const writes = new Int32Array(numKeys);
    for (let op = 0; op < opKind.length; op++) if (canWrite(opKind[op])) writes[opKey[op]]++;
    let slots = 0;
    for (let key = 0; key < numKeys; key++) {
      this.#base[key] = slots;
      if (writes[key] > 0) slots += writes[key] + (writes[key] >> 1) + 1; // at most two thirds full, never quite full
    }
    this.#base[numKeys] = slots;
    return new Int32Array(2 * slots);
  }

  /** Backwards, so that the first write of a transaction to a key that we meet is its last. */
  #enterWrites(): void {
    const { txnStart, txnStatus, opKind, opKey, opValue, exchanges } = this.#history;
    const lastWriter = new Int32Array(countKeys(this.#history)).fill(-1);
    for (let t = txnStatus.length - 1; t >= 0; t--) {
      const aborted = txnStatus[t] === TxnStatus.Aborted;
      for (let op = txnStart[t + 1] - 1, first = txnStart[t]; op >= first; op--) {
        const kind = opKind[op];
        if (!canWrite(kind)) continue;
        const key = opKey[op];
        if (kind === OpKind.Append) {
          this.isAppended[key] = 1; // and stays in the list, whatever follows
          this.#enter(op, t, key, opValue[op], aborted ? Written.ByAborted : Written.Once);
        } else {
          if (kind !== OpKind.Write && exchanges.flags[opValue[op]] & Exchange.Failed) continue;
          const value = kind === OpKind.Write ? opValue[op] : exchanges.written[opValue[op]];
          const passing = lastWriter[key] === t;
          lastWriter[key] = t;
          this.#enter(op, t, key, value, aborted ? Written.ByAborted : passing ? Written.InPassing : Written.Once);
        }
      }
    }
  }

  #enter(op: number, t: number, key: number, value: number, how: number): void {
    const slots = this.#slots;
    const base = this.#base[key];
    const size = this.#base[key + 1] - base;
    let slot = slotOf(value, size);
    let at = 2 * (base + slot);
    while (slots[at + 1] !== 0 && slots[at] !== value) {
      if (++slot === size) slot = 0;
      at = 2 * (base + slot);
    }
    const best = slots[at + 1] === 0 ? op : this.#repeat(op, t, Math.abs(slots[at + 1]) - 1, how);
    if (best === op) this.#written[op] = how;
    slots[at] = value;
    slots[at + 1] = this.#written[best] === Written.Once ? best + 1 : -(best + 1);
  }

  /**
   * `op` writes a version that `other`, which stands behind it in the history, wrote too. Returns the one of them that
   * stands for it from now on.
   */
  #repeat(op: number, t: number, other: number, how: number): number {
    this.repeatedWrites++;
    if (this.firstRepeated < 0 || op < this.firstRepeated) this.firstRepeated = op;
    const known = this.#written[other];
    if (how < Written.Once || known < Written.Once) return how >= known ? op : other;
    this.#written[other] = Math.min(known + 1, Written.Often);
    this.#second.set(other, op);
    this.isContested[t] = 1;
    this.isContested[transactionOf(this.#history, other)] = 1;
    return other;
  }
}

const canWrite = (kind: number): boolean =>
  kind === OpKind.Write || kind === OpKind.Append || (kind >= OpKind.CompareAndSet && kind !== OpKind.RangeRead);

/** Where to look first in a table of this size: Fibonacci hashing, which spreads consecutive numbers evenly. */
const slotOf = (value: number, size: number): number => ((Math.imul(value, GOLDEN) >>> 0) * size * 2 ** -32) | 0;

/** 2^32 divided by the golden ratio. */
const GOLDEN = 0x9e3779b1;
