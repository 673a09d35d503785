import type { LevelName } from '@isolab/contract';
import type { Encoding } from '../../baseline.ts';
import type { PolygraphEncoding } from '../polygraph/options.ts';
import { DBCOP_SAT_LEVELS } from './dbcop-sat.ts';

const SERIALIZABILITY = ['plain-serializable', 'serializable'] as const satisfies readonly LevelName[];

const ofPolygraph = (help: string) => ({ levels: SERIALIZABILITY, help });

export const ENCODINGS = {
  'dbcop-sat': { levels: DBCOP_SAT_LEVELS, help: 'dbcop’s SAT encoding: commit order and visibility, cubic.' },
  tc1: ofPolygraph('CobraSAT: edges imply a transitive relation.'),
  tc3: ofPolygraph('CobraSAT: edges are transitive.'),
  axiom: ofPolygraph('CobraSAT: a total order, and the axiom of serializability.'),
  'binary-label': ofPolygraph('CobraSAT: nodes have binary numbers.'),
  'unary-label': ofPolygraph('CobraSAT: nodes have unary numbers.'),
  mono: ofPolygraph('CobraSAT, Cobra: a graph that the solver keeps acyclic.'),
  'asi-mono': {
    levels: ['adya-snapshot-isolation'],
    help: 'Viper’s ASI+Mono: a graph with weights, and timestamps.',
  },
  'asi-mono-opt': {
    levels: ['adya-snapshot-isolation'],
    help: 'Viper’s ASI+Mono+Opt: with combined writes and coalesced constraints.',
  },
  'tcc-mono': { levels: ['causal'], help: 'Plume’s TCC-Mono: the closure, and edges only.' },
} as const satisfies Readonly<Record<string, Encoding>> & Readonly<Record<PolygraphEncoding, Encoding>>;

export type EncodingName = keyof typeof ENCODINGS;
