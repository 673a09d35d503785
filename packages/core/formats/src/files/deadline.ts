import { ReadingTimeout } from './errors.ts';

export class Deadline {
  readonly #name: string;
  readonly #timeMs: number;
  readonly #begin = performance.now();

  constructor(name: string, { timeMs = Infinity }: { readonly timeMs?: number }) {
    this.#name = name;
    this.#timeMs = timeMs;
  }

  check(): void {
    if (performance.now() - this.#begin > this.#timeMs) throw this.#passed();
  }

  /**
   * Waits for a promise until the deadline, because a pipe may stay silent forever. A short limit still leaves its
   * writer a moment.
   */
  async wait<T>(promise: Promise<T>): Promise<T> {
    if (this.#timeMs === Infinity) return promise;
    const left = Math.max(this.#timeMs, SHORTEST_WAIT_MS) - (performance.now() - this.#begin);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(this.#passed()), Math.min(Math.max(left, 0), LONGEST_TIMER_MS));
    });
    try {
      return await Promise.race([promise, late]);
    } finally {
      clearTimeout(timer);
    }
  }

  #passed(): ReadingTimeout {
    return new ReadingTimeout(this.#name, this.#timeMs);
  }
}

const SHORTEST_WAIT_MS = 1000;
const LONGEST_TIMER_MS = 2 ** 31 - 1;
