// Statistics of repeated runs: the median with its interval, and the share of successful trials with its interval.

export interface Estimate {
  readonly value: number;
  /** Interval of 95 %; the least and the largest value of fewer than six runs. */
  readonly low: number;
  readonly high: number;
}

/** Quantile of the normal distribution for an interval of 95 %. */
const Z = 1.96;
/** Number of values up to which the binomial distribution is summed; 0.5 ** n is 0 for 1,075 values. */
const MOST_EXACT = 1000;

/**
 * Median of the values, and its interval by order statistics, which assumes nothing about the distribution of the
 * values. The values are not empty.
 */
export function medianOf(values: readonly number[]): Estimate {
  const sorted = values.toSorted((a, b) => a - b);
  const n = sorted.length;
  const middle = n >> 1;
  const value = n % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
  const left = outside(n);
  return { value, low: sorted[left]!, high: sorted[n - 1 - left]! };
}

/** Number of values on each side of the interval: as many as lie beyond the median in at most 2.5 % of all samples. */
function outside(n: number): number {
  if (n > MOST_EXACT) return Math.floor((n - 1 - Z * Math.sqrt(n)) / 2);
  let probability = 0.5 ** n;
  let below = probability;
  let left = 0;
  while (below <= 0.025) {
    left++;
    probability *= (n - left + 1) / left;
    below += probability;
  }
  // One value less than the first count whose probability is too large; never past the middle.
  return Math.max(0, Math.min(left - 1, (n - 1) >> 1));
}

/** Share of successes among trials, from 0 to 1, with Wilson's interval. */
export function shareOf(successes: number, trials: number): Estimate {
  const value = successes / trials;
  const centre = value + Z ** 2 / (2 * trials);
  const half = Z * Math.sqrt((value * (1 - value)) / trials + Z ** 2 / (4 * trials ** 2));
  const by = 1 + Z ** 2 / trials;
  return { value, low: Math.max(0, (centre - half) / by), high: Math.min(1, (centre + half) / by) };
}
