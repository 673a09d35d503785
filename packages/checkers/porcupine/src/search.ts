import { EventList, FRONT } from './event-list.ts';
import { Linearized } from './linearized.ts';
import { Memo } from '@isolab/graph';
import type { Operations } from './operations.ts';
import type { Partition } from './partitions.ts';
import { ILLEGAL, type States } from './states.ts';

export interface SearchResult {
  readonly linearizable: boolean;
  /** Entries of the longest prefix found, in order. */
  readonly longest: Int32Array;
  /** The entry that could not take effect in time after that prefix; −1 if there was none. */
  readonly stuck: number;
}

/**
 * The search of Wing and Gong (1993) with Lowe's memo (2017), as in Porcupine: calls and returns are in a doubly linked
 * list. The first call that may take effect does so, its pair is removed from the list, and the search starts at the
 * front again, unless it has already been in this configuration. At a return whose operation did not take effect in
 * time, the last step is undone and the calls after it are tried.
 * Unlike in Porcupine, the operations of a session also take effect in session order, even if their times do not show
 * that order. An operation of unknown outcome has no return: it takes effect at any time before the next operation of its session, or
 * never.
 */
export class Search {
  readonly #partition: Partition;
  readonly #operations: Operations;
  readonly #states: States;
  readonly #tick: (steps: number) => void;
  readonly #events: EventList;
  readonly #linearized: Linearized;
  readonly #memo: Memo;
  readonly #after: Int32Array;
  readonly #latest: Int32Array; // by session: place of the last operation that took effect
  #state: number;
  #missing: number; // number of operations that must still take effect

  // Entries that took effect, and the state before each.
  readonly #stack: Int32Array;
  readonly #stateBefore: Int32Array;
  readonly #latestBefore: Int32Array;
  #depth = 0;

  readonly #longest: Int32Array;
  #longestLength = 0;
  #same = 0; // number of entries of the longest prefix that are still on the stack
  #stuck = -1;

  constructor(partition: Partition, operations: Operations, states: States, tick: (steps: number) => void) {
    const size = partition.operation.length;
    this.#partition = partition;
    this.#operations = operations;
    this.#states = states;
    this.#tick = tick;
    this.#events = new EventList(partition.events, size);
    this.#linearized = new Linearized(partition, operations);
    this.#memo = new Memo(this.#linearized.optional.length);
    this.#after = lastMandatory(partition, operations);
    this.#latest = new Int32Array(partition.numSessions);
    this.#state = states.initial;
    this.#missing = this.#linearized.numMandatory;
    this.#stack = new Int32Array(size);
    this.#stateBefore = new Int32Array(size);
    this.#latestBefore = new Int32Array(size);
    this.#longest = new Int32Array(size);
  }

  get configurations(): number {
    return this.#memo.size;
  }

  /** Returns the longest prefix so far. It does not show that the operations are linearizable. */
  result(): SearchResult {
    return { linearizable: false, longest: this.#longest.subarray(0, this.#longestLength), stuck: this.#stuck };
  }

  run(): SearchResult {
    const { next } = this.#events;
    let event = next[FRONT];
    let steps = 0;
    while (this.#missing > 0) {
      if (++steps === STRIDE) {
        this.#remember(-1);
        this.#tick(STRIDE);
        steps = 0;
      }
      const entry = (event - 1) >> 1;
      const isCall = (event & 1) === 1;
      if (isCall) {
        event = this.#execute(entry) ? next[FRONT] : next[event];
        continue;
      }
      // The operation of this return should already have taken effect.
      this.#remember(entry);
      if (this.#depth === 0) {
        this.#tick(steps);
        return this.result();
      }
      event = next[this.#undo()];
    }
    this.#tick(steps);
    return { linearizable: true, longest: this.#stack.subarray(0, this.#depth), stuck: -1 };
  }

  /** Lets an operation take effect, if that is allowed and leads to a new configuration. */
  #execute(entry: number): boolean {
    const { operation, session, place } = this.#partition;
    const latest = this.#latest;
    const s = session[entry];
    if (latest[s] >= place[entry] || latest[s] < this.#after[entry]) return false;
    const { action, a, b, isOptional } = this.#operations;
    const i = operation[entry];
    const reached = this.#states.step(this.#state, action[i], a[i], b[i]);
    if (reached === ILLEGAL) return false;
    const linearized = this.#linearized;
    linearized.add(entry);
    if (!this.#memo.add(reached, linearized.words, linearized.base, linearized.top, linearized.optional)) {
      linearized.remove(entry);
      return false;
    }
    this.#stack[this.#depth] = entry;
    this.#stateBefore[this.#depth] = this.#state;
    this.#latestBefore[this.#depth++] = latest[s];
    latest[s] = place[entry];
    this.#state = reached;
    if (isOptional[i] === 0) this.#missing--;
    this.#events.lift(entry, isOptional[i] === 0);
    return true;
  }

  /** Undoes the last operation, and returns its call. */
  #undo(): number {
    const { operation, session } = this.#partition;
    const entry = this.#stack[--this.#depth];
    if (this.#depth < this.#same) this.#same = this.#depth;
    this.#latest[session[entry]] = this.#latestBefore[this.#depth];
    this.#state = this.#stateBefore[this.#depth];
    const isMandatory = this.#operations.isOptional[operation[entry]] === 0;
    if (isMandatory) this.#missing++;
    this.#linearized.remove(entry);
    return this.#events.unlift(entry, isMandatory);
  }

  /** Keeps the stack if it is the longest so far. Copies only the difference from the last kept stack. */
  #remember(stuck: number): void {
    const depth = this.#depth;
    if (depth < this.#longestLength || (depth === this.#longestLength && this.#stuck >= 0)) return;
    for (let i = this.#same; i < depth; i++) this.#longest[i] = this.#stack[i];
    this.#longestLength = this.#same = depth;
    this.#stuck = stuck;
  }
}

/** Returns, for each entry, the place in its session of the last entry that must take effect before it, or 0. */
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
