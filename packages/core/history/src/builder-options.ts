import type { PositionUnit } from './history.ts';

export interface BuilderOptions {
  readonly format: string;
  readonly file: string;
  readonly unit: PositionUnit;
  readonly opStride?: number;
  readonly database?: string | null;
  /** The value of every key's initial state; nil if absent. */
  readonly initial?: bigint | null;
  /**
   * Returns the share of the input that has been read, 0 where that is not known, for columns to grow to the right
   * size.
   */
  readonly share?: () => number;
}
