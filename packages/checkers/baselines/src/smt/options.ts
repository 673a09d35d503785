import type { LevelName, OptionSpec, Variant } from '@isolab/contract';
import { EVENT_ENCODINGS } from './events/decide-events.ts';
import { POLYGRAPH_ENCODINGS } from './polygraph/decide-polygraph.ts';

export const ENCODINGS = [...EVENT_ENCODINGS, ...POLYGRAPH_ENCODINGS] as const;
export type Encoding = (typeof ENCODINGS)[number];

export interface SmtOptions {
  readonly encoding: Encoding | 'auto';
  readonly solveSeconds: number;
}

export const OPTIONS: { readonly [Name in keyof SmtOptions]: OptionSpec<SmtOptions[Name]> } = {
  encoding: {
    default: 'auto',
    choices: ['auto', ...ENCODINGS],
    help: 'Select the encoding for Z3; auto: the fastest for the level (gsi-z3, linear-order).',
  },
  solveSeconds: { default: 0, help: 'Give up after this many seconds of each call of Z3; 0: never.' },
};

export const VARIANTS: Readonly<Record<Encoding, Variant<SmtOptions>>> = {
  'gsi-z3': variant('gsi-z3', 'snapshot levels: begins and commits are integers (GSI+Z3 in Viper).'),
  'gsi-z3-opt': variant('gsi-z3-opt', 'snapshot levels: the same after heuristic pruning (Z3-GSI-OPT).'),
  'asi-z3': variant('asi-z3', 'snapshot levels: Adya’s graph as relations, and integers (ASI+Z3 in Viper).'),
  'asi-z3-opt': variant('asi-z3-opt', 'snapshot levels: the same after heuristic pruning (Z3-ASI-OPT).'),
  'linear-order': variant('linear-order', 'serializable: Z3’s theory of linear orders.'),
  'topo-bv': variant('topo-bv', 'serializable: nodes are numbered by bit vectors (CobraSAT).'),
  'topo-int': variant('topo-int', 'serializable: nodes are numbered by integers (CobraSAT; Cobra’s Z3 baseline).'),
  'tree-bv': variant('tree-bv', 'serializable: tree reduction, by bit vectors (CobraSAT).'),
  tc: variant('tc', 'serializable: Z3’s transitive closure of a relation (CobraSAT).'),
};

function variant(encoding: Encoding, help: string): Variant<SmtOptions> {
  return { help, options: { encoding } };
}

export const SNAPSHOT_LEVELS = [
  'adya-snapshot-isolation',
  'snapshot-isolation',
] as const satisfies readonly LevelName[];
export const SERIAL_LEVELS = ['plain-serializable', 'serializable'] as const satisfies readonly LevelName[];
