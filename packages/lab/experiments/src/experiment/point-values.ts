/** Values of an experiment's file that depend on the point or the scale. */
import type { Scale } from '@isolab/figures';
import { BenchError } from './errors.ts';

export type { Scale } from '@isolab/figures';

export const SCALES = ['ci', 'laptop', 'paper'] as const satisfies readonly Scale[];
export type PerScale<T> = Readonly<Record<Scale, T>>;
export type Point = number | string;

export type Settings = Readonly<Record<string, string | number | PerScale<string | number>>>;

export const settingsAt = (set: Settings = {}, x: Point): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(set).map(([name, value]) => [name, String(fill(value as string, x))]));

/** Replaces `$x` by the point, a multiple of it, or the whole number nearest to a quotient. */
export function fill(value: string | number, x: Point): string | number {
  if (typeof value === 'number') return value;
  const [, factor] = /^\$x \* ([\d.]+)$/.exec(value) ?? [];
  if (factor !== undefined) return Number(x) * Number(factor);
  const [, dividend] = /^([\d.]+) \/ \$x$/.exec(value) ?? [];
  if (dividend !== undefined) return Math.round(Number(dividend) / Number(x));
  return value === '$x' ? x : value;
}

export function wholeAt(value: unknown, x: Point, where: string): number {
  const number = Number(fill(value as string, x));
  if (Number.isInteger(number) && number > 0) return number;
  throw new BenchError(`${where} is ${String(value)} at x = ${x}, expected a whole number of at least 1.`);
}

/** Number of transactions of each session, if the number may be given for all sessions together. */
export function ofEachSession(
  { transactions, of }: { readonly transactions: unknown; readonly of?: 'each session' | 'all sessions' },
  sessions: number,
  x: Point,
  where: string,
): number {
  const asked = wholeAt(transactions, x, `${where}: transactions`);
  return of === 'all sessions' ? Math.ceil(asked / sessions) : asked;
}
