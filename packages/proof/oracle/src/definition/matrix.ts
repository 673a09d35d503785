/** A relation on few elements: for each element, the set of its successors as bits. */
export type Matrix = readonly number[];

/** Maximum number of elements of a matrix. */
export const MOST_THINGS = 31;

export const emptyMatrix = (size: number): number[] => Array.from({ length: size }, () => 0);

export const isIn = (row: number, thing: number): boolean => ((row >> thing) & 1) === 1;

export function matrixOf(from: number, to: number, leads: (i: number, j: number) => boolean): number[] {
  const matrix = emptyMatrix(from);
  for (let i = 0; i < from; i++) for (let j = 0; j < to; j++) if (leads(i, j)) matrix[i]! |= 1 << j;
  return matrix;
}

export const union = (a: Matrix, b: Matrix): Matrix => a.map((row, i) => row | b[i]!);
export const intersection = (a: Matrix, b: Matrix): Matrix => a.map((row, i) => row & b[i]!);
export const difference = (a: Matrix, b: Matrix): Matrix => a.map((row, i) => row & ~b[i]!);

export function composition(a: Matrix, b: Matrix): Matrix {
  return a.map((row) => {
    let result = 0;
    for (let j = 0; row >> j !== 0; j++) if (isIn(row, j)) result |= b[j]!;
    return result;
  });
}

/** `size` is the number of possible successors. */
export function inverse(a: Matrix, size: number): Matrix {
  const result = emptyMatrix(size);
  for (let i = 0; i < a.length; i++) for (let j = 0; j < size; j++) if (isIn(a[i]!, j)) result[j]! |= 1 << i;
  return result;
}

export function closure(a: Matrix): Matrix {
  const result = [...a];
  for (let k = 0; k < result.length; k++)
    for (let i = 0; i < result.length; i++) if (isIn(result[i]!, k)) result[i]! |= result[k]!;
  return result;
}

export const withIdentity = (a: Matrix): Matrix => a.map((row, i) => row | (1 << i));

export const isEmpty = (a: Matrix): boolean => a.every((row) => row === 0);
export const isIrreflexive = (a: Matrix): boolean => a.every((row, i) => !isIn(row, i));
