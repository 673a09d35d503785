import type { Digraph } from '@isolab/graph';
import type { CompoundLetter } from '@isolab/levels';
import type { Along } from '../facts/order.ts';
import type { Automaton } from './automaton.ts';

export type Tick = (steps: number) => void;

/** An order, with the compounds and products evaluated along it. */
export interface Evaluation {
  readonly along: Along;
  readonly tick: Tick;
  readonly compounds: Map<CompoundLetter, Compound>;
}

/**
 * The product of a term's automaton and the history: a node for each pair of a state and a transaction, read or event;
 * and helpers.
 */
export interface Product {
  readonly automaton: Automaton;
  /** The first node of each state, with one extra slot for the first helper. */
  readonly base: Int32Array;
  readonly numNodes: number;
  readonly graph: Digraph;
  readonly from: Int32Array;
  readonly to: Int32Array;
  readonly cost: Uint8Array;
  readonly label: Int32Array;
  /** The first edge from the last state back to the first; all such edges come last. */
  readonly closing: number;
}

/** The pairs of an intersection or a difference, in columns, and the data to find the walk of each pair. */
export interface Compound {
  readonly x: Int32Array;
  readonly y: Int32Array;
  readonly left: Product;
  readonly right: Product;
}
