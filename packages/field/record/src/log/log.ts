import { lowBits } from '../recorded/xids.ts';
import { Collector, type CollectorOptions } from './collector.ts';
import type { Entries } from '../recorded/entries.ts';
import type { Slot } from './slot.ts';

export interface LogRead {
  readonly entries: Entries;
  /** Tables that the log covers only partly, with the reasons. */
  readonly leftOut: ReadonlyMap<string, string>;
  /** Rows whose keys were inserted again after a deletion. */
  readonly takenAgain: ReadonlySet<string>;
  /** Outcomes of transactions whose clients never learned the outcome. */
  readonly outcomes: ReadonlyMap<number, 'committed' | 'aborted'>;
}

const LEAST_PAUSE_MS = 1_000;
/**
 * Each reading starts some way before the place where the previous reading ended; long pauses make that cost
 * negligible.
 */
const PAUSE_PER_READING = 20;
const WITHIN_MS = 5_000;

export class Log {
  readonly #slot: Slot;
  readonly collector: Collector;
  readonly #entries: Entries;
  #timer: NodeJS.Timeout | null = null;
  #reading: Promise<void> = Promise.resolve();
  #failure: Error | null = null;

  constructor(slot: Slot, entries: Entries, options: Omit<CollectorOptions, 'entries'>) {
    this.#slot = slot;
    this.#entries = entries;
    this.collector = new Collector({ entries, ...options });
    this.#waits(LEAST_PAUSE_MS);
  }

  #waits(ms: number): void {
    this.#timer = setTimeout(() => {
      const begun = Date.now();
      this.#reading = this.#read().then(
        () => this.#waits(Math.max(LEAST_PAUSE_MS, PAUSE_PER_READING * (Date.now() - begun))),
        (error: Error) => void (this.#failure = error),
      );
    }, ms).unref();
  }

  #read(): Promise<void> {
    return this.#slot.read(this.collector);
  }

  /**
   * Reads the log up to its end, which lies after the whole recording. `open` lists transactions of unknown outcome.
   * Returns null, and reports the problem, if the log could not be read.
   */
  async finish(open: readonly string[], onProblem: (problem: string) => void): Promise<LogRead | null> {
    clearTimeout(this.#timer ?? undefined);
    try {
      await this.#reading;
      clearTimeout(this.#timer ?? undefined);
      if (this.#failure) throw this.#failure;
      const outcomes = await this.#slot.outcomes(open, WITHIN_MS);
      await this.#slot.flush();
      await this.#read();
      this.#entries.close();
      return {
        entries: this.#entries,
        leftOut: this.collector.leftOut,
        takenAgain: this.collector.takenAgain,
        outcomes: new Map([...outcomes].map(([xid, outcome]) => [lowBits(xid), outcome])),
      };
    } catch (error) {
      onProblem(`the log could not be read to its end, and is not used: ${(error as Error).message}`);
      this.#remove();
      return null;
    } finally {
      await this.#slot.end();
    }
  }

  /** Closes the log when nothing was recorded. */
  async abandon(): Promise<void> {
    clearTimeout(this.#timer ?? undefined);
    await this.#reading;
    this.#remove();
    await this.#slot.end();
  }

  #remove(): void {
    this.#entries.close();
    this.#entries.remove();
  }
}
