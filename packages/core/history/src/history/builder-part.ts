import type { Atoms } from '../columns/atoms.ts';
import type { TransactionPart } from './transaction-columns.ts';

/** Columns of a builder, in file order, with its own ids. */
export interface BuilderPart {
  readonly keys: Atoms;
  readonly values: Atoms;
  readonly sessions: Atoms;
  readonly kind: Uint8Array;
  readonly key: Int32Array;
  readonly value: Int32Array;
  readonly segmentStart: Int32Array;
  readonly segmentTxn: Int32Array;
  readonly txns: TransactionPart;
  readonly notes: Readonly<Record<string, number>>;
}

/** Appends a column whose entries get other ids. */
export function copyIds(from: Int32Array, ids: Int32Array, to: Int32Array, first: number): void {
  for (let i = 0; i < from.length; i++) to[first + i] = ids[from[i]];
}
