import process from 'node:process';
import { DEFAULT_SELECTIONS, type Selection } from './corpus.ts';

/** Inverse share of random and small histories: a third in a test run, and all if ISOLAB_LONG is set. */
const SHARE = process.env['ISOLAB_LONG'] !== undefined ? 1 : 3;

export const draws = (all: number): number => Math.ceil(all / SHARE);

export const drawn = (all: readonly Selection[] = DEFAULT_SELECTIONS): readonly Selection[] =>
  all.map(({ bounds, every }) => ({ bounds, every: every * SHARE }));
