import type { LevelName, OptionSpec, Variant } from '@isolab/contract';
import { ENCODINGS, type EncodingName } from './history/encodings.ts';
import { type EncodingOptions, POLYGRAPH_ENCODINGS, type PolygraphEncoding } from './polygraph/options.ts';
import type { SolverName } from './solvers/solve.ts';

const NAMES = Object.keys(ENCODINGS) as EncodingName[];

export interface BaselinesSatOptions extends EncodingOptions {
  readonly encoding: EncodingName | 'auto';
  readonly solver: SolverName | 'auto' | 'none';
}

export const OPTIONS: { readonly [Name in keyof BaselinesSatOptions]: OptionSpec<BaselinesSatOptions[Name]> } = {
  encoding: {
    default: 'auto',
    help: 'Select the encoding; auto: asi-mono at adya-snapshot-isolation, dbcop-sat at other levels, mono for polygraphs.',
    choices: ['auto', ...NAMES],
  },
  solver: {
    default: 'auto',
    help: 'Select the solver; auto: cadical, or own for encodings that need a solver with graphs (…mono…); none: only measure the formula (dbcop-sat).',
    choices: ['auto', 'cadical', 'logic-solver', 'own', 'none'],
  },
  xor: {
    default: true,
    help: 'Add clauses by which the two sides of a constraint exclude each other, although that follows anyway.',
  },
  sparse: {
    default: false,
    help: 'Create variables only for pairs that an edge may join, not for all (binary-label, unary-label).',
  },
  conflicts: { default: 0, help: 'Give up after this many conflicts; 0: never. logic-solver has no such limit.' },
  maxClauses: { default: 15_000_000, help: 'The most clauses that a formula may have; CaDiCaL’s heap holds few more.' },
  maxBytes: {
    default: 2 ** 29,
    help: 'The most bytes that the clauses, or a closure, may take (the papers had 10 GB).',
  },
};

export const VARIANTS: Readonly<Record<EncodingName, Variant<BaselinesSatOptions>>> = {
  'dbcop-sat': {
    help: 'dbcop’s SAT encoding: commit order and visibility, cubic.',
    options: { encoding: 'dbcop-sat' },
  },
  tc1: { help: 'CobraSAT: edges imply a transitive relation.', options: { encoding: 'tc1' } },
  tc3: { help: 'CobraSAT: edges are transitive.', options: { encoding: 'tc3' } },
  axiom: { help: 'CobraSAT: a total order, and the axiom of serializability.', options: { encoding: 'axiom' } },
  'binary-label': { help: 'CobraSAT: nodes have binary numbers.', options: { encoding: 'binary-label' } },
  'unary-label': { help: 'CobraSAT: nodes have unary numbers.', options: { encoding: 'unary-label' } },
  mono: { help: 'CobraSAT, Cobra: a graph that the solver keeps acyclic.', options: { encoding: 'mono' } },
  'asi-mono': { help: 'Viper’s ASI+Mono: a graph with weights, and timestamps.', options: { encoding: 'asi-mono' } },
  'asi-mono-opt': {
    help: 'Viper’s ASI+Mono+Opt: with combined writes and coalesced constraints.',
    options: { encoding: 'asi-mono-opt' },
  },
  'tcc-mono': { help: 'Plume’s TCC-Mono: the closure, and edges only.', options: { encoding: 'tcc-mono' } },
};

export const encodingsOf = (level: LevelName): readonly EncodingName[] =>
  NAMES.filter((name) => (ENCODINGS[name] as readonly LevelName[]).includes(level));

/** The encoding that a run uses, or why there is none. */
export type ChosenEncoding<Name> = { readonly encoding: Name; readonly problem: null } | { readonly problem: string };

export function encodingFor(level: LevelName, asked: EncodingName | 'auto'): ChosenEncoding<EncodingName> {
  if (asked === 'auto')
    return { encoding: level === 'adya-snapshot-isolation' ? 'asi-mono' : 'dbcop-sat', problem: null };
  const levels: readonly LevelName[] = ENCODINGS[asked];
  if (levels.includes(level)) return { encoding: asked, problem: null };
  const others = encodingsOf(level);
  return {
    problem: `the encoding ${asked} decides ${levels.join(', ')}, and not ${level}, which ${others.join(', ')} would`,
  };
}

/** The encoding to use for a polygraph from a file. */
export function polygraphEncodingFor(asked: EncodingName | 'auto'): ChosenEncoding<PolygraphEncoding> {
  if (asked === 'auto') return { encoding: 'mono', problem: null };
  const encoding = POLYGRAPH_ENCODINGS.find((name) => name === asked);
  if (encoding !== undefined) return { encoding, problem: null };
  return { problem: `the encoding ${asked} takes histories; polygraphs are for ${POLYGRAPH_ENCODINGS.join(', ')}` };
}
