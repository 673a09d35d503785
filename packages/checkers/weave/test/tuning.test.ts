import { expect, test } from 'vitest';
import { THRESHOLDS, type Threshold } from '../src/problem/tuning.ts';

test.each(Object.entries<Threshold>(THRESHOLDS))('%s and its drawn values lie in its range', (_, threshold) => {
  const [value, least, most, drawn] = threshold;
  for (const each of [value, ...drawn]) expect(each >= least && each <= most).toBe(true);
});
