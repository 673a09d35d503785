import type { OptionSpec, Variant } from '@isolab/contract';
import type { StopRule } from '@isolab/polygraph';

export interface PolysiOptions {
  readonly prune: boolean;
  readonly compact: boolean;
  readonly encoding: 'layers' | 'induced';
  readonly stop: StopRule;
  readonly reachability: 'auto' | 'rows' | 'sessions';
  readonly initial: 'first' | 'writer';
  readonly seed: number;
  readonly search: number;
}

export const OPTIONS: { readonly [Name in keyof PolysiOptions]: OptionSpec<PolysiOptions[Name]> } = {
  prune: { default: true, help: 'Settle constraints by reachability before solving (P in the paper).' },
  compact: {
    default: true,
    help: 'Make one constraint for every two writers instead of one for every reader (C in the paper).',
  },
  encoding: {
    default: 'layers',
    help: 'Encode the induced graph with split nodes, or with all composed edges as published.',
    choices: ['layers', 'induced'],
  },
  stop: {
    default: 'paper',
    help: 'Prune until a round settles nothing, or at most 1 % as in the artifact.',
    choices: ['paper', 'artifact'],
  },
  reachability: {
    default: 'auto',
    help: 'Keep reachability in rows of bits as published, as the first event reached in each session, or in rows up to 6 GiB.',
    choices: ['auto', 'rows', 'sessions'],
  },
  initial: {
    default: 'first',
    help: 'Put the initial transaction before all others, or treat it as an ordinary writer, as in the artifact.',
    choices: ['first', 'writer'],
  },
  seed: { default: 0, help: 'Set the seed of the solver.' },
  search: { default: 2_000_000, help: 'Limit the steps of the search for the smallest counterexample of a violation.' },
};

export const VARIANTS: Readonly<Record<string, Variant<PolysiOptions>>> = {
  'no-pruning': { help: 'Skip pruning: PolySI w/o P of figure 10.', options: { prune: false } },
  'no-pruning-no-compaction': {
    help: 'Skip pruning and compaction: PolySI w/o C+P of figure 10.',
    options: { prune: false, compact: false },
  },
  induced: {
    help: 'Use the published encoding with all edges of the induced graph.',
    options: { encoding: 'induced' },
  },
  sessions: { help: 'Keep reachability as vectors of sessions.', options: { reachability: 'sessions' } },
  'as-published': {
    help: 'Use the artifact’s encoding and stop rule; reads of initial states that it does not see are stale.',
    options: { encoding: 'induced', stop: 'artifact', reachability: 'rows', initial: 'writer' },
  },
};
