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
    help: 'Keep the faults of the published tool; satisfied verdicts then have no certificate.',
  },
  decompose: {
    default: false,
    help: 'Check the biconnected components of the communication graph one by one.',
  },
  eager: {
    default: true,
    help: 'Execute without a choice the transactions that may come next in any case.',
  },
  maxClosureBytes: {
    default: 2 ** 31,
    help: 'Limit the memory for the causal order (1/16 byte per pair of transactions).',
  },
  maxMemoBytes: {
    default: 2 ** 31,
    help: 'Limit the memory for prefixes known to fail (4 bytes per session and prefix).',
  },
};

export const VARIANTS: CheckerInfo<DbcopOptions>['variants'] = {
  bic: { help: 'Check the biconnected components of the communication graph.', options: { decompose: true } },
  'plain-search': {
    help: 'Follow algorithm 2 of the paper: make a choice before every step.',
    options: { eager: false },
  },
  'as-published': {
    help: 'Keep the faults of the published tool: it misses future reads, and at read committed all anomalies except those of single reads; it rejects some prefix consistent histories.',
    options: { asPublished: true, eager: false },
  },
};
