import type { FormulaLimits } from '../formula/formula.ts';
import type { SolverLimits } from '../solvers/answer.ts';
import type { LabelOptions } from './labels.ts';

/** The encodings of polygraphs for serializability, the default first. */
export const POLYGRAPH_ENCODINGS = ['mono', 'tc1', 'tc3', 'axiom', 'binary-label', 'unary-label'] as const;
export type PolygraphEncoding = (typeof POLYGRAPH_ENCODINGS)[number];

export interface EncodingOptions extends FormulaLimits, SolverLimits, LabelOptions {}
