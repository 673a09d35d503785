/**
 * Finds cycles with one pair of weight 1 and otherwise edges of weight 0, in graphs that forbid cycles up to weight 1.
 */
import { type Adjacency, PairAdjacency } from './adjacency.ts';

export class LightCycles {
  numVisited = 0; // in the last search
  readonly #out: PairAdjacency;
  readonly #met: Int32Array; // last search that reached a node: even forward, odd backward
  readonly #queue: Int32Array;
  #search = 0;

  /** Reserves room for the pairs that leave each node. */
  constructor(start: Int32Array) {
    this.#out = new PairAdjacency(start);
    this.#met = new Int32Array(start.length);
    this.#queue = new Int32Array(start.length);
  }

  push(from: number, to: number, pair: number): void {
    this.#out.pushPair(from, to, pair);
  }

  pop(from: number): void {
    this.#out.pop(from);
  }

  /** Returns a pair of weight 1 from a node that y reaches to a node that reaches x, or −1. */
  crossing(x: number, y: number, out: Adjacency, into: Adjacency, place: Int32Array): number {
    const heavy = this.#out;
    this.#search += 2;
    const numForward = this.#reachable(y, out, this.#search);
    this.numVisited = numForward;
    const limit = place[x];
    let wanted = false;
    const queue = this.#queue;
    for (let at = 0; at < numForward && !wanted; at++) {
      const node = queue[at];
      const begin = heavy.start[node];
      for (let i = begin, end = begin + heavy.count[node]; i < end; i++) {
        if (place[heavy.target[i]] <= limit) wanted = true;
      }
    }
    if (!wanted) return -1;
    const sources = queue.slice(0, numForward);
    this.numVisited += this.#reachable(x, into, this.#search + 1);
    for (const node of sources) {
      const begin = heavy.start[node];
      for (let i = begin, end = begin + heavy.count[node]; i < end; i++) {
        if (this.#met[heavy.target[i]] === this.#search + 1) return heavy.pair[i];
      }
    }
    return -1;
  }

  /** Leaves all reachable nodes in the queue, and returns their number. */
  #reachable(from: number, { start, count, target }: Adjacency, search: number): number {
    const met = this.#met;
    const queue = this.#queue;
    let size = 0;
    queue[size++] = from;
    met[from] = search;
    for (let at = 0; at < size; at++) {
      const node = queue[at];
      const begin = start[node];
      for (let i = begin, end = begin + count[node]; i < end; i++) {
        const next = target[i];
        if (met[next] === search) continue;
        met[next] = search;
        queue[size++] = next;
      }
    }
    return size;
  }
}
