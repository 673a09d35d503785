import type { Row } from './case.ts';

/** Converts rows for comparison: some clients return sums and counts as text or as big integers. */
export const plainRows = (rows: readonly Readonly<Record<string, unknown>>[]): readonly Row[] =>
  rows.map((row) => Object.values(row).map((value) => plain(value)));

function plain(value: unknown): string | number | null {
  if (value === null || value === undefined) return null;
  const text = String(value as string | number | bigint);
  return /^-?\d+(\.0+)?$/.test(text) ? Number(text) : text;
}

/** Returns whether both have the same rows, in any order. */
export const sameRows = (some: readonly Row[], others: readonly Row[]): boolean => sorted(some) === sorted(others);

const sorted = (rows: readonly Row[]): string => JSON.stringify(rows.map((row) => JSON.stringify(row)).toSorted());

export const sameRow = (one: Row, other: Row): boolean => JSON.stringify(one) === JSON.stringify(other);

/** Formats rows as `(1, 10) (2, 20)` or `nothing`. */
export const rowsText = (rows: readonly Row[]): string =>
  rows.length === 0 ? 'nothing' : rows.map((row) => `(${row.map((value) => value ?? 'NULL').join(', ')})`).join(' ');
