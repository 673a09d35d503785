/**
 * Which draw comes next. Random draws choose everything evenly. Guided ones shift to what came near a violation: every value of
 * every dimension of a workload is an arm with its own record of rewards, from which Thompson sampling (1933) draws; now and
 * then the best draw so far is tried again with one choice changed; and a fixed share stays random, so that nothing is
 * ever given up.
 */
import type { Random } from '@isolab/workloads';
import { type Draw, type Region, chosen, drawOf } from './space.ts';

export interface Drawing {
  next(): Draw;
  /** How near a trial came, for each second that it took. */
  learn(draw: Draw, nearness: number): void;
}

export const DRAWINGS = ['guided', 'random', 'mini'] as const;
export type DrawingName = (typeof DRAWINGS)[number];

export function drawingNamed(name: DrawingName, space: readonly Region[], random: Random): Drawing {
  if (name === 'guided') return new Guided(space, random);
  const regions = name === 'mini' ? space.filter(({ workload }) => workload === 'mini-transactions') : space;
  return { next: () => anyOf(random.pick(regions), random), learn: () => {} };
}

const anyOf = (region: Region, random: Random): Draw => drawOf(region, ({ values }) => random.pick(values));

/** What came of an arm: rewards between 0 and 1, and how often there was one. */
interface Arm {
  sum: number;
  count: number;
}

class Guided implements Drawing {
  readonly #space: readonly Region[];
  readonly #random: Random;
  readonly #arms = new Map<string, Arm>();
  /** Of all trials, ascending: what is usual here. */
  readonly #seen: number[] = [];
  #best: { readonly draw: Draw; readonly nearness: number } | null = null;

  constructor(space: readonly Region[], random: Random) {
    this.#space = space;
    this.#random = random;
  }

  next(): Draw {
    const random = this.#random;
    const way = random.fraction();
    if (this.#best === null || way < RANDOM_SHARE) return anyOf(random.pick(this.#space), random);
    if (way < RANDOM_SHARE + CHANGED_SHARE) return this.#changed(this.#best.draw);
    const region = this.#likeliest(this.#space, ({ workload }) => workload);
    return drawOf(region, ({ name, values }) =>
      this.#likeliest(values, (value) => armName(region.workload, name, value)),
    );
  }

  learn(draw: Draw, nearness: number): void {
    const region = this.#space.find(({ workload }) => workload === draw.workload);
    if (!region) return;
    if (nearness > (this.#best?.nearness ?? 0)) this.#best = { draw, nearness };
    // Half of the usual nearness and twice of it are rewarded with a third and two thirds, whatever the database.
    const usual = this.#seen[this.#seen.length >> 1] ?? nearness;
    const reward = nearness === 0 ? 0 : nearness / (nearness + usual);
    const at = this.#seen.findIndex((other) => other > nearness);
    this.#seen.splice(at < 0 ? this.#seen.length : at, 0, nearness);
    this.#reward(draw.workload, reward);
    for (const { name } of region.dimensions) this.#reward(armName(draw.workload, name, chosen(draw, name)), reward);
  }

  #reward(name: string, reward: number): void {
    const arm = this.#arms.get(name) ?? { sum: 0, count: 0 };
    this.#arms.set(name, { sum: arm.sum + reward, count: arm.count + 1 });
  }

  /** One choice is another one. */
  #changed(draw: Draw): Draw {
    const region = this.#space.find(({ workload }) => workload === draw.workload)!;
    const change = this.#random.pick(region.dimensions);
    return drawOf(region, (dimension) =>
      dimension === change ? this.#random.pick(dimension.values) : chosen(draw, dimension.name),
    );
  }

  /** The choice whose drawn reward is the highest. */
  #likeliest<T>(choices: readonly T[], nameOf: (choice: T) => string): T {
    let best = choices[0] as T;
    let highest = -Infinity;
    for (const each of choices) {
      const { sum, count } = this.#arms.get(nameOf(each)) ?? { sum: 0, count: 0 };
      // The mean of so many rewards, and how far it may be off: those of a few trials say little.
      const drawn = (sum + 0.5) / (count + 1) + (this.#gaussian() * SPREAD) / Math.sqrt(count + 1);
      if (drawn > highest) [best, highest] = [each, drawn];
    }
    return best;
  }

  /** A standard normal number (Box and Muller). */
  #gaussian(): number {
    const radius = Math.sqrt(-2 * Math.log(1 - this.#random.fraction()));
    return radius * Math.cos(2 * Math.PI * this.#random.fraction());
  }
}

const armName = (workload: string, dimension: string, value: string): string => `${workload} ${dimension} ${value}`;

const RANDOM_SHARE = 0.25;
const CHANGED_SHARE = 0.25;
/** The standard deviation of rewards, about. */
const SPREAD = 0.25;
