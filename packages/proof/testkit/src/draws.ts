import process from 'node:process';
import { DEFAULT_SELECTIONS, type Selection } from './corpus.ts';

/**
 * Inverse share of random and small histories in the quick test run; `npm test -- --slow`, as in CI, uses all
 * histories.
 */
const SHARE = process.env['ISOLAB_SLOW'] === undefined ? 3 : 1;

export const draws = (all: number): number => Math.ceil(all / SHARE);

export const drawn = (all: readonly Selection[] = DEFAULT_SELECTIONS): readonly Selection[] =>
  all.map(({ bounds, every }) => ({ bounds, every: every * SHARE }));
