import type { PositionUnit } from './history.ts';

export interface BuilderOptions {
  readonly format: string;
  readonly file: string;
  readonly unit: PositionUnit;
  readonly opStride?: number;
  readonly database?: string | null;
  /** Initial value of every key; nil if not given. */
  readonly initial?: bigint | null;
  /** Returns the share of the input read so far, or 0 if unknown; columns grow accordingly. */
  readonly share?: () => number;
}
