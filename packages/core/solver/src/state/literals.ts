/** 2·variable for the variable itself, 2·variable + 1 for its negation; variables are numbered from 0. */
export type Literal = number;

export const positive = (variable: number): Literal => variable << 1;
export const negative = (variable: number): Literal => (variable << 1) | 1;
export const negate = (literal: Literal): Literal => literal ^ 1;

/** Converts a literal to DIMACS: variables are counted from 1, and negative if negated. */
export const toDimacs = (literal: Literal): number => (literal & 1 ? -((literal >> 1) + 1) : (literal >> 1) + 1);
export const fromDimacs = (number: number): Literal => (number < 0 ? ((-number - 1) << 1) | 1 : (number - 1) << 1);
