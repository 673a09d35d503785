import type { Edge } from '@isolab/contract';
import { assumed, choice, learned, never, proof, rw, wr } from './certificates.ts';
import { h } from './notation.ts';

/**
 * A history that no level from prefix upwards allows, for either order of 0 and 1 on x, and of 2 and 3 y: 4 and 5 read
 * one version of x each, and both versions' companions of y; 6 and 7 the other way round.
 */
export const history = h`w(x,1) w(p,1)
  w(x,2) w(q,1)
  w(y,1) w(u,1)
  w(y,2) w(v,1)
  r(x,1) r(u,1) r(v,1)
  r(x,2) r(u,1) r(v,1)
  r(y,1) r(p,1) r(q,1)
  r(y,2) r(p,1) r(q,1)`;

export const X = 0;
export const Y = 3;

// Consequences of an order of the writers: a reader of the first is before the second.
const x1First = rw(4, 1, 8, 2, assumed(0, 1));
const x2First = rw(5, 0, 11, 0, assumed(1, 0));
const y1First = rw(6, 3, 14, 6, assumed(2, 3));
const y2First = rw(7, 2, 17, 4, assumed(3, 2));

/** Cycle of the orders that each clause denies. */
export const CYCLES = {
  '-1 -2': [x1First, wr(1, 6, 16), y1First, wr(3, 4, 10)],
  '-1 2': [x1First, wr(1, 7, 19), y2First, wr(2, 4, 9)],
  '1 -2': [x2First, wr(0, 6, 15), y1First, wr(3, 5, 13)],
  '1 2': [x2First, wr(0, 7, 18), y2First, wr(2, 5, 12)],
} as const satisfies Record<string, readonly Edge[]>;

export const choices = [choice(0, 1, X), choice(2, 3, Y)];
export const firstFirst = never([-1, -2], ...CYCLES['-1 -2']);
export const firstSecond = never([-1, 2], ...CYCLES['-1 2']);
export const secondFirst = never([1, -2], ...CYCLES['1 -2']);
export const secondSecond = never([1, 2], ...CYCLES['1 2']);

/** Four clauses of two literals; then the first choice is settled, and with it nothing is left. */
export const twoChoices = proof(choices, firstFirst, firstSecond, learned(-1), secondFirst, secondSecond, learned());
