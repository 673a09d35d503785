import type { History } from '@isolab/history';

/** A file's statement about the program that recorded an application. It promises a mark at the end of the file. */
export interface Recorded {
  /** The program, such as `isolab record`. */
  readonly by: string;
  /** Whether values are hashes. */
  readonly redacted?: boolean;
  /** Clock of begin and end times; files that name the same one can be put together with their times. */
  readonly clock?: string;
}

type RecordedSource = History['source'] & { readonly recorded: Recorded };

/** The columns that a recorder adds to rows, as its header says, or as is known of files that do not say it. */
export const hiddenColumnsOf = (hidden: readonly string[] | null, recorded: Recorded | null): readonly string[] =>
  hidden ?? (recorded?.by === 'isolab record' ? ['xmin'] : []);

/** The history with these columns of its rows hidden. */
export const withHiddenColumns = (history: History, columns: ReadonlySet<string>): History =>
  columns.size === 0 ? history : { ...history, source: { ...history.source, hiddenColumns: [...columns] } };

/** Recorder of a history; null if its file does not name it. */
export const recordedOf = ({ source }: History): Recorded | null =>
  (source as Partial<RecordedSource>).recorded ?? null;

/** The history, recorded by that program. */
export const withRecorded = (history: History, recorded: Recorded | null): History => {
  if (recorded === null) return history;
  const source: RecordedSource = { ...history.source, recorded };
  return { ...history, source };
};

/** The history, of a database that claims to have kept a level. */
export const withClaims = (history: History, claims: string | undefined): History =>
  claims === undefined ? history : { ...history, source: { ...history.source, claims } };

export const isCutOff = ({ source }: History): boolean => source.notes['cutOffAfterLine'] !== undefined;

/** The history for a caller that takes a part of it, without the mark that it was cut off. */
export function asPart(history: History): History {
  const { recorded: _, ...source } = history.source as Partial<RecordedSource> & History['source'];
  const { cutOffAfterLine: __, ...notes } = source.notes;
  return { ...history, source: { ...source, notes } };
}
