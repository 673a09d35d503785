/**
 * What an error of a database means. Before COMMIT is sent nothing can have happened, and the question is what to do next;
 * at COMMIT the question is what happened, and all but an abort that the vendor documents is unknown.
 */
export interface ErrorRow {
  /** As the database gives it, or the beginning that a class of codes shares. */
  readonly code: string;
  /** Aborted: go on; lost: connect again; failed: the set-up is wrong, so that the collection ends. */
  readonly inStatement: 'aborted' | 'lost' | 'failed';
  readonly atCommit: 'aborted' | 'unknown';
  readonly says: string;
}

export const row = (
  code: string,
  inStatement: ErrorRow['inStatement'],
  atCommit: ErrorRow['atCommit'],
  says: string,
): ErrorRow => ({ code, inStatement, atCommit, says });

/** Where a statement stands in its transaction. */
export type Phase = 'statement' | 'commit';

export interface Outcomes {
  readonly database: string;
  readonly rows: readonly ErrorRow[];
  /** Which rows to look at, the one that fits best first. */
  readonly keysOf: (code: string) => readonly string[];
}

/** What to do: go on after an abort, connect again, or give up. A code that no row names is a failure of the set-up. */
export function outcomeOf({ rows, keysOf }: Outcomes, code: string, phase: Phase): 'aborted' | 'lost' | 'failed' {
  const found = keysOf(code)
    .map((key) => rows.find((one) => one.code === key))
    .find((one) => one !== undefined);
  if (found === undefined) return 'failed';
  if ((phase === 'commit' ? found.atCommit : found.inStatement) === 'aborted') return 'aborted';
  // It goes on where nothing is wrong but that the answer did not come.
  return found.inStatement === 'failed' ? 'failed' : 'lost';
}

/** For a database whose codes have no classes. */
export const byCode = (database: string, ...rows: readonly ErrorRow[]): Outcomes => ({
  database,
  rows,
  keysOf: (code) => [code],
});

/** For a database that gives no codes: rows whose code stands in what it says. */
export const byText = (database: string, ...rows: readonly ErrorRow[]): Outcomes => ({
  database,
  rows,
  keysOf: (text) => rows.map(({ code }) => code).filter((code) => text.toLowerCase().includes(code)),
});
