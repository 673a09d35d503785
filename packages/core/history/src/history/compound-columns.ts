import type { IdColumn, KeyId } from '../columns/ids.ts';
import type { Exchanges, Ranges } from './history.ts';

/** Columns of exchanges and range reads while a history is built. Needs ids; leaves the columns of a history. */
export class CompoundColumns {
  readonly #exchanges = { observed: [] as number[], written: [] as number[], flags: [] as number[] };
  readonly #ranges = { low: [] as number[], high: [] as number[], rowStart: [0] };
  readonly #rows = { key: [] as number[], value: [] as number[], dead: [] as number[] };

  get isEmpty(): boolean {
    return this.#exchanges.flags.length === 0 && this.#ranges.low.length === 0;
  }

  /** Adds an exchange and returns its number. */
  exchange(observed: number, written: number, flags: number): number {
    this.#exchanges.written.push(written);
    this.#exchanges.flags.push(flags);
    return this.#exchanges.observed.push(observed) - 1;
  }

  flagExchange(flags: number): void {
    this.#exchanges.flags[this.#exchanges.flags.length - 1]! |= flags;
  }

  /** Adds a range read without rows and returns its number. */
  range(low: number, high: number): number {
    this.#ranges.high.push(high);
    this.#ranges.rowStart.push(this.#rows.key.length);
    return this.#ranges.low.push(low) - 1;
  }

  row(key: number, value: number, dead: boolean): void {
    this.#rows.key.push(key);
    this.#rows.value.push(value);
    this.#rows.dead.push(dead ? 1 : 0);
    this.#ranges.rowStart[this.#ranges.rowStart.length - 1] = this.#rows.key.length;
  }

  finish(): { readonly exchanges: Exchanges; readonly ranges: Ranges } {
    return {
      exchanges: {
        observed: Int32Array.from(this.#exchanges.observed),
        written: Int32Array.from(this.#exchanges.written),
        flags: Uint8Array.from(this.#exchanges.flags),
      },
      ranges: {
        low: Int32Array.from(this.#ranges.low) as IdColumn<KeyId>,
        high: Int32Array.from(this.#ranges.high) as IdColumn<KeyId>,
        rowStart: Int32Array.from(this.#ranges.rowStart),
        rowKey: Int32Array.from(this.#rows.key) as IdColumn<KeyId>,
        rowValue: Int32Array.from(this.#rows.value),
        rowDead: Uint8Array.from(this.#rows.dead),
      },
    };
  }
}
