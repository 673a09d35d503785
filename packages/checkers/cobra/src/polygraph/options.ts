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
  readonly reachability: 'cpu' | 'gpu' | 'any-device';
  readonly maxClosureBytes: number;
  readonly asPublished: boolean;
}

export const OPTIONS: { readonly [Name in keyof CobraOptions]: OptionSpec<CobraOptions[Name]> } = {
  combine: { default: true, help: 'Put a version directly after the version that its transaction read.' },
  coalesce: { default: true, help: 'Merge all constraints between two chains of versions into one.' },
  prune: { default: true, help: 'Decide constraints with a side that would close a cycle.' },
  rounds: { default: 1, help: 'Limit the rounds of pruning; 0: prune as long as it decides anything.' },
  decompose: { default: true, help: 'Solve every strongly connected component of the superposition on its own.' },
  fenceKey: {
    default: '',
    help: 'Set the key that fence transactions read and write, to check serializable epoch by epoch.',
  },
  fencesPerEpoch: { default: 0, help: 'Set the number of fences that end an epoch; 0: one per session.' },
  seed: { default: 0, help: 'Break ties in the solver at random with this seed; 0: not at random.' },
  reachability: {
    default: 'cpu',
    help: 'Compute reachability in rows of bits, on a GPU, or on any device of WebGPU, which may be a software device.',
    choices: ['cpu', 'gpu', 'any-device'],
  },
  maxClosureBytes: { default: 2 ** 31, help: 'Limit the memory for reachability (n²/16 bytes).' },
  asPublished: {
    default: false,
    help: 'Keep the blind spots of the published tool; satisfied verdicts then have no certificate.',
  },
};

export const VARIANTS: Readonly<Record<string, Variant<CobraOptions>>> = {
  'no-combining': { help: 'Make every version a chain of its own.', options: { combine: false } },
  'no-coalescing': { help: 'Make a constraint for every reader.', options: { coalesce: false } },
  'no-pruning': { help: 'Pass all constraints to the solver: TTF in the paper’s ablation.', options: { prune: false } },
  'no-pruning-no-coalescing': {
    help: 'Only combine writes: TFF in the paper’s ablation.',
    options: { prune: false, coalesce: false },
  },
  'no-optimizations': {
    help: 'Use the plain polygraph: FFF in the paper’s ablation.',
    options: { prune: false, coalesce: false, combine: false },
  },
  'no-decomposition': { help: 'Pass one problem to the solver.', options: { decompose: false } },
  fixpoint: { help: 'Prune as long as it decides anything.', options: { rounds: 0 } },
  fenced: { help: 'Check epoch by epoch, with fence transactions on the key “fence”.', options: { fenceKey: 'fence' } },
  gpu: {
    help: 'Compute reachability on a GPU, as published; unknown without a GPU.',
    needs: 'a GPU',
    options: { reachability: 'gpu' },
  },
  'as-published': {
    help: 'Keep the blind spots of the published tool: own writes, intermediate and non-repeatable reads.',
    options: { asPublished: true },
  },
};
