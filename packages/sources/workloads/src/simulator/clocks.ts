import type { Random } from '../workload/random.ts';

export interface ClockOptions {
  /** Largest difference between the clocks of two clients that the history states. */
  readonly drift: number;
  /** Actual difference of the clocks; as stated if absent. */
  readonly differs?: number;
}

/** Clock ticks during one request to the simulated database. */
const TICK = 100;

/**
 * Clocks of clients at some distance from the database. Each clock is ahead of the database's time by a varying amount,
 * but never runs backwards. A request is sent after the answer to the previous request has arrived, and some time
 * before the database receives it.
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

  /** Returns the client's clock at the arrival of an answer, between two requests that the database received. */
  answered(client: number, taken: number, next: number): bigint {
    const clock = this.#of(client);
    const from = taken * TICK;
    clock.at = from + this.#some(Math.min(next * TICK - from, LONGEST_WAY));
    return this.#read(clock);
  }

  /** Returns the client's clock when it sends a request that the database receives at this time. */
  asked(client: number, time: number): bigint {
    const clock = this.#of(client);
    const to = time * TICK;
    clock.at = to - this.#some(Math.min(to - clock.at, LONGEST_WAY));
    return this.#read(clock);
  }

  /** Returns 0, `most`, or a random number in between. */
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
  /** Database time of the last reading. */
  at: number;
  ahead: number;
  shown: number;
}

const LONGEST_WAY = 20 * TICK;
const STEP = 10;
