import { LEVELS } from '@isolab/contract';
import { expect, test } from 'vitest';
import { placeInLattice as placeOf } from '../src/draw/lattice.ts';

test('a level stands below all levels that imply it, and no two in one place', () => {
  for (const { name, implies } of LEVELS)
    for (const weak of implies) expect(placeOf(weak).row).toBeGreaterThan(placeOf(name).row);
  const places = LEVELS.map(({ name }) => JSON.stringify(placeOf(name)));
  expect(new Set(places).size).toBe(LEVELS.length);
});
