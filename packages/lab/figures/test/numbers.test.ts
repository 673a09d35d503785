import { expect, test } from 'vitest';
import { shortNames } from '../src/chart/axes.ts';
import { shown } from '../src/chart/points.ts';

test.each([
  [0, 's', '0 s'],
  [0.0076, 's', '0.0076 s'],
  [0.000_62, 's', '0.00062 s'],
  [1.14, 's', '1.1 s'],
  [14.25, 's', '14.3 s'],
  [14_376, '', '14,376'],
  [1_234_567, 'MB', '1,234,567 MB'],
] as const)('%d %s is shown as %s', (value, unit, text) => {
  expect(shown(value, unit)).toBe(text);
});

test.each([
  [
    ['six/RUBiS@ci', 'six/TPC-C@ci'],
    ['RUBiS', 'TPC-C'],
  ],
  [
    ['peers/BlindW-RW', 'six/RUBiS@paper'],
    ['BlindW-RW', 'RUBiS'],
  ],
  [
    ['six/RUBiS@ci', 'six/RUBiS@paper'],
    ['RUBiS@ci', 'RUBiS@paper'],
  ],
  [
    ['a/fig5/BL-1k/hist.bincode', 'a/fig10/BL-1k/hist.bincode'],
    ['fig5', 'fig10'],
  ],
  [
    ['uniform', 'zipfian'],
    ['uniform', 'zipfian'],
  ],
  [
    ['a/b', 'b'],
    ['a/b', 'b'],
  ],
  [['PolySI/x/hist-0'], ['PolySI/x/hist-0']],
])('names of categories are as short as possible and still distinct: %j', (names, short) => {
  expect(shortNames(names)).toEqual(short);
});
