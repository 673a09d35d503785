import process from 'node:process';
import { DEFAULT_SELECTIONS, type Selection } from './corpus.ts';

/** Share of random and small histories that the quick run of tests draws; `npm test -- --slow`, as in CI, draws all. */
const SHARE = process.env['ISOLAB_SLOW'] === undefined ? 3 : 1;

export const draws = (all: number): number => Math.ceil(all / SHARE);

export const drawn = (all: readonly Selection[] = DEFAULT_SELECTIONS): readonly Selection[] =>
  all.map(({ bounds, every }) => ({ bounds, every: every * SHARE }));
