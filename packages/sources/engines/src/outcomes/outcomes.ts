/**
 * Meaning of a database error. Before COMMIT, the transaction has had no effect, and the row only decides the next
 * step. At COMMIT, the outcome is unknown unless the vendor documents an abort.
 */
export interface ErrorRow {
  /** Error code of the database, or the prefix of a class of codes. */
  readonly code: string;
  /** aborted: continue; lost: connect again; failed: the setup is wrong and the collection ends. */
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

/** Phase of a transaction in which a statement failed. */
export type Phase = 'statement' | 'commit';

export interface Outcomes {
  readonly database: string;
  readonly rows: readonly ErrorRow[];
  /** Returns the codes of the rows to examine, best match first. */
  readonly keysOf: (code: string) => readonly string[];
}

/** Decides the next step: continue after an abort, connect again, or give up. A code without a row is a setup error. */
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

/** Returns the outcomes of a database without codes. The code of a row is a part of the error message. */
export const byText = (database: string, ...rows: readonly ErrorRow[]): Outcomes => ({
  database,
  rows,
  keysOf: (text) => rows.map(({ code }) => code).filter((code) => text.toLowerCase().includes(code)),
});
