import { expect, test } from 'vitest';
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
