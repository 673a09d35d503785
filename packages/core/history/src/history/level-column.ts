import type { Arrange } from '../columns/arrange.ts';
import { grown } from '../columns/columns.ts';
import type { StatedLevels } from './history.ts';

/** Levels that transactions state: a byte for each transaction, once one of them states a level. */
export class LevelColumn {
  #of = new Uint8Array(0);
  readonly #places = new Map<string, number>();

  set(t: number, name: string): void {
    if (t >= this.#of.length) this.#of = grown(this.#of, new Uint8Array(Math.max(1024, 2 * t)));
    this.#of[t] = this.#placeOf(name);
  }

  /** Adds the levels of another part, whose first transaction has the number `first` here. */
  append({ of, names }: StatedLevels, first: number): void {
    for (let t = 0; t < of.length; t++) if (of[t] > 0) this.set(first + t, names[of[t] - 1]!);
  }

  finish(count: number, arrange: Arrange): StatedLevels | null {
    if (this.#places.size === 0) return null;
    if (this.#of.length < count) this.#of = grown(this.#of, new Uint8Array(count));
    return { of: arrange(this.#of), names: [...this.#places.keys()] };
  }

  /** Transactions at further levels share a name, which no level has. */
  #placeOf(level: string): number {
    const name = this.#places.has(level) || this.#places.size < MOST_LEVELS ? level : 'one of too many levels';
    const place = this.#places.get(name) ?? this.#places.size + 1;
    this.#places.set(name, place);
    return place;
  }
}

const MOST_LEVELS = 254;
