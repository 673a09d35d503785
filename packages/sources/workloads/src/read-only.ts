import type { Random } from './workload/random.ts';

/** The parameter of workloads that can have readers beside writers. */
export const READ_ONLY = {
  default: 0,
  help: 'share of transactions that only read',
  range: [0, 1],
  fractional: true,
} as const;

/** Draws nothing where there are none, so that the histories of a seed stay the same. */
export const isReadOnly = (parameters: { readonly 'read-only': number }, random: Random): boolean =>
  parameters['read-only'] > 0 && random.chance(parameters['read-only']);
