import { type LevelName, implies } from '@isolab/contract';
import { type History, NO_TIME, TimeBounds, type TransactionId, TxnStatus } from '@isolab/history';
import { OPEN_WHEN_PLACED, PLACED } from '../stream/lines.ts';

/** The lower bounds that settled begins and commits set for later events in real time. */
export class RealTime {
  #latestBegin: bigint = NO_TIME;
  #latestCommit: bigint = NO_TIME;

  passBegin(history: History, t: number): void {
    const begin = new TimeBounds(history).earliestBegin(t as TransactionId);
    if (begin > this.#latestBegin) this.#latestBegin = begin;
  }

  passCommit(history: History, t: number): void {
    const commit = new TimeBounds(history).earliestCommit(t as TransactionId);
    if (commit > this.#latestCommit) this.#latestCommit = commit;
  }

  hasBegunAfter(end: bigint): boolean {
    return end < this.#latestBegin;
  }

  /** Counts the newly ordered transactions that must precede a settled transaction. */
  countLate(history: History, level: LevelName, isPlaced: Uint8Array, flagsOf: (t: number) => number): number {
    const isSplit = implies(level, 'generalized-snapshot-isolation');
    if (!(isSplit || level === 'strict-serializable' || level === 'linearizable')) return 0;
    const bounds = new TimeBounds(history);
    const isBefore = (time: bigint, other: bigint): boolean => time !== NO_TIME && time < other;
    let late = 0;
    for (let t = 0 as TransactionId; t < isPlaced.length; t++) {
      if (isPlaced[t] === 0) continue;
      const flags = flagsOf(t);
      const isNew = (flags & PLACED) === 0;
      const isAnswered = (flags & OPEN_WHEN_PLACED) !== 0 && history.txnStatus[t] !== TxnStatus.Unknown;
      if (!isNew && !isAnswered) continue;
      const end = bounds.latestCommit(t);
      const hadEnded = isBefore(end, this.#latestBegin) || (isSplit && isBefore(end, this.#latestCommit));
      const hadBegun = isNew && isSplit && isBefore(bounds.latestBegin(t), this.#latestCommit);
      if (hadEnded || hadBegun) late++;
    }
    return late;
  }

  clear(): void {
    this.#latestBegin = this.#latestCommit = NO_TIME;
  }

  save(): SavedTimes {
    return { begin: String(this.#latestBegin), commit: String(this.#latestCommit) };
  }

  restore({ begin, commit }: SavedTimes): void {
    this.#latestBegin = BigInt(begin);
    this.#latestCommit = BigInt(commit);
  }
}

export interface SavedTimes {
  readonly begin: string;
  readonly commit: string;
}
