import type { EventBounds } from './real-time.ts';

/**
 * Events that no remaining event must precede, by the bounds of all events. The sessions with remaining transactions
 * are included one after the other; then each next event is allowed or not.
 */
export class Horizon {
  readonly #bounds: EventBounds;
  readonly #shift: 0 | 1;
  // For each session and place in it: the earliest of the latest commits, and of the latest begins, from there on.
  readonly #firstEnd: readonly Float64Array[];
  readonly #firstBegun: readonly Float64Array[];
  /** For each session: the earliest bound of all its events. */
  readonly start: Float64Array;
  // The earliest of the latest commits that remain, its session, the earliest in all other sessions, and the earliest
  // of the latest begins.
  #first = Infinity;
  #session = -1;
  second = Infinity;
  #begun = Infinity;

  /** `sessions` has the transactions of each session. With `shift` 1, begins and commits are events of their own. */
  constructor(bounds: EventBounds, sessions: readonly (readonly number[])[], shift: 0 | 1) {
    const { begin, begun, end } = bounds;
    this.#bounds = bounds;
    this.#shift = shift;
    this.#firstEnd = sessions.map((members) => firstOfRest(members, end));
    this.#firstBegun = sessions.map((members) => firstOfRest(members, begun));
    this.start = Float64Array.from(sessions, ([t], s) =>
      t === undefined ? Infinity : Math.min(begin[t]!, this.#firstEnd[s]![0]!, this.#firstBegun[s]![0]!),
    );
  }

  clear(): void {
    this.#first = this.second = this.#begun = Infinity;
    this.#session = -1;
  }

  /** Includes a session whose next event has this number. */
  include(s: number, next: number): void {
    const end = this.#firstEnd[s]![next >> this.#shift]!;
    if (end < this.#first) {
      this.second = this.#first;
      this.#first = end;
      this.#session = s;
    } else if (end < this.second) this.second = end;
    this.#begun = Math.min(this.#begun, this.#firstBegun[s]![(next + this.#shift) >> this.#shift]!);
  }

  /** Returns whether the next event of a session, of a transaction, may come before all other remaining events. */
  allows(s: number, next: number, t: number): boolean {
    const { begin, committing } = this.#bounds;
    // Returns within the session count, too, because clocks may contradict sessions.
    const others =
      s === this.#session ? Math.min(this.second, this.#firstEnd[s]![(next >> this.#shift) + 1]!) : this.#first;
    return (next & this.#shift) === 1 ? committing[t]! <= Math.min(others, this.#begun) : begin[t]! <= others;
  }
}

/** Returns the earliest time of each transaction and all later ones of its session. */
function firstOfRest(members: readonly number[], times: Float64Array): Float64Array {
  const first = new Float64Array(members.length + 1).fill(Infinity);
  for (let i = members.length - 1; i >= 0; i--) first[i] = Math.min(first[i + 1]!, times[members[i]!]!);
  return first;
}
