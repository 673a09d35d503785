/**
 * Follows the waits of the replay to a cycle, and names the literals that each wait rests on, which creates their
 * variables.
 */
import type { Replay } from '../order/replay.ts';
import { CERTAIN, type Wait } from '../order/rules/rule.ts';
import type { Literals } from '../order/state/literals.ts';

/** An edge of a cycle: `from` must be placed before `to`. */
export interface NamedWait extends Wait {
  /** The literal for the order of two writers, or −1 where no choice is involved. */
  readonly literal: number;
  /** Literals about reads that the wait assumes: its own read, and reads that show that its transactions happened. */
  readonly assumed: readonly number[];
}

export class Cycles {
  readonly #replay: Replay;
  readonly #mark: Int32Array; // by event: the last walk that passed it
  #walks = 0;

  constructor(replay: Replay) {
    this.#replay = replay;
    this.#mark = new Int32Array(replay.database.numEvents);
  }

  /** Returns the cycle of waiting events that this event has closed, or null. */
  through(start: number): Wait[] | null {
    const replay = this.#replay;
    const walk = ++this.#walks;
    const mark = this.#mark;
    let event = start;
    while (mark[event] !== walk) {
      mark[event] = walk;
      event = replay.waitsFor(event);
      if (event < 0) return null;
    }
    const cycle: Wait[] = [];
    const first = event;
    do {
      const wait = replay.waitOf(event);
      cycle.push(wait);
      event = wait.from;
    } while (event !== first);
    return cycle.toReversed();
  }

  /** Adds to the waits of a cycle the literals that they rest on. */
  named(cycle: readonly Wait[], literals: Literals): NamedWait[] {
    return cycle.map((wait) => {
      const { from, to, rule, data, basis } = wait;
      const literal = rule.order(wait, literals);
      return { from, to, rule, data, basis, literal, assumed: this.#assumedBy(wait, literals) };
    });
  }

  #assumedBy(wait: Wait, literals: Literals): readonly number[] {
    const read = wait.rule.assumedRead(wait, literals);
    const { outcomes, database } = this.#replay;
    if (outcomes === null) return read === CERTAIN ? NONE : [read];
    // Literals that imply that two optional transactions happened.
    const active = [wait.from, wait.to].map((event) => outcomes.active[event >> database.shift]);
    return [read, ...active].filter((literal) => literal !== CERTAIN);
  }
}

const NONE: readonly number[] = [];
