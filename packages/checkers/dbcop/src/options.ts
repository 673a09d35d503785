import type { CheckerInfo } from '@isolab/contract';

export interface DbcopOptions {
  readonly asPublished: boolean;
  readonly decompose: boolean;
  readonly eager: boolean;
  readonly maxClosureBytes: number;
  readonly maxMemoBytes: number;
}

export interface PartOptions extends Omit<DbcopOptions, 'decompose'> {
  readonly initialReads: boolean;
}

export const OPTIONS: CheckerInfo<DbcopOptions>['options'] = {
  asPublished: {
    default: false,
    help: 'Keep the faults of the published tool; what it accepts then has no certificate.',
  },
  decompose: {
    default: false,
    help: 'Check the biconnected components of the communication graph one by one.',
  },
  eager: {
    default: true,
    help: 'In the search, execute without a choice what may come next in any case.',
  },
  maxClosureBytes: {
    default: 2 ** 31,
    help: 'Limit the memory for the causal order (a sixteenth of a byte for every two transactions).',
  },
  maxMemoBytes: {
    default: 2 ** 31,
    help: 'Limit the memory for prefixes known to fail (four bytes for each session and prefix).',
  },
};

export const VARIANTS: CheckerInfo<DbcopOptions>['variants'] = {
  bic: { help: 'By biconnected components of the communication graph.', options: { decompose: true } },
  'plain-search': { help: 'Algorithm 2 as in the paper: a choice before every step.', options: { eager: false } },
  'as-published': {
    help: 'With the faults of the published tool: it misses future reads, and at read committed all but single reads; it refuses some histories that are prefix consistent.',
    options: { asPublished: true, eager: false },
  },
};
