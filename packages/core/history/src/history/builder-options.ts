import type { PositionUnit } from './history.ts';

export interface BuilderOptions {
  readonly format: string;
  readonly file: string;
  readonly unit: PositionUnit;
  readonly opStride?: number;
  readonly database?: string | null;
  /** The value of every key's initial state; nil if absent. */
  readonly initial?: bigint | null;
  /** Share of the input that has been read, or 0 if unknown; columns grow by it. */
  readonly share?: () => number;
}
