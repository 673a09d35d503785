import type { Report } from './suite.ts';

interface Counts {
  survived: number;
  failed: number;
  skipped: number;
}

/** Counts of a tally, as passed to another process. */
export interface TallyCounts {
  readonly kinds: readonly (readonly [kind: string, counts: Counts])[];
  readonly failures: readonly string[];
  readonly reasons: readonly string[];
  readonly times: readonly (readonly [what: string, times: number])[];
}

/** Counts by kind, and stores failures. */
export class Tally implements Report {
  readonly #counts = new Map<string, Counts>();
  readonly failures: string[] = [];
  /** Distinct reasons why kinds were skipped. */
  readonly reasons = new Set<string>();
  readonly #times = new Map<string, number>();
  readonly #onFailure: (failure: string) => void;

  /** `onFailure` is called immediately for each failure, because a long run may be cut short. */
  constructor(onFailure: (failure: string) => void = () => {}) {
    this.#onFailure = onFailure;
  }

  survived(kind: string): void {
    this.#of(kind).survived++;
  }

  failed(kind: string, how: string): void {
    this.#of(kind).failed++;
    const failure = `${kind}: ${how}`;
    this.failures.push(failure);
    this.#onFailure(failure);
  }

  skipped(kind: string, why: string): void {
    this.#of(kind).skipped++;
    this.reasons.add(`${kind}: ${why}`);
  }

  counted(what: string, times: number): void {
    this.#times.set(what, (this.#times.get(what) ?? 0) + times);
  }

  counts(): TallyCounts {
    return {
      kinds: [...this.#counts],
      failures: this.failures,
      reasons: [...this.reasons],
      times: [...this.#times],
    };
  }

  /** Adds the counts of a part, whose failures have been announced. */
  add({ kinds, failures, reasons, times }: TallyCounts): void {
    for (const [kind, { survived, failed, skipped }] of kinds) {
      const own = this.#of(kind);
      own.survived += survived;
      own.failed += failed;
      own.skipped += skipped;
    }
    this.failures.push(...failures);
    for (const reason of reasons) this.reasons.add(reason);
    for (const [what, many] of times) this.counted(what, many);
  }

  /** Announces a failure immediately, without counting it. */
  announce(failure: string): void {
    this.#onFailure(failure);
  }

  total(): Counts {
    const total = { survived: 0, failed: 0, skipped: 0 };
    for (const { survived, failed, skipped } of this.#counts.values()) {
      total.survived += survived;
      total.failed += failed;
      total.skipped += skipped;
    }
    return total;
  }

  /** Returns one line per kind, one for the sum, and one for each other count. */
  lines(): string[] {
    const line = (kind: string, { survived, failed, skipped }: Counts): string =>
      `  ${kind.padEnd(this.#width())}  ${survived} survived${failed > 0 ? `, ${failed} FAILED` : ''}${skipped > 0 ? `, ${skipped} skipped` : ''}`;
    const kinds = [...this.#counts].toSorted(([a], [b]) => (a < b ? -1 : 1));
    return [
      ...kinds.map(([kind, counts]) => line(kind, counts)),
      ...Array.from(this.reasons, (reason) => `  skipped ${reason}`),
      line('all', this.total()),
      ...Array.from(this.#times, ([what, times]) => `  ${times} ${what}`),
    ];
  }

  #width(): number {
    return Math.max(...Array.from(this.#counts.keys(), (kind) => kind.length), 3);
  }

  #of(kind: string): Counts {
    let counts = this.#counts.get(kind);
    if (!counts) this.#counts.set(kind, (counts = { survived: 0, failed: 0, skipped: 0 }));
    return counts;
  }
}
