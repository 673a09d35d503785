import type { Chains } from '../../problem/chains.ts';
import type { Schedule } from './schedule.ts';
import type { Tuning } from '../../problem/tuning.ts';

export type MoveTuning = Pick<
  Tuning,
  'mostDragged' | 'fewWriters' | 'nearWriters' | 'dragShare' | 'readerShare' | 'writerShare' | 'overwriterShare'
>;

/** Proposes moves of transactions that may fix a missed read. */
export class Moves {
  /** Transactions of the latest proposed move, and their new places. */
  readonly txns: number[] = [];
  readonly places: number[] = [];
  readonly #schedule: Schedule;
  readonly #random: () => number;
  readonly #chains: Chains;
  readonly #tuning: MoveTuning;
  readonly #writers: number[] = [];

  constructor(schedule: Schedule, chains: Chains, tuning: MoveTuning, random: () => number) {
    this.#schedule = schedule;
    this.#tuning = tuning;
    this.#chains = chains;
    this.#random = random;
  }

  propose(): void {
    const schedule = this.#schedule;
    this.txns.length = 0;
    this.places.length = 0;
    const read = schedule.missed(this.#below(schedule.misses));
    const drawn = this.#random();
    const { dragShare, readerShare, writerShare, overwriterShare } = this.#tuning;
    if (drawn < dragShare && this.#drag(read)) return;
    if (drawn < readerShare && this.#moveReader(read)) return;
    if (drawn < writerShare && this.#moveWriter(read)) return;
    const write = schedule.writeBefore(read);
    if (drawn < writerShare) this.#moveAnywhere(schedule.txn[read]);
    else if (drawn < overwriterShare && schedule.isAccess(write)) this.#moveAnywhere(schedule.txn[write]);
    else this.#moveAnywhere(this.#below(schedule.numTxns));
  }

  #below(limit: number): number {
    return Math.floor(this.#random() * limit);
  }

  /** Finds the writers of the value that a read saw: all if they are few, otherwise those near the read. */
  #findWriters(read: number): number {
    const schedule = this.#schedule;
    const { fewWriters, nearWriters } = this.#tuning;
    const { start, item } = schedule.writersOf;
    const value = schedule.reads(read);
    const writers = this.#writers;
    let found = 0;
    if (start[value + 1] - start[value] <= fewWriters) {
      for (let i = start[value]; i < start[value + 1]; i++) writers[found++] = item[i];
      return found;
    }
    let [before, after] = [schedule.previous(read), schedule.next(read)];
    for (let left = nearWriters; left > 0 && schedule.isAccess(before); left--, before = schedule.previous(before))
      if (schedule.writes(before) === value) writers[found++] = before;
    for (let left = nearWriters; left > 0 && schedule.isAccess(after); left--, after = schedule.next(after))
      if (schedule.writes(after) === value) writers[found++] = after;
    return found;
  }

  #low(t: number): number {
    const before = this.#chains.previous[t];
    return before < 0 ? -1 : this.#schedule.place[before];
  }

  #high(t: number): number {
    const after = this.#chains.next[t];
    return after < 0 ? this.#schedule.numTxns : this.#schedule.place[after];
  }

  #moveAnywhere(t: number): void {
    this.#between(t, this.#low(t), this.#high(t));
  }

  #between(t: number, low: number, high: number): void {
    this.txns[0] = t;
    this.places[0] = low + (high - low) * (0.02 + 0.96 * this.#random());
  }

  /** Moves a read to a place where it sees the right value, between its neighbours in the session. */
  #moveReader(read: number): boolean {
    const schedule = this.#schedule;
    const t = schedule.txn[read];
    const high = this.#high(t);
    let begin = this.#low(t);
    const first = schedule.before(read, begin);
    let seen = schedule.valueAfter(first);
    let found = 0;
    for (let a = schedule.next(first); begin < high; a = schedule.next(a)) {
      if (a === read) continue;
      const end = Math.min(schedule.at(a), high);
      if (seen === schedule.reads(read) && begin < end && this.#random() * ++found < 1) this.#between(t, begin, end);
      if (schedule.writes(a) >= 0) seen = schedule.writes(a);
      begin = end;
    }
    return found > 0;
  }

  /** Moves a writer of the right value between a read and the write before it. */
  #moveWriter(read: number): boolean {
    const schedule = this.#schedule;
    const after = schedule.at(schedule.writeBefore(read));
    let found = 0;
    for (let i = this.#findWriters(read) - 1; i >= 0; i--) {
      const t = schedule.txn[this.#writers[i]!];
      if (t === schedule.txn[read]) continue;
      const low = Math.max(this.#low(t), after);
      const high = Math.min(this.#high(t), schedule.at(read));
      if (low < high && this.#random() * ++found < 1) this.#between(t, low, high);
    }
    return found > 0;
  }

  /** Moves a read after any writer of the right value, together with session neighbours that are in the way. */
  #drag(read: number): boolean {
    const schedule = this.#schedule;
    const found = this.#findWriters(read);
    if (found === 0) return false;
    const write = this.#writers[this.#below(found)]!;
    const t = schedule.txn[read];
    if (schedule.txn[write] === t) return false;
    const low = schedule.at(write);
    const high = Math.min(schedule.at(schedule.writeAfter(write)), schedule.numTxns);
    this.#between(t, low, high);
    const { txns, places } = this;
    const { place } = schedule;
    const { mostDragged } = this.#tuning;
    const { previous, next } = this.#chains;
    for (
      let u = previous[t], to = places[0]!;
      u >= 0 && place[u] >= to && txns.length <= mostDragged;
      u = previous[u]
    ) {
      txns.push(u);
      places.push((to -= this.#random()));
    }
    for (let u = next[t], to = places[0]!; u >= 0 && place[u] <= to && txns.length <= mostDragged; u = next[u]) {
      txns.push(u);
      places.push((to += this.#random()));
    }
    if (txns.length <= mostDragged) return true;
    txns.length = 0;
    places.length = 0;
    return false;
  }
}
