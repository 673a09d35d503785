import { LEVELS, type LevelName, implies } from '@isolab/contract';
import { expect, test } from 'vitest';
import { placeInLattice as placeOf } from '../src/draw/lattice.ts';
import { latticeSvg } from '../src/index.ts';

const escaped = (title: string): string => title.replaceAll('&', '&amp;');

test('the picture names every common level once, in words, and follows the reader’s theme', () => {
  const svg = latticeSvg();
  for (const { title } of LEVELS) expect(svg.split(`>${escaped(title)}</text>`)).toHaveLength(2);
  expect(svg).toContain('prefers-color-scheme:dark');
  const width = Number(/width="(\d+)"/.exec(svg)![1]);
  expect(width).toBeLessThanOrEqual(390);
});

test('the arcs of the picture lead to all implied levels and to no other level', () => {
  const svg = latticeSvg();
  const arcs = [...svg.matchAll(/<title>([^<]+) implies ([^<]+)<\/title>/g)].map(([, strong, weak]) => [
    strong!,
    weak!,
  ]);
  const reached = (from: string): Set<string> =>
    new Set(arcs.flatMap(([strong, weak]) => (strong === from ? [weak!, ...reached(weak!)] : [])));
  for (const strong of LEVELS)
    expect(LEVELS.filter((weak) => reached(escaped(strong.title)).has(escaped(weak.title)))).toEqual(
      LEVELS.filter((weak) => weak !== strong && implies(strong.name, weak.name)),
    );
});

test('the picture of a user-defined level has its neighbours alone', () => {
  const place = {
    same: [],
    stronger: ['parallel-snapshot-isolation'],
    weaker: ['causal', 'update-atomic'],
    implied: ['read-committed', 'read-atomic', 'causal', 'update-atomic'],
  } as const;
  const svg = latticeSvg({ name: 'mine' as LevelName, place });
  const shown = [...svg.matchAll(/>([^<>]+)<\/text>/g)].map(([, name]) => name);
  expect(shown.toSorted()).toEqual(['Causal consistency', 'Parallel snapshot isolation', 'Update atomic', 'mine']);
  const arcs = [...svg.matchAll(/<title>([^<]+ implies [^<]+)<\/title>/g)].map(([, text]) => text);
  expect(arcs.toSorted()).toEqual([
    'Parallel snapshot isolation implies mine',
    'mine implies Causal consistency',
    'mine implies Update atomic',
  ]);
});

test('a level stands below all levels that imply it, and no two in one place', () => {
  for (const { name, implies: weaker } of LEVELS)
    for (const weak of weaker) expect(placeOf(weak).row).toBeGreaterThan(placeOf(name).row);
  const places = LEVELS.map(({ name }) => JSON.stringify(placeOf(name)));
  expect(new Set(places).size).toBe(LEVELS.length);
});
