import { valueWritten } from './entries.ts';
import { type History, countOperations, transactionOf } from './history.ts';
import { OpKind, TxnStatus } from '../columns/operation.ts';
import { type KeyRange, type OperationOrder, TransactionCursor, orderByKeyGroups } from './key-groups.ts';
import { SLOT_BYTES, SlotsByValue, type VersionSlots, slotsByKey } from './version-slots.ts';
import type { IdColumn, OperationId, TransactionId } from '../columns/ids.ts';

/** Ways in which a version (a key and a value) was written. */
export const Written = {
  /** No operation wrote it. */
  Never: 0,
  /** Only aborted transactions wrote it. */
  ByAborted: 1,
  /** Only transactions that overwrote it themselves, and perhaps aborted transactions, wrote it. */
  InPassing: 2,
  /** Exactly one transaction that may have happened wrote it last to the key. */
  Once: 3,
  Twice: 4,
  /** Three times or more. */
  Often: 5,
} as const;

// Constants are inlined into optimized code; a property that was never looked up before would force recompilation.
const { ByAborted: BY_ABORTED, InPassing: IN_PASSING, Once: ONCE } = Written;

/** Columns of versions that threads share, as long as no value is written twice. */
export interface SharedVersions {
  readonly numbers: Int32Array;
  readonly written: Uint8Array;
  readonly isAppended: Uint8Array;
}

/** Writers of each value of each key. Facts about a version are stored with one of the operations that wrote it. */
export class Versions {
  readonly #history: History;
  /** For each version, the operation + 1, negated unless the version was written once. */
  readonly #slots: VersionSlots;
  readonly #written: Uint8Array; // by operation, xor ONCE: most entries are never touched
  readonly #lastWriter: Int32Array; // by key, while writes are entered
  readonly #isShared: boolean;
  #second: IdColumn<OperationId> | null = null; // by operation: the other write of a version that was written at least twice
  /** 1 for a key with appends. */
  readonly isAppended: Uint8Array;
  /** 1 for a transaction whose last write to some key has the same value as another transaction's last write to it. */
  readonly #isContested: Uint8Array;
  /** Order in which to walk through the operations; null for the order of the history. */
  readonly order: OperationOrder | null = null;
  /** Number of writes of known values so far. */
  entered = 0;
  /** Number of writes that repeat a version, and the first write that is repeated. */
  repeatedWrites = 0;
  firstRepeated = -1;

  /** Enters the writes of a range of keys, or all writes; with columns that threads share, {@link enter} does so. */
  constructor(history: History, keys: KeyRange | null, isContested: Uint8Array, shared: SharedVersions | null = null) {
    this.#history = history;
    this.#written = shared?.written ?? new Uint8Array(countOperations(history));
    const numKeys = history.keyInitial.length;
    this.isAppended = shared?.isAppended ?? new Uint8Array(numKeys);
    this.#isContested = isContested;
    this.#lastWriter = new Int32Array(numKeys).fill(-1);
    this.#isShared = shared !== null;
    if (shared !== null) {
      this.#slots = new SlotsByValue(history, shared.numbers);
      return;
    }
    if (keys === null) {
      this.#slots = new SlotsByValue(history);
      if (this.#enterWrites()) return;
      this.#second = null;
      this.#written.fill(0);
      this.#isContested.fill(0);
      this.repeatedWrites = 0;
      this.firstRepeated = -1;
    }
    const bytes = SLOT_BYTES * (countOperations(history) >> 1) + BYTES_BY_KEY * numKeys;
    this.order = orderByKeyGroups(history, bytes, keys);
    this.#slots = slotsByKey(history, this.order);
    this.#enterWrites();
  }

  /** Enters the writes of a range of transactions; other threads enter the rest. Returns false for a repeated value. */
  enter(first: TransactionId, end: number): boolean {
    for (let t = first; t < end; t++) if (!this.#enterTransaction(t)) return false;
    return true;
  }

  /**
   * Returns 0 if the version was never written, op + 1 for its last write if only one transaction wrote it, or −(op +
   * 1) for its best write; see {@link written}.
   */
  find(key: number, value: number): number {
    return this.#slots.find(key, value);
  }

  /** Returns the way in which the version was written for which {@link find} returned this operation. */
  written(op: number): number {
    return this.#written[op] ^ ONCE;
  }

  /** Returns the other operation that wrote a version which was written twice. */
  second(op: number): OperationId {
    return this.#second![op];
  }

  /**
   * Walks backwards, so that the first write to a key that it meets in a transaction is the last. Returns false if the
   * slot of a version is taken.
   */
  #enterWrites(): boolean {
    const { order } = this;
    this.#lastWriter.fill(-1);
    if (order === null) {
      for (let t = (this.#history.txnStatus.length - 1) as TransactionId; t >= 0; t--)
        if (!this.#enterTransaction(t)) return false;
      return true;
    }
    const { op, kind, key, value } = order;
    const txns = new TransactionCursor(this.#history);
    for (let i = op.length - 1; i >= 0; i--) {
      if (kind[i] === OpKind.Read) continue;
      if (!this.#enterWrite(op[i], txns.of(op[i]), kind[i], key[i], value[i])) return false;
    }
    return true;
  }

  #enterTransaction(t: TransactionId): boolean {
    const { txnStart, opKind, opKey, opValue } = this.#history;
    for (let op = (txnStart[t + 1] - 1) as OperationId, first = txnStart[t]; op >= first; op--) {
      if (opKind[op] === OpKind.Read) continue;
      if (!this.#enterWrite(op, t, opKind[op], opKey[op], opValue[op])) return false;
    }
    return true;
  }

  #enterWrite(op: OperationId, t: TransactionId, kind: number, key: number, written: number): boolean {
    const value = kind === OpKind.Write ? written : valueWritten(this.#history, op);
    if (value < 0) return true;
    this.entered++;
    let how: number = this.#history.txnStatus[t] === TxnStatus.Aborted ? BY_ABORTED : ONCE;
    // Appended elements stay in the list in every later state.
    if (kind === OpKind.Append) this.isAppended[key] = 1;
    else {
      if (this.#lastWriter[key] === t && how === ONCE) how = IN_PASSING;
      this.#lastWriter[key] = t;
    }
    const { numbers } = this.#slots;
    const at = this.#slots.place(key, value);
    if (at < 0) return false;
    if (numbers[at] !== 0) {
      if (this.#isShared) return false;
      this.#repeat(op, t, at, how);
    } else if (how === ONCE) numbers[at] = op + 1;
    else {
      numbers[at] = -(op + 1);
      this.#written[op] = how ^ ONCE;
    }
    return true;
  }

  /** Notes that `op` writes the version in slot `at`, as a later operation does; one of them represents both. */
  #repeat(op: OperationId, t: TransactionId, at: number, how: number): void {
    const { numbers } = this.#slots;
    const other = (Math.abs(numbers[at]) - 1) as OperationId;
    this.repeatedWrites++;
    if (this.firstRepeated < 0 || op < this.firstRepeated) this.firstRepeated = op;
    const known = this.written(other);
    if (how < ONCE || known < ONCE) {
      if (how < known) return;
      this.#written[op] = how ^ ONCE;
      numbers[at] = how === ONCE ? op + 1 : -(op + 1);
      return;
    }
    this.#written[other] = Math.min(known + 1, Written.Often) ^ ONCE;
    numbers[at] = -(other + 1);
    this.#second ??= new Int32Array(this.#written.length) as IdColumn<OperationId>; // not a Map, which is limited to 2^24 entries
    this.#second[other] = op;
    this.#isContested[t] = 1;
    this.#isContested[transactionOf(this.#history, other)] = 1;
  }
}

/** Approximate bytes per key in this class, in the slots, and in the resolution of reads. */
const BYTES_BY_KEY = 40;
