import type { PositionUnit, Source } from './history.ts';

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

/** Returns the origin of a built history, with the notes from its reader. */
export function sourceOf(
  { database, timeUnit, drift }: Pick<Source, 'database' | 'timeUnit' | 'drift'>,
  { format, file, unit, opStride = 0 }: BuilderOptions,
  files: readonly string[],
  notes: Source['notes'],
): Source {
  return { format, database, files: files.length > 0 ? files : [file], unit, opStride, timeUnit, drift, notes };
}
