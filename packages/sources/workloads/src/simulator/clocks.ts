import type { Random } from '../workload/random.ts';

export interface ClockOptions {
  /** The greatest difference between the clocks of two clients, as the history states it. */
  readonly drift: number;
  /** Difference of the clocks; as stated if absent. */
  readonly differs?: number;
}

/** Progress of the clocks during one request to the simulated database. */
const TICK = 100;

/**
 * Clocks of clients who are some way from the database. Each is ahead of the time of the database by an amount that
 * changes, and shows no time twice in the wrong order. A request is sent some time before the database takes it, after
 * the answer to the one before has come, which takes some time too.
 */
export class Clocks {
  readonly drift: number;
  readonly #differs: number;
  readonly #random: Random;
  readonly #clients: Clock[] = [];

  constructor({ drift, differs = drift }: ClockOptions, random: Random) {
    this.drift = drift;
    this.#differs = differs;
    this.#random = random;
  }

  /**
   * Returns the clock of a client when the answer comes to a request that the database took before it takes the next.
   */
  answered(client: number, taken: number, next: number): bigint {
    const clock = this.#of(client);
    const from = taken * TICK;
    clock.at = from + this.#some(Math.min(next * TICK - from, LONGEST_WAY));
    return this.#read(clock);
  }

  /** Returns the clock of a client when it sends a request that the database takes at this time. */
  asked(client: number, time: number): bigint {
    const clock = this.#of(client);
    const to = time * TICK;
    clock.at = to - this.#some(Math.min(to - clock.at, LONGEST_WAY));
    return this.#read(clock);
  }

  /** Draws nothing, all of it, or some. */
  #some(most: number): number {
    const random = this.#random;
    return random.chance(0.5) ? Math.floor(most * random.fraction()) : random.chance(0.5) ? most : 0;
  }

  #of(client: number): Clock {
    return (this.#clients[client] ??= { at: -Infinity, ahead: this.#some(this.#differs), shown: -Infinity });
  }

  #read(clock: Clock): bigint {
    const step = this.#random.between(-STEP, STEP);
    if (this.#random.chance(0.5)) clock.ahead = Math.max(0, Math.min(this.#differs, clock.ahead + step));
    clock.shown = Math.max(clock.shown, clock.at + clock.ahead);
    return BigInt(clock.shown);
  }
}

interface Clock {
  /** The time of the database when it was last read. */
  at: number;
  ahead: number;
  shown: number;
}

const LONGEST_WAY = 20 * TICK;
const STEP = 10;
