/**
 * Meaning of an error of a database. Before COMMIT is sent, nothing can have happened, and only the next step is open.
 * At COMMIT the outcome is open: all but an abort that the vendor documents is unknown.
 */
export interface ErrorRow {
  /** Code as the database gives it, or the prefix that a class of codes shares. */
  readonly code: string;
  /** Aborted: continue; lost: connect again; failed: the set-up is wrong, and the collection ends. */
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

/** Place of a statement in its transaction. */
export type Phase = 'statement' | 'commit';

export interface Outcomes {
  readonly database: string;
  readonly rows: readonly ErrorRow[];
  /** Returns the codes of the rows to examine, best fit first. */
  readonly keysOf: (code: string) => readonly string[];
}

/**
 * Decides the next step: continue after an abort, connect again, or give up. A code that no row names is a failure of
 * the set-up.
 */
export function outcomeOf({ rows, keysOf }: Outcomes, code: string, phase: Phase): 'aborted' | 'lost' | 'failed' {
  const found = keysOf(code)
    .map((key) => rows.find((one) => one.code === key))
    .find((one) => one !== undefined);
  if (found === undefined) return 'failed';
  if ((phase === 'commit' ? found.atCommit : found.inStatement) === 'aborted') return 'aborted';
  // The collection continues where only the answer is missing.
  return found.inStatement === 'failed' ? 'failed' : 'lost';
}

/** Returns the outcomes of a database whose codes have no classes. */
export const byCode = (database: string, ...rows: readonly ErrorRow[]): Outcomes => ({
  database,
  rows,
  keysOf: (code) => [code],
});

/** Returns the outcomes of a database without codes: the code of a row stands in the message. */
export const byText = (database: string, ...rows: readonly ErrorRow[]): Outcomes => ({
  database,
  rows,
  keysOf: (text) => rows.map(({ code }) => code).filter((code) => text.toLowerCase().includes(code)),
});
