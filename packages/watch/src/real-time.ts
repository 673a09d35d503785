import { type LevelName, implies } from '@isolab/contract';
import { type History, NO_TIME, TxnStatus } from '@isolab/history';
import { OPEN_WHEN_PLACED, PLACED } from './lines.ts';

/** When settled transactions began and ended, at the latest: what comes later may have to come before them. */
export class RealTime {
  #latestBegin: bigint = NO_TIME;
  #latestEnd: bigint = NO_TIME;

  /** A transaction is settled that began, or has begun, at that time. */
  passBegin({ txnBegin }: History, t: number): void {
    if (txnBegin !== null && txnBegin[t]! > this.#latestBegin) this.#latestBegin = txnBegin[t]!;
  }

  /** A transaction is settled that committed at its end, or, where that is not known, at some time after its begin. */
  passCommit({ txnBegin, txnEnd }: History, t: number): void {
    const end = txnEnd?.[t] ?? NO_TIME;
    this.passEnd(end === NO_TIME ? (txnBegin?.[t] ?? NO_TIME) : end);
  }

  passEnd(end: bigint): void {
    if (end > this.#latestEnd) this.#latestEnd = end;
  }

  hasBegunAfter(end: bigint): boolean {
    return end < this.#latestBegin;
  }

  /** How many of those that found their place only now must come before one that is settled. */
  countLate(history: History, level: LevelName, isPlaced: Uint8Array, flagsOf: (t: number) => number): number {
    const isSplit = implies(level, 'generalized-snapshot-isolation');
    if (!(isSplit || level === 'strict-serializable' || level === 'linearizable')) return 0;
    const { txnBegin, txnEnd, txnStatus } = history;
    let late = 0;
    for (let t = 0; t < txnStatus.length; t++) {
      if (isPlaced[t] === 0) continue;
      const flags = flagsOf(t);
      const isNew = (flags & PLACED) === 0;
      const isAnswered = (flags & OPEN_WHEN_PLACED) !== 0 && txnStatus[t] !== TxnStatus.Unknown;
      if (!isNew && !isAnswered) continue;
      const end = txnEnd?.[t] ?? NO_TIME;
      const begin = txnBegin?.[t] ?? NO_TIME;
      const first = begin === NO_TIME ? end : begin;
      const hadEnded = end !== NO_TIME && (this.hasBegunAfter(end) || (isSplit && end < this.#latestEnd));
      const hadBegun = isNew && isSplit && first !== NO_TIME && first < this.#latestEnd;
      if (hadEnded || hadBegun) late++;
    }
    return late;
  }

  clear(): void {
    this.#latestBegin = this.#latestEnd = NO_TIME;
  }

  save(): SavedTimes {
    return { begin: String(this.#latestBegin), end: String(this.#latestEnd) };
  }

  restore({ begin, end }: SavedTimes): void {
    this.#latestBegin = BigInt(begin);
    this.#latestEnd = BigInt(end);
  }
}

export interface SavedTimes {
  readonly begin: string;
  readonly end: string;
}
