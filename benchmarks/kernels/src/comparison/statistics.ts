/** Compares the times of two commits. */

export interface Comparison {
  readonly name: string;
  /** Medians of the rounds, in milliseconds. */
  readonly first: number;
  readonly second: number;
  /** Time of the second commit divided by that of the first. */
  readonly ratio: number;
  /** The true ratio lies between `low` and `high`, in 99 of 100 comparisons like this. */
  readonly low: number;
  readonly high: number;
  readonly verdict: 'faster' | 'slower' | 'same';
}

/**
 * Compares rounds. A round runs both commits, one right after the other: other load slows both, so the ratio within a
 * round varies less than the times. Ratios multiply, hence the logarithms.
 */
export function compareRounds(name: string, first: readonly number[], second: readonly number[]): Comparison {
  const logs = first.map((time, round) => Math.log(second[round]! / time));
  const mean = sum(logs) / logs.length;
  const variance = sum(logs.map((log) => (log - mean) ** 2)) / (logs.length - 1);
  const margin = studentsT(logs.length - 1) * Math.sqrt(variance / logs.length);
  const [low, high] = [Math.exp(mean - margin), Math.exp(mean + margin)];
  const verdict = low > 1 ? 'slower' : high < 1 ? 'faster' : 'same';
  return { name, first: median(first), second: median(second), ratio: Math.exp(mean), low, high, verdict };
}

/** Returns whether a ratio exceeds the tolerance; 0.05 is five percent. */
export const isTooSlow = ({ verdict, ratio }: Comparison, threshold: number): boolean =>
  verdict === 'slower' && ratio > 1 + threshold;

/** Bounds of 99 % of Student's distribution; for more degrees of freedom the last bound is slightly too wide. */
const STUDENT = [
  63.657, 9.925, 5.841, 4.604, 4.032, 3.707, 3.499, 3.355, 3.25, 3.169, 3.106, 3.055, 3.012, 2.977, 2.947, 2.921, 2.898,
  2.878, 2.861,
];
const studentsT = (freedom: number): number => STUDENT[Math.min(freedom, STUDENT.length) - 1]!;

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
