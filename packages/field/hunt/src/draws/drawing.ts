/**
 * Chooses the next draw. Draws that found violations elsewhere come first, then random ones: benchmarks/hunt shows that
 * guiding draws by near misses does not find violations sooner. That comparison uses guided draws. Each guided draw
 * aims at one shape of near miss, chosen at random, rare shapes as often as frequent ones. It takes the draw that
 * produced most near misses of that shape per second so far, and changes some of its choices. A fixed share of draws
 * stays random, so no part of the space is abandoned. (There is one best draw per shape instead of one overall, because
 * otherwise the frequent shapes would decide alone, and a violation is often close to a rare shape.)
 */
import type { Random } from '@isolab/workloads';
import type { Nearness } from './nearness.ts';
import { OPENINGS } from './openings.ts';
import { type Draw, type Region, chosen, drawOf, fittedTo, isIn } from './space.ts';

export interface Drawing {
  next(): Draw;
  learn(draw: Draw, near: Nearness, seconds: number): void;
}

/**
 * Known shapes and then chance; guided with and without known shapes; the remaining drawings do not learn. The first is
 * the default.
 */
export const DRAWINGS = ['known', 'guided', 'near', 'random', 'mini'] as const;
export type DrawingName = (typeof DRAWINGS)[number];

/** Workers of a shared hunt each begin with a different opening. */
export function drawingNamed(name: DrawingName, space: readonly Region[], random: Random, worker = 1): Drawing {
  const fitted = OPENINGS.filter((draw) => isIn(space, draw)).map((draw) => fittedTo(space, draw));
  const known = rotated(repeatedLast(fitted), worker - 1);
  if (name === 'guided') return new Guided(space, known, random);
  if (name === 'near') return new Guided(space, [], random);
  const regions = name === 'mini' ? space.filter(({ workload }) => workload === 'mini-transactions') : space;
  const first = name === 'known' ? known : [];
  let drawn = 0;
  return { next: () => first[drawn++] ?? anyOf(random.pick(regions), random), learn: () => {} };
}

/** Without layouts and statements, several openings are equal. */
function repeatedLast(draws: readonly Draw[]): readonly Draw[] {
  const texts = draws.map((draw) => JSON.stringify(draw));
  const isFirst = (_: Draw, i: number): boolean => texts.indexOf(texts[i]!) === i;
  return [...draws.filter(isFirst), ...draws.filter((draw, i) => !isFirst(draw, i))];
}

const rotated = <T>(all: readonly T[], by: number): readonly T[] => {
  const first = all.length === 0 ? 0 : by % all.length;
  return [...all.slice(first), ...all.slice(0, first)];
};

const anyOf = (region: Region, random: Random): Draw => drawOf(region, ({ values }) => random.pick(values));

class Guided implements Drawing {
  readonly #space: readonly Region[];
  readonly #openings: readonly Draw[];
  readonly #random: Random;
  /** For each shape, the draw that produced most of it per second. */
  readonly #best = new Map<string, { readonly draw: Draw; readonly rate: number }>();
  #drawn = 0;

  constructor(space: readonly Region[], openings: readonly Draw[], random: Random) {
    this.#space = space;
    this.#openings = openings;
    this.#random = random;
  }

  next(): Draw {
    const opening = this.#openings[this.#drawn++];
    if (opening) return opening;
    const random = this.#random;
    if (this.#best.size === 0 || random.chance(RANDOM_SHARE)) return anyOf(random.pick(this.#space), random);
    const { draw } = this.#best.get(this.#aim())!;
    const region = this.#space.find(({ workload }) => workload === draw.workload)!;
    return drawOf(region, ({ name, values }) => {
      const was = chosen(draw, name);
      return values.includes(was) && !random.chance(CHANGED_SHARE) ? was : random.pick(values);
    });
  }

  /** Picks a shape of near miss: first its kind, preferring the nearest kind, then any shape of that kind. */
  #aim(): string {
    const shapes = [...this.#best.keys()].toSorted();
    const kinds = [...new Set(shapes.map(kindOf))];
    const kind = this.#random.weighted(kinds.map((each) => [WEIGHTS[each] ?? 1, each] as const));
    return this.#random.pick(shapes.filter((shape) => kindOf(shape) === kind));
  }

  learn(draw: Draw, near: Nearness, seconds: number): void {
    if (!this.#space.some(({ workload }) => workload === draw.workload)) return;
    for (const [shape, count] of Object.entries(near)) {
      const rate = count / Math.max(LEAST_SECONDS, seconds);
      if (rate > (this.#best.get(shape)?.rate ?? 0)) this.#best.set(shape, { draw, rate });
    }
  }
}

const kindOf = (shape: string): string => shape.split(' ', 1)[0]!;

/** A refused attempt needed only a commit to become a violation. */
const WEIGHTS: Readonly<Record<string, number>> = { refused: 4, pivot: 2 };

const RANDOM_SHARE = 0.25;
/** Share of a draw's choices that change when it is reused. */
const CHANGED_SHARE = 0.2;
const LEAST_SECONDS = 0.05;
