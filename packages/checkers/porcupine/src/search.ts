import { Memo } from './memo.ts';
import type { Operations } from './operations.ts';
import type { Partition } from './partitions.ts';
import { ILLEGAL, type States } from './states.ts';

/**
 * The search of Wing and Gong (1993) with Lowe's memo (2017), as in Porcupine: calls and returns in a doubly linked
 * list; the first call that may take place does so, its pair is lifted out of the list and the search begins at the front
 * again, unless it has been in the same configuration. At a return whose operation did not take place in time, the last
 * step is undone and the calls behind it are tried.
 *
 * Beyond Porcupine: a session's operations take place in its order also where times do not say so; and an operation of
 * unknown outcome has no return, so that it takes place at any time before the next one of its session, or never.
 */
export interface SearchResult {
  readonly linearizable: boolean;
  /** The entries that took place in the longest prefix found, in their order. */
  readonly longest: Int32Array;
  /** The entry that had to take place and could not, when the search was there; −1 if there was none. */
  readonly stuck: number;
}

export class Search {
  readonly #partition: Partition;
  readonly #operations: Operations;
  readonly #states: States;
  readonly #tick: (steps: number) => void;
  readonly #longest: Int32Array;
  #longestLength = 0;
  #same = 0; // so many entries of the longest prefix are still on the stack
  #stuck = -1;
  #configurations = 0;

  constructor(partition: Partition, operations: Operations, states: States, tick: (steps: number) => void) {
    this.#partition = partition;
    this.#operations = operations;
    this.#states = states;
    this.#tick = tick;
    this.#longest = new Int32Array(partition.operation.length);
  }

  get configurations(): number {
    return this.#configurations;
  }

  /** What was found so far, which is not that the operations are linearizable. */
  result(): SearchResult {
    return { linearizable: false, longest: this.#longest.subarray(0, this.#longestLength), stuck: this.#stuck };
  }

  run(): SearchResult {
    const { operation, events, numSessions, session, place } = this.#partition;
    const { action, a, b, isOptional } = this.#operations;
    const states = this.#states;
    const size = operation.length;

    // The linked list: event numbers plus 1; 0 is the front.
    const next = new Int32Array(2 * size + 1);
    const prev = new Int32Array(2 * size + 1);
    for (let i = 0, last = 0; i <= events.length; i++) {
      const event = i < events.length ? events[i] + 1 : 0;
      next[last] = event;
      prev[event] = last;
      last = event;
    }

    // Bits in the order of calls, those of optional operations apart, which would keep a window open for ever.
    const bit = new Int32Array(size);
    let numBits = 0;
    let numOptional = 0;
    for (let i = 0; i < size; i++) bit[i] = isOptional[operation[i]] === 1 ? numOptional++ : numBits++;
    const words = new Int32Array((numBits >>> 5) + 2);
    const optional = new Int32Array((numOptional + 31) >>> 5);
    const memo = new Memo(optional.length);
    const after = lastMandatory(this.#partition, this.#operations);

    const latest = new Int32Array(numSessions); // the place in its session of what took place last
    const stack = new Int32Array(size);
    const stateBefore = new Int32Array(size);
    const latestBefore = new Int32Array(size);
    let depth = 0;
    let base = 0; // the first word that is not all ones,
    let top = -1; // and the last that is not all zeros
    let state = states.initial;
    let missing = numBits;
    let steps = 0;
    let event = next[0];
    while (missing > 0) {
      if (++steps === STRIDE) {
        this.#remember(stack, depth, -1);
        this.#configurations = memo.size;
        this.#tick(STRIDE);
        steps = 0;
      }
      const entry = (event - 1) >> 1;
      if ((event & 1) === 1) {
        // A call.
        const s = session[entry];
        if (latest[s] >= place[entry] || latest[s] < after[entry]) {
          event = next[event];
          continue;
        }
        const i = operation[entry];
        const reached = states.step(state, action[i], a[i], b[i]);
        if (reached === ILLEGAL) {
          event = next[event];
          continue;
        }
        const word = bit[entry] >>> 5;
        const mask = 1 << (bit[entry] & 31);
        const counts = isOptional[i] === 0;
        if (counts) {
          words[word] |= mask;
          if (word > top) top = word;
          while (words[base] === -1) base++;
        } else optional[word] |= mask;
        if (memo.add(reached, words, base, top, optional)) {
          stack[depth] = entry;
          stateBefore[depth] = state;
          latestBefore[depth++] = latest[s];
          latest[s] = place[entry];
          state = reached;
          if (counts) missing--;
          // Lift the call, and its return if it has one.
          const ret = event + 1;
          prev[next[event]] = prev[event];
          next[prev[event]] = next[event];
          if (counts) {
            prev[next[ret]] = prev[ret];
            next[prev[ret]] = next[ret];
          }
          event = next[0];
        } else {
          if (counts) {
            words[word] &= ~mask;
            if (word < base) base = word;
            while (top >= 0 && words[top] === 0) top--;
          } else optional[word] &= ~mask;
          event = next[event];
        }
        continue;
      }
      // A return, of what should have taken place.
      this.#remember(stack, depth, entry);
      if (depth === 0) {
        this.#configurations = memo.size;
        this.#tick(steps);
        return this.result();
      }
      const undone = stack[--depth];
      if (depth < this.#same) this.#same = depth;
      latest[session[undone]] = latestBefore[depth];
      state = stateBefore[depth];
      event = 2 * undone + 1;
      const word = bit[undone] >>> 5;
      const mask = 1 << (bit[undone] & 31);
      if (isOptional[operation[undone]] === 0) {
        missing++;
        words[word] &= ~mask;
        if (word < base) base = word;
        while (top >= 0 && words[top] === 0) top--;
        next[prev[event + 1]] = event + 1;
        prev[next[event + 1]] = event + 1;
      } else optional[word] &= ~mask;
      next[prev[event]] = event;
      prev[next[event]] = event;
      event = next[event];
    }
    this.#configurations = memo.size;
    this.#tick(steps);
    return { linearizable: true, longest: stack.subarray(0, depth), stuck: -1 };
  }

  /** Keeps the stack if it is the longest; only what differs from the last one kept is copied. */
  #remember(stack: Int32Array, depth: number, stuck: number): void {
    if (depth < this.#longestLength || (depth === this.#longestLength && this.#stuck >= 0)) return;
    for (let i = this.#same; i < depth; i++) this.#longest[i] = stack[i];
    this.#longestLength = this.#same = depth;
    this.#stuck = stuck;
  }
}

/** For every entry the place in its session of the last one before it that must take place, or 0. */
function lastMandatory(partition: Partition, { isOptional }: Operations): Int32Array {
  const { operation, inOrder, numSessions, session, place } = partition;
  const last = new Int32Array(numSessions);
  const after = new Int32Array(operation.length);
  for (const entry of inOrder) {
    after[entry] = last[session[entry]];
    if (isOptional[operation[entry]] === 0) last[session[entry]] = place[entry];
  }
  return after;
}

const STRIDE = 1024;
