import type { Digraph } from '@isolab/graph';
import type { EventClosure } from './generalized-reachability.ts';

/**
 * Reachability for graphs too large for a matrix of bits. The events of a session are in sequence, so the first event
 * reached in each session represents all later events. Transactions that did not happen are outside the session order;
 * queries about them are not allowed.
 */
export class SessionVectors implements EventClosure {
  readonly #session: Int32Array; // by node; nodes of a session are numbered in order
  readonly #numSessions: number;
  readonly #first: Int32Array; // by event and session

  constructor(session: Int32Array) {
    this.#session = session;
    this.#numSessions = numSessionsOf(session);
    this.#first = new Int32Array(2 * session.length * this.#numSessions);
  }

  static bytesFor(session: Int32Array): number {
    return 2 * session.length * numSessionsOf(session) * Int32Array.BYTES_PER_ELEMENT;
  }

  reaches(from: number, to: number): boolean {
    return this.#first[from * this.#numSessions + this.#session[to >>> 1]] <= to;
  }

  /** Joins vectors backwards along the order; an edge is redundant if nearer successors reach its target. */
  close({ start, target, edge }: Digraph, order: Int32Array, tick: (steps: number) => void): Int32Array {
    const session = this.#session;
    const numSessions = this.#numSessions;
    const first = this.#first;
    const needed = new Int32Array(target.length);
    let numNeeded = 0;
    first.fill(NEVER);
    for (let at = order.length - 1; at >= 0; at--) {
      const base = order[at] * numSessions;
      let steps = 1;
      for (let i = start[at]; i < start[at + 1]; i++) {
        const to = order[target[i]];
        const place = base + session[to >>> 1];
        if (first[place] <= to) continue;
        const other = to * numSessions;
        for (let s = 0; s < numSessions; s++)
          if (first[other + s] < first[base + s]) first[base + s] = first[other + s];
        first[place] = to;
        if (edge[i] >= 0) needed[numNeeded++] = edge[i];
        steps += numSessions;
      }
      tick(steps);
    }
    return needed.slice(0, numNeeded);
  }
}

const NEVER = 2 ** 31 - 1;

const numSessionsOf = (session: Int32Array): number => session.reduce((most, s) => Math.max(most, s), 0) + 1;
