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
    help: 'Prune heuristically: settle constraints between transactions that are far apart in a likely order.',
  },
  optimise: { default: true, help: 'Combine writes and coalesce constraints, as Cobra does.' },
  growth: {
    default: 'doubling',
    choices: ['doubling', 'steps'],
    help: 'Double the distance k of heuristic pruning (the paper), or add its first value (the artifact).',
  },
  k: { default: 10, help: 'Set the first distance k, as a percentage of the number of begins and commits.' },
  seeds: {
    default: 1,
    help: 'Let this many solvers with different seeds take turns in the last round, which may help with violated histories.',
  },
  drift: {
    default: 0,
    help: 'Allow two clocks to differ by this much, in the time unit of the history; then a satisfied verdict is about a weaker level and has no certificate.',
  },
  asPublished: {
    default: false,
    help: 'Treat reads of aborted, intermediate and unwritten values as reads of the initial state, as the published tool does where a history has no explicit initial transaction.',
  },
};

export const VARIANTS: Readonly<Record<string, Variant<ViperOptions>>> = {
  'no-pruning': { help: 'Skip heuristic pruning (Viper w/o P in the paper).', options: { prune: false } },
  'no-pruning-no-optimizations': {
    help: 'Skip heuristic pruning, combining and coalescing (Viper w/o PO in the paper).',
    options: { prune: false, optimise: false },
  },
  'as-published': {
    help: 'Overlook reads of aborted, intermediate and unwritten values, as the published tool does.',
    options: { asPublished: true },
  },
};
