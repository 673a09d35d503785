/**
 * The reads of a history with scans, as far as a search knows of them. Each row that a scan passed over is a read, too,
 * but few of these reads matter, because a scan passes over nearly every row. Therefore only the returned rows are read
 * at first. An overlooked row, a pair of a scan and a row, becomes a read.
 */
import type { IndexedHistory } from '@isolab/contract';
import { type History, type RegisterHistory, RepeatedLowering, toRegisters } from '@isolab/history';
import type { Tuning } from '../problem/tuning.ts';
import { Forgotten } from '../proof/find-all.ts';
import type { Found } from '../proof/numbers.ts';
import type { Overlooked } from '../theories/rows/replay-scans.ts';

/** The reads as a history of reads and writes. */
export interface Lowered {
  readonly input: IndexedHistory;
  /** The history with its items and with the results of forgotten reads. */
  readonly registers: RegisterHistory;
  /** Whether every version writes all items of its row. Only then does a contradiction hold for the whole history. */
  readonly isFull: boolean;
}

export class Reads {
  readonly history: History;
  readonly tuning: Tuning;
  /** Rows passed over and read, by scan; null if all are read. */
  readonly passedOver: Map<number, number[]> | null;
  readonly forgotten = new Forgotten();
  /** An order that may be close to one of these reads. */
  guess: Int32Array | null = null;
  /** Number of aggregates that the latest order left unexplained. */
  unexplained = 0;
  readonly #isLean: boolean;
  readonly #lowering: RepeatedLowering;
  #lowered: Lowered | null = null;

  /** `isLean` reads write an item only where it changes, if the level permits that. */
  constructor(history: History, tuning: Tuning, passedOver: Map<number, number[]> | null = new Map(), isLean = false) {
    this.history = history;
    this.tuning = tuning;
    this.passedOver = passedOver;
    this.#isLean = isLean;
    this.#lowering = new RepeatedLowering(history, isLean);
  }

  /** Begins with the history that reads only the returned rows. */
  beginWith(input: IndexedHistory): void {
    const { history } = this;
    this.#lowered = {
      input,
      get registers() {
        return toRegisters(history, new Map());
      },
      isFull: true,
    };
  }

  lowered(): Lowered {
    return (this.#lowered ??= this.#asLowered(this.#lowering.lower(this.passedOver), !this.#isLean));
  }

  inFull(): Lowered {
    return this.#asLowered(toRegisters(this.history, this.passedOver), true);
  }

  #asLowered(registers: RegisterHistory, isFull: boolean): Lowered {
    return { input: this.forgotten.without(registers), registers, isFull };
  }

  /** Adds reads of rows. Returns whether any of them is new. */
  add(overlooked: Iterable<Overlooked>): boolean {
    if (this.passedOver === null) return false;
    let added = false;
    for (const { scan, row } of overlooked) {
      const rows = this.passedOver.get(scan);
      if (row < 0 || rows?.includes(row)) continue;
      if (rows === undefined) this.passedOver.set(scan, [row]);
      else rows.push(row);
      added = true;
    }
    if (added) this.#lowered = null;
    return added;
  }

  /** Makes the reads of a contradiction unknown. Returns whether any of them was known. */
  forget(found: Found): boolean {
    this.#lowered = null;
    return this.forgotten.add(found);
  }
}
