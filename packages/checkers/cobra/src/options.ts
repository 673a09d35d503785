import type { OptionSpec, Variant } from '@isolab/contract';

export interface CobraOptions {
  readonly combine: boolean;
  readonly coalesce: boolean;
  readonly prune: boolean;
  readonly rounds: number;
  readonly decompose: boolean;
  readonly fenceKey: string;
  readonly fencesPerEpoch: number;
  readonly seed: number;
  readonly maxClosureBytes: number;
  readonly asPublished: boolean;
}

export const OPTIONS: { readonly [Name in keyof CobraOptions]: OptionSpec<CobraOptions[Name]> } = {
  combine: { default: true, help: 'Put a version directly after the one that its transaction read.' },
  coalesce: { default: true, help: 'Make one constraint of all that two chains of versions are about.' },
  prune: { default: true, help: 'Decide constraints of which one side would close a cycle.' },
  rounds: { default: 1, help: 'How often to prune; 0: as long as it decides anything.' },
  decompose: { default: true, help: 'Solve every strongly connected component of the superposition on its own.' },
  fenceKey: {
    default: '',
    help: 'The key that fence transactions read and write; with one, serializable is checked epoch by epoch.',
  },
  fencesPerEpoch: { default: 0, help: 'How many fences end an epoch; 0: as many as there are sessions.' },
  seed: { default: 0, help: 'Breaks ties in the solver; 0: not at random.' },
  maxClosureBytes: { default: 2 ** 31, help: 'The most memory that reachability may take (n²/16 bytes).' },
  asPublished: {
    default: false,
    help: 'Keep the blind spots of the published tool; what it accepts then has no certificate.',
  },
};

export const VARIANTS: Readonly<Record<string, Variant<CobraOptions>>> = {
  'no-combining': { help: 'Every version a chain of its own.', options: { combine: false } },
  'no-coalescing': { help: 'A constraint for every reader.', options: { coalesce: false } },
  'no-pruning': { help: 'All constraints to the solver: TTF in the paper’s ablation.', options: { prune: false } },
  'no-pruning-no-coalescing': {
    help: 'Combined writes only: TFF in the paper’s ablation.',
    options: { prune: false, coalesce: false },
  },
  'no-optimizations': {
    help: 'The plain polygraph: FFF in the paper’s ablation.',
    options: { prune: false, coalesce: false, combine: false },
  },
  'no-decomposition': { help: 'One problem for the solver.', options: { decompose: false } },
  fixpoint: { help: 'Pruning as long as it decides anything.', options: { rounds: 0 } },
  fenced: { help: 'Epoch by epoch, with fence transactions on the key “fence”.', options: { fenceKey: 'fence' } },
  'as-published': {
    help: 'With the blind spots of the published tool: own writes, intermediate and non-repeatable reads.',
    options: { asPublished: true },
  },
};
