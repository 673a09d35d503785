import type { Chains } from '../problem/chains.ts';
import type { Database } from './state/database.ts';

/** The next transaction of each chain, that is, of each session or of a part of one. */
export class Progress {
  readonly #database: Database;
  readonly #chains: Chains;
  readonly #head: Int32Array; // by chain: the first unplaced transaction, or −1

  constructor(database: Database, chains: Chains) {
    const { happened } = database.versions;
    this.#database = database;
    this.#chains = chains;
    this.#head = new Int32Array(chains.numChains).fill(-1);
    for (let t = 0; t < happened.length; t++)
      if (happened[t] === 1 && chains.previous[t] < 0) this.#head[chains.chainOf[t]] = t;
  }

  /** Returns the first unplaced transaction of each chain. */
  heads(): Int32Array {
    return this.#head.filter((t) => t >= 0);
  }

  /** Returns the event that must come right before this event in its chain, or −1. */
  before(event: number): number {
    if (this.#database.shift === 0) return this.#chains.previous[event];
    if (event & 1) return event - 1;
    const t = this.#chains.previous[event >> 1];
    return t < 0 ? -1 : 2 * t + 1;
  }

  isNext(event: number): boolean {
    const before = this.before(event);
    return before < 0 || this.#database.position[before] >= 0;
  }

  firstOfChain(t: number): number {
    const { shift } = this.#database;
    const first = this.#head[this.#chains.chainOf[t]];
    return (first << shift) | (this.#database.isBegun(first) ? shift : 0);
  }

  /** Advances past a placed transaction to the next one of its chain. Returns −1 if it was the last. */
  moveOn(t: number): number {
    const after = this.#chains.next[t];
    this.#head[this.#chains.chainOf[t]] = after;
    return after;
  }

  goBack(t: number): void {
    this.#head[this.#chains.chainOf[t]] = t;
  }
}
