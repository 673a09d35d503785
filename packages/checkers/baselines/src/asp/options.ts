import type { LevelName, OptionSpec, Variant } from '@isolab/contract';

export const ENCODINGS = ['causal-c-plus', 'causal-c', 'acyclic-si', 'acyclic-ser'] as const;
export type Encoding = (typeof ENCODINGS)[number];

export interface AspOptions {
  readonly encoding: Encoding | 'auto';
  readonly solveLimit: number;
}

/** The level that each encoding decides; the first one for a level is its default. */
export const LEVEL_OF = {
  'causal-c-plus': 'causal',
  'causal-c': 'causal',
  'acyclic-si': 'snapshot-isolation',
  'acyclic-ser': 'serializable',
} as const satisfies Readonly<Record<Encoding, LevelName>>;

export const OPTIONS: { readonly [Name in keyof AspOptions]: OptionSpec<AspOptions[Name]> } = {
  encoding: {
    default: 'auto',
    choices: ['auto', ...ENCODINGS],
    help: 'Select the encoding for clingo; auto: causal-c-plus, acyclic-si or acyclic-ser, as the level needs.',
  },
  solveLimit: { default: 0, help: 'Give up after this many conflicts of clingo; 0: never.' },
};

export const VARIANTS: Readonly<Record<Encoding, Variant<AspOptions>>> = {
  'causal-c-plus': variant('causal-c-plus', 'causal: CausalC+, the baseline of Plume.'),
  'causal-c': variant('causal-c', 'causal: CausalC, for transactions of one operation.'),
  'acyclic-si': variant('acyclic-si', 'snapshot-isolation: the begin/commit polygraph, by #edge.'),
  'acyclic-ser': variant('acyclic-ser', 'serializable: the polygraph, by #edge.'),
};

function variant(encoding: Encoding, help: string): Variant<AspOptions> {
  return { help, options: { encoding } };
}
