import { Aborted, CollectorError, ConnectionLost } from '../errors.ts';

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

/** The error that a driver throws; a code that no row names is a failure of the set-up, and at COMMIT unknown. */
export function meaningOf({ database, rows, keysOf }: Outcomes, code: string, phase: Phase, error: Error): Error {
  const keys = keysOf(code);
  const found = keys.map((key) => rows.find((one) => one.code === key)).find((one) => one !== undefined);
  const said = `${database} says ${code}: ${error.message}`;
  if (found !== undefined) {
    if ((phase === 'commit' ? found.atCommit : found.inStatement) === 'aborted')
      return new Aborted(said, { cause: error });
    // It goes on where nothing is wrong but that the answer did not come.
    if (found.inStatement !== 'failed') return new ConnectionLost(said, { cause: error });
  }
  return new CollectorError(said, { cause: error });
}
