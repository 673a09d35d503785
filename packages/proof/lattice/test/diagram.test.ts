import { KNOWN_LEVELS, implies } from '@isolab/contract';
import { expect, test } from 'vitest';
import { latticeSvg, nextStronger, nextWeaker } from '../src/index.ts';

const names = KNOWN_LEVELS.map(({ name }) => name);

test('the picture names every level once, as text, and follows the reader’s theme', () => {
  const svg = latticeSvg();
  for (const name of names) expect(svg.split(`>${name}</text>`)).toHaveLength(2);
  expect(svg).toContain('prefers-color-scheme:dark');
  const width = Number(/width="(\d+)"/.exec(svg)![1]);
  expect(width).toBeLessThanOrEqual(390);
});

test('the arcs of the picture lead to all implied levels and to no other level', () => {
  const svg = latticeSvg();
  const arcs = [...svg.matchAll(/<title>(\S+) implies (\S+)<\/title>/g)].map(([, strong, weak]) => [strong!, weak!]);
  const reached = (from: string): Set<string> =>
    new Set(arcs.flatMap(([strong, weak]) => (strong === from ? [weak!, ...reached(weak!)] : [])));
  for (const strong of names)
    expect(names.filter((weak) => reached(strong).has(weak))).toEqual(
      names.filter((weak) => weak !== strong && implies(strong, weak)),
    );
});

test('a next weaker level has the level as its next stronger level', () => {
  for (const name of names) for (const weak of nextWeaker(name)) expect(nextStronger(weak)).toContain(name);
  expect(nextWeaker('parallel-snapshot-isolation')).toContain('causal');
});
