/** A partial order of a few items that grows pair by pair. Pairs that would close a cycle are left out. */
export class Order {
  readonly #after: Set<number>[];

  constructor(size: number) {
    this.#after = Array.from({ length: size }, () => new Set<number>());
  }

  /** Puts one item before another. Returns false, without a change, if the first must come after the second. */
  add(before: number, after: number): boolean {
    if (before === after || this.#reaches(after, before)) return false;
    this.#after[before]!.add(after);
    return true;
  }

  /** Returns all items in order. Among candidates for the next place, the item with the lowest rank comes first. */
  line(rank: (thing: number) => number): number[] {
    const waits = this.#after.map(() => 0);
    for (const set of this.#after) for (const thing of set) waits[thing]!++;
    const free = waits.flatMap((count, thing) => (count === 0 ? [thing] : []));
    const line: number[] = [];
    while (free.length > 0) {
      free.sort((a, b) => rank(a) - rank(b) || a - b);
      const thing = free.shift()!;
      line.push(thing);
      for (const next of this.#after[thing]!) if (--waits[next]! === 0) free.push(next);
    }
    return line;
  }

  #reaches(from: number, to: number): boolean {
    const seen = new Set([from]);
    for (const thing of seen) {
      if (thing === to) return true;
      for (const next of this.#after[thing]!) seen.add(next);
    }
    return false;
  }
}
