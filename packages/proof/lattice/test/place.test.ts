import { KNOWN_LEVELS, type LevelName, findLevel, implies } from '@isolab/contract';
import { builtInLevel, readLevel } from '@isolab/levels';
import { describe, expect, test } from 'vitest';
import { UNSEPARATED, nextStronger, nextWeaker, placeOf } from '../src/index.ts';

const names = KNOWN_LEVELS.map(({ name }) => name);
/** Levels that another one is not stated to imply, and that no history separates from the levels that it implies. */
const unclear = new Set(UNSEPARATED.flat());

describe('a built-in level has its place in the lattice', () => {
  test.each(names.filter((name) => !unclear.has(name)))('%s', (name) => {
    const { same, stronger, weaker, implied, apart } = placeOf(builtInLevel(name)!, { random: 0 });
    expect(same).toEqual([]);
    const clear = (list: readonly LevelName[]): LevelName[] => list.filter((each) => !unclear.has(each)).toSorted();
    expect(clear(stronger)).toEqual(clear(nextStronger(name)));
    expect(clear(weaker)).toEqual(clear(nextWeaker(name)));
    expect(clear(implied)).toEqual(clear(names.filter((weak) => weak !== name && implies(name, weak))));
    for (const other of apart) expect(implies(name, other) || implies(other, name)).toBe(false);
  });
});

test('a copy of a built-in level under another name has the same place', () => {
  const { same } = placeOf(readLevel('level mine\nincludes causal\n', 'mine.lvl'), { random: 200 });
  expect(same).toEqual(['causal']);
});

test('a level between two levels is placed between them', () => {
  const text = `level mine
let seen-before = (so | wr)+
acyclic ww | seen-before
irreflexive seen-before ; rw
for each key irreflexive ww ; rw`;
  const place = placeOf(readLevel(text, 'mine.lvl'), { random: 200 });
  expect(place.weaker).toContain('causal');
  for (const strong of place.stronger) expect(findLevel(strong)).not.toBeNull();
  expect(place.implied).not.toContain('parallel-snapshot-isolation');
  expect(place.same).toEqual([]);
});
