import type { LevelName } from '@isolab/contract';
import type { PolygraphEncoding } from '../polygraph/options.ts';
import { DBCOP_SAT_LEVELS } from './dbcop-sat.ts';

const SERIALIZABILITY = ['plain-serializable', 'serializable'] as const satisfies readonly LevelName[];

/** The levels that each encoding decides. */
export const ENCODINGS = {
  'dbcop-sat': DBCOP_SAT_LEVELS,
  tc1: SERIALIZABILITY,
  tc3: SERIALIZABILITY,
  axiom: SERIALIZABILITY,
  'binary-label': SERIALIZABILITY,
  'unary-label': SERIALIZABILITY,
  mono: SERIALIZABILITY,
  'asi-mono': ['adya-snapshot-isolation'],
  'asi-mono-opt': ['adya-snapshot-isolation'],
  'tcc-mono': ['causal'],
} as const satisfies Readonly<Record<string, readonly LevelName[]>> &
  Readonly<Record<PolygraphEncoding, readonly LevelName[]>>;

export type EncodingName = keyof typeof ENCODINGS;
