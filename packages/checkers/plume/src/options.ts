import type { CheckerInfo } from '@isolab/contract';
import type { ClockKind } from './clocks.ts';

export interface PlumeOptions {
  readonly clocks: ClockKind;
  readonly order: 'topological' | 'round-robin';
  readonly writers: 'latest' | 'all';
  readonly asPublished: boolean;
  readonly instances: number;
  readonly certificates: number;
}

export const OPTIONS: CheckerInfo<PlumeOptions>['options'] = {
  clocks: {
    default: 'tree',
    choices: ['tree', 'vector', 'none'],
    help: 'How to tell whether a transaction reaches another one: tree clocks, plain vectors, or a search for every question.',
  },
  order: {
    default: 'topological',
    choices: ['topological', 'round-robin'],
    help: 'The order in which transactions get their vectors: one that needs no corrections, or that of the published tool.',
  },
  writers: {
    default: 'latest',
    choices: ['latest', 'all'],
    help: 'Which visible writers of a key get an edge of the commit order: the latest of each session, or all as in Algorithm 1.',
  },
  asPublished: {
    default: false,
    help: 'Decide as the published tool does: by the commit order of causal consistency at read atomic, and without any at read committed.',
  },
  instances: {
    default: 100_000,
    help: 'How many instances of a pattern to report when all are asked for; the counter instancesLeftOut tells the rest.',
  },
  certificates: {
    default: 100,
    help: 'How many anomalies beside the first of each pattern get a certificate.',
  },
};

export const VARIANTS: CheckerInfo<PlumeOptions>['variants'] = {
  'no-tree-clocks': { help: 'Plain vectors (w/o TC, section 5.5.4).', options: { clocks: 'vector' } },
  'no-vectors': { help: 'A search for every question (w/o VEC, section 5.5.4).', options: { clocks: 'none' } },
  'as-published': {
    help: 'The decisions, the order of work and the edges of the published tool.',
    options: { asPublished: true, order: 'round-robin', writers: 'all' },
  },
};
