import type { Random } from './workload/random.ts';

/** Parameter of workloads that can add read-only transactions. */
export const READ_ONLY = {
  default: 0,
  help: 'share of transactions that only read',
  range: [0, 1],
  fractional: true,
} as const;

/** Draws no random number at share 0, so that the histories of existing seeds stay unchanged. */
export const isReadOnly = (parameters: { readonly 'read-only': number }, random: Random): boolean =>
  parameters['read-only'] > 0 && random.chance(parameters['read-only']);
