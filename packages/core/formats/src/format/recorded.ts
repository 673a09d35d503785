import type { History } from '@isolab/history';

/** A file's statement about the program that recorded an application. It promises a mark at the end of the file. */
export interface Recorded {
  /** The program, such as `isolab record`. */
  readonly by: string;
  /** Whether values are hashes. */
  readonly redacted?: boolean;
  /** Clock of begin and end times. Files that name the same clock can be combined with their times. */
  readonly clock?: string;
}

type RecordedSource = History['source'] & { readonly recorded: Recorded };

/**
 * Returns the columns that a recorder adds to rows: those in its header, or known defaults if the header does not list
 * them.
 */
export const hiddenColumnsOf = (hidden: readonly string[] | null, recorded: Recorded | null): readonly string[] =>
  hidden ?? (recorded?.by === 'isolab record' ? ['xmin'] : []);

export const withHiddenColumns = (history: History, columns: ReadonlySet<string>): History =>
  columns.size === 0 ? history : { ...history, source: { ...history.source, hiddenColumns: [...columns] } };

/** Returns the recorder of a history; null if its file does not name a recorder. */
export const recordedOf = ({ source }: History): Recorded | null =>
  (source as Partial<RecordedSource>).recorded ?? null;

export const withRecorded = (history: History, recorded: Recorded | null): History => {
  if (recorded === null) return history;
  const source: RecordedSource = { ...history.source, recorded };
  return { ...history, source };
};

/** Returns the history with the level that the database claims to have kept. */
export const withClaims = (history: History, claims: string | undefined): History =>
  claims === undefined ? history : { ...history, source: { ...history.source, claims } };

export const isCutOff = ({ source }: History): boolean => source.notes['cutOffAfterLine'] !== undefined;

/** Returns the history without the mark that it was cut off, for a caller that uses a part of it. */
export function asPart(history: History): History {
  const { recorded: _, ...source } = history.source as Partial<RecordedSource> & History['source'];
  const { cutOffAfterLine: __, ...notes } = source.notes;
  return { ...history, source: { ...source, notes } };
}
