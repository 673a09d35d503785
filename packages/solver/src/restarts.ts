const LUBY_UNIT = 100; // conflicts
const FAST = 1 / 32;
const SLOW = 1 / 4096;
const MARGIN = 1.15;
const MIN_INTERVAL = 10; // conflicts

/**
 * When to start the search again: after Luby's sequence (Luby, Sinclair & Zuckerman 1993), or when the clauses learned
 * lately have a greater LBD than usual (Glucose, Audemard & Simon 2012; with moving averages as Biere & Fröhlich 2015).
 */
export class Restarts {
  readonly #kind: 'glucose' | 'luby';
  #conflicts = 0; // since the last restart
  #number = 0;
  #fast = 0;
  #slow = 0;
  #learned = 0;

  constructor(kind: 'glucose' | 'luby') {
    this.#kind = kind;
  }

  learned(lbd: number): void {
    this.#conflicts++;
    this.#learned++;
    // Until there is a long past, every clause counts the same.
    this.#fast += (lbd - this.#fast) * Math.max(FAST, 1 / this.#learned);
    this.#slow += (lbd - this.#slow) * Math.max(SLOW, 1 / this.#learned);
  }

  isDue(): boolean {
    if (this.#kind === 'luby') return this.#conflicts >= LUBY_UNIT * luby(this.#number);
    return this.#conflicts >= MIN_INTERVAL && this.#fast > MARGIN * this.#slow;
  }

  restarted(): void {
    this.#conflicts = 0;
    this.#number++;
  }
}

/** 1, 1, 2, 1, 1, 2, 4, 1, 1, 2, 1, 1, 2, 4, 8, … */
function luby(index: number): number {
  let size = 1;
  let power = 0;
  while (size < index + 1) {
    size = 2 * size + 1;
    power++;
  }
  while (size - 1 !== index) {
    size = (size - 1) >> 1;
    power--;
    index %= size;
  }
  return 2 ** power;
}
