import type { Planned } from '../sql/planned.ts';

/** The 32 bits of a transaction number that rows store, without the epoch. */
export const lowBits = (xid: string): number => Number(BigInt(xid) & 0xffff_ffffn);

/** Returns the transaction number with these 32 bits that is nearest to another one. */
export const wholeNumber = (low: number, near: string): string =>
  String(BigInt(near) + BigInt((low - lowBits(near)) | 0));

/** Returns the number of the transaction if an answer shows it; the writer of a written row comes first. */
export function numberShown(
  { plan: { tellsXid } }: Planned,
  rows: readonly (readonly (string | null)[])[],
  numberOf: (xmin: number) => string,
): string | null {
  if (tellsXid === 'in a column') return rows.findLast((hidden) => hidden.at(-1) !== null)?.at(-1) ?? null;
  return tellsXid === null || rows.length === 0 ? null : numberOf(Number(rows[0]![0]));
}
