import type { Demand, Shown } from '@isolab/contract';
import { type Distribution, type KeyDistribution, KEY_DISTRIBUTIONS } from '../workload/distributions.ts';
import { Random } from '../workload/random.ts';
import { HOLDS } from './workload.ts';

export function distributionDemands(distribution: KeyDistribution): Demand[] {
  return [
    {
      name: 'its name is new',
      expected: `a name other than ${KEY_DISTRIBUTIONS.map(({ name }) => name).join(', ')}`,
      show: () => ({
        holds: KEY_DISTRIBUTIONS.every(({ name }) => name !== distribution.name),
        found: distribution.name,
      }),
    },
    {
      name: 'it draws whole numbers from 0 to size − 1',
      expected: 'whole numbers from 0 to size − 1, for every size of at least 1 and every exponent',
      show: () => isInRange(distribution),
    },
    {
      name: 'the same seed draws the same numbers',
      expected: 'all choices come from the given source of randomness, without state between draws',
      show: () => isDeterministic(distribution),
    },
    {
      name: 'its frequencies',
      expected: 'every number can be drawn',
      show: () => frequencies(distribution),
    },
  ];
}

function isInRange(distribution: KeyDistribution): Shown {
  for (const size of SIZES) {
    for (const exponent of EXPONENTS) {
      const draw = distribution.draw(size, exponent);
      const random = new Random(1);
      for (let i = 0; i < DRAWS; i++) {
        const drawn: unknown = draw(random);
        if (typeof drawn === 'number' && Number.isInteger(drawn) && drawn >= 0 && drawn < size) continue;
        return { holds: false, found: `it drew ${String(drawn)} for the size ${size} and the exponent ${exponent}` };
      }
    }
  }
  return HOLDS;
}

/** Returns whether equal seeds give equal draws, even if two generators alternate. */
function isDeterministic(distribution: KeyDistribution): Shown {
  const first = drawnBy(distribution.draw(100, 0.99), DRAWS);
  const one = { draw: distribution.draw(100, 0.99), random: new Random(1) };
  const other = { draw: distribution.draw(100, 0.99), random: new Random(2) };
  for (const [i, expected] of first.entries()) {
    const again = one.draw(one.random);
    other.draw(other.random);
    if (again !== expected)
      return { holds: false, found: `draw ${i + 1} with seed 1 gave ${expected} in one run and ${again} in another` };
  }
  return HOLDS;
}

function frequencies(distribution: KeyDistribution): Shown {
  const counts = Array.from({ length: SHOWN }, () => 0);
  for (const drawn of drawnBy(distribution.draw(SHOWN, 0.99), MANY)) counts[drawn] = (counts[drawn] ?? 0) + 1;
  const found = counts.map((count, i) => `${i}: ${((100 * count) / MANY).toFixed(1)} %`).join(', ');
  return { holds: counts.every((count) => count > 0) ? true : null, found };
}

function drawnBy(draw: Distribution, count: number): number[] {
  const random = new Random(1);
  return Array.from({ length: count }, () => draw(random));
}

const SIZES = [1, 2, 3, 10, 1000, 100_000];
const EXPONENTS = [0, 0.5, 0.99, 2, 10];
const DRAWS = 2000;
const SHOWN = 10;
const MANY = 100_000;
