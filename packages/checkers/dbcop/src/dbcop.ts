/**
 * dbcop (Biswas & Enea, On the Complexity of Checking Transactional Consistency, OOPSLA 2019).
 * Algorithm 1, for the polynomial levels: start with the session order and the write-read relation; for every
 * transaction t₃ that reads a key from t₁, and every other writer t₂ of the key that the level makes visible to t₃,
 * order t₂ before t₁; the level holds if and only if no cycle arises. Algorithm 2, for the other levels: after the
 * causal check, search for an order, transaction by transaction, and remember failed prefixes. With `decompose`, the
 * biconnected components of the communication graph (section 5) are checked separately.
 */
import { API_VERSION, defineChecker } from '@isolab/contract';
import { checkHistory } from './history-check.ts';
import { type DbcopLevel, LEVELS } from './levels.ts';
import { type DbcopOptions, OPTIONS, VARIANTS } from './options.ts';

export const dbcop = defineChecker<DbcopOptions>({
  info: {
    name: 'dbcop',
    title: 'dbcop',
    version: '0.1.0',
    apiVersion: API_VERSION,
    paper: {
      title: 'On the Complexity of Checking Transactional Consistency',
      authors: 'Ranadeep Biswas, Constantin Enea',
      venue: 'OOPSLA',
      year: 2019,
    },
    levels: LEVELS,
    sound: true,
    complete: true,
    requires: ['unique-values', 'registers', 'no-unknown'],
    options: OPTIONS,
    variants: VARIANTS,
  },
  check(input, level, options, context) {
    return checkHistory(input, level as DbcopLevel, options, context);
  },
});
