import type { History } from '@isolab/history';
import { IndexedStore } from '../../hints/one-by-one/indexed-store.ts';

/** A place in an order of events, with the state of the database there. */
export class Walk {
  readonly store: IndexedStore;
  /** Transaction that commits at each event, or −1. */
  readonly commits: Int32Array;
  readonly #replaced: number[][] = [];

  constructor(history: History, commits: Int32Array) {
    this.store = new IndexedStore(history);
    this.commits = commits;
  }

  get place(): number {
    return this.#replaced.length;
  }

  /** Returns versions that an earlier event replaced, in the format of the store. */
  replacedBy(event: number): readonly number[] {
    return this.#replaced[event] ?? [];
  }

  pass(): void {
    this.#replaced.push(this.commit(this.commits[this.place]));
  }

  /** Passes an event, but leaves its transaction out of the state. */
  skip(): void {
    this.#replaced.push([]);
  }

  back(): void {
    this.store.takeBack(this.#replaced.pop()!);
  }

  moveTo(place: number): void {
    while (this.place > place) this.back();
    while (this.place < place) this.pass();
  }

  /** Commits a transaction, unless it is −1, and returns the versions that it replaced. */
  commit(t: number): number[] {
    const replaced: number[] = [];
    if (t >= 0) this.store.commit(t, replaced);
    return replaced;
  }
}
