import type { OptionSpec, Variant } from '@isolab/contract';

export interface ViperOptions {
  readonly prune: boolean;
  readonly optimise: boolean;
  readonly growth: 'doubling' | 'steps';
  readonly k: number;
  readonly seeds: number;
  readonly drift: number;
  readonly asPublished: boolean;
}

export const OPTIONS: { readonly [Name in keyof ViperOptions]: OptionSpec<ViperOptions[Name]> } = {
  prune: {
    default: true,
    help: 'heuristic pruning: settle constraints between transactions that are far apart in a likely order',
  },
  optimise: { default: true, help: 'combining of writes and coalescing of constraints, both from Cobra' },
  growth: {
    default: 'doubling',
    choices: ['doubling', 'steps'],
    help: 'how the distance k of heuristic pruning grows: it doubles (the paper), or by what it began with (the artifact)',
  },
  k: { default: 10, help: 'the distance k to begin with, in per cent of the number of begins and commits' },
  seeds: {
    default: 1,
    help: 'how many solvers, of different seeds, take turns at the last round, with growing budgets; violated histories may take one much longer than another',
  },
  drift: {
    default: 0,
    help: 'how far two clocks may differ, in the time unit of the history; if it is not 0, a satisfied verdict is one about a weaker level and has no certificate',
  },
  asPublished: {
    default: false,
    help: 'take reads of aborted, intermediate and unwritten values for reads of the initial state, as the published tool does where a history has no explicit initial transaction',
  },
};

export const VARIANTS: Readonly<Record<string, Variant<ViperOptions>>> = {
  'no-pruning': { help: 'without heuristic pruning (Viper w/o P in the paper)', options: { prune: false } },
  'no-pruning-no-optimizations': {
    help: 'without heuristic pruning, combining and coalescing (Viper w/o PO in the paper)',
    options: { prune: false, optimise: false },
  },
  'as-published': {
    help: 'misses reads of aborted, intermediate and unwritten values, as the published tool does',
    options: { asPublished: true },
  },
};
