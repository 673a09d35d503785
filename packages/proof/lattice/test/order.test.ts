import { KNOWN_LEVELS } from '@isolab/contract';
import { expect, test } from 'vitest';
import { nextStronger, nextWeaker } from '../src/index.ts';

const names = KNOWN_LEVELS.map(({ name }) => name);

test('a next weaker level has the level as its next stronger level', () => {
  for (const name of names) for (const weak of nextWeaker(name)) expect(nextStronger(weak)).toContain(name);
  expect(nextWeaker('parallel-snapshot-isolation')).toContain('causal');
});
