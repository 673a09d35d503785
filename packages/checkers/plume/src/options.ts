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
    help: 'Select how reachability is decided: tree clocks, plain vectors, or a search for every query.',
  },
  order: {
    default: 'topological',
    choices: ['topological', 'round-robin'],
    help: 'Select the order in which transactions get their vectors: one that needs no corrections, or that of the published tool.',
  },
  writers: {
    default: 'latest',
    choices: ['latest', 'all'],
    help: 'Select which visible writers of a key get an edge of the commit order: the latest of each session, or all as in Algorithm 1.',
  },
  asPublished: {
    default: false,
    help: 'Decide as the published tool does: by the commit order of causal consistency at read atomic, and without a commit order at read committed.',
  },
  instances: {
    default: 100_000,
    help: 'Limit the reported instances of a pattern when all are requested; the counter instancesLeftOut counts the rest.',
  },
  certificates: {
    default: 100,
    help: 'Limit the anomalies that get a certificate besides the first of each pattern.',
  },
};

export const VARIANTS: CheckerInfo<PlumeOptions>['variants'] = {
  'no-tree-clocks': { help: 'Use plain vectors (w/o TC, section 5.5.4).', options: { clocks: 'vector' } },
  'no-vectors': { help: 'Search for every query (w/o VEC, section 5.5.4).', options: { clocks: 'none' } },
  'as-published': {
    help: 'Use the decisions, the order of work and the edges of the published tool.',
    options: { asPublished: true, order: 'round-robin', writers: 'all' },
  },
};
