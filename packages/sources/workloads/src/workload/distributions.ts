import type { Random } from './random.ts';

/** Draws a number from 0 to `size` − 1. */
export type Distribution = (random: Random) => number;

export const uniform =
  (size: number): Distribution =>
  (random) =>
    random.below(size);

/** Zipf's distribution, P(i) ∝ 1 / (i + 1)^exponent, through its cumulative probabilities. */
export function zipfian(size: number, exponent: number): Distribution {
  const cumulated = new Float64Array(size);
  let total = 0;
  for (let i = 0; i < size; i++) cumulated[i] = total += (i + 1) ** -exponent;
  return (random) => {
    const wanted = random.fraction() * total;
    let low = 0;
    let high = size - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (cumulated[middle]! <= wanted) low = middle + 1;
      else high = middle;
    }
    return low;
  };
}

/** Draws from the first fifth with probability 0.8, otherwise from the rest; uniformly within each part. */
export function hotspot(size: number): Distribution {
  const hot = Math.max(1, Math.floor(size / 5));
  return (random) => {
    if (size === hot || random.chance(0.8)) return random.below(hot);
    return hot + random.below(size - hot);
  };
}

/** Jepsen's distribution, P(i) ∝ base^i: the last numbers, which are the newest keys, are the likeliest. */
export function jepsenExponential(size: number, base: number): Distribution {
  const scale = ((base ** size - 1) * base) / (base - 1);
  return (random) => {
    const drawn = Math.floor(Math.log(random.fraction() * scale + base) / Math.log(base)) - 1;
    return Math.min(size - 1, Math.max(0, drawn));
  };
}

/** Ranks with exponentially decreasing probability, constant within each tenth of the keys. */
export const exponential =
  (size: number): Distribution =>
  (random) =>
    Math.floor(-Math.log(1 - random.fraction()) * 0.1 * size) % size;

/** A named distribution of keys, for `--set distribution=`. */
export interface KeyDistribution {
  readonly name: string;
  readonly title: string;
  /** Draws a number from 0 to `size` − 1; `exponent` is the workload's parameter of that name. */
  draw(size: number, exponent: number): Distribution;
}

export const defineDistribution = (distribution: KeyDistribution): KeyDistribution => distribution;

export const KEY_DISTRIBUTIONS: readonly KeyDistribution[] = [
  { name: 'uniform', title: 'all equally likely', draw: uniform },
  { name: 'zipfian', title: 'P(i) ∝ 1 / (i + 1)^exponent', draw: zipfian },
  { name: 'hotspot', title: 'four of five draws from the first fifth', draw: hotspot },
  { name: 'exponential', title: 'falls off exponentially, a tenth of the keys at a time', draw: exponential },
];

/** Distributions of plug-ins, by name. */
const added = new Map<string, KeyDistribution>();

export const addDistribution = (word: string, distribution: KeyDistribution): void =>
  void added.set(word, distribution);

export const addedDistribution = (word: string): KeyDistribution | null => added.get(word) ?? null;

/** Returns the distribution with a name, built-in or added. */
export function distributionNamed(word: string, known = KEY_DISTRIBUTIONS): KeyDistribution {
  const found = known.find(({ name }) => name === word) ?? addedDistribution(word);
  if (found) return found;
  throw new RangeError(
    `There is no distribution ${word}; expected one of ${known.map(({ name }) => name).join(', ')}.`,
  );
}

/** Draws `count` different numbers, or all numbers if there are fewer. */
export function distinct(distribution: Distribution, size: number, count: number, random: Random): number[] {
  const drawn = new Set<number>();
  const wanted = Math.min(count, size);
  for (let attempts = 0; drawn.size < wanted && attempts < 100 * wanted; attempts++) drawn.add(distribution(random));
  // Some numbers may be very unlikely, so the first missing numbers fill the set.
  for (let i = 0; drawn.size < wanted; i++) drawn.add(i);
  return [...drawn];
}
