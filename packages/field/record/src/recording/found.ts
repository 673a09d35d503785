/** Rows of a SELECT, as its answers show them. */
import type { Redaction } from '../recorded/redaction.ts';
import { type FoundRow, foundRow } from '../recorded/rows-of-result.ts';
import type { Source } from '../sql/planned.ts';
import type { Transaction } from './transaction.ts';

/** Hidden columns of the rows of an answer. */
export type Rows = readonly (readonly (string | null)[])[];

/** Part of a result that the client fetched: all rows together, the first rows, or later ones. */
export type Fetched = 'all' | 'first' | 'more';

interface Reading {
  readonly transaction: Transaction;
  readonly fetched: Fetched;
  readonly redaction: Redaction;
}

/**
 * Returns each row once. A key that occurs twice, in an old snapshot and in an INSERT of the transaction itself, is two
 * rows to PostgreSQL but one name in the history: neither row is recorded.
 */
export function foundIn(
  rows: Rows,
  sources: readonly Source[],
  { transaction, fetched, redaction }: Reading,
): { readonly found: readonly FoundRow[]; readonly isClear: boolean } {
  const found = new Map<string, FoundRow | null>();
  let isReadable = true;
  for (const hidden of rows)
    for (const source of sources) {
      const row = foundRow(source, hidden, redaction);
      if (row === 'unreadable') isReadable = false;
      if (!row || row === 'unreadable' || (fetched === 'more' && transaction.hasReplaced(row.place, row.version)))
        continue;
      const before = found.get(row.place);
      found.set(row.place, before === undefined || before?.version === row.version ? row : null);
    }
  const clear = [...found.values()].filter((row) => row !== null);
  return { found: clear, isClear: isReadable && clear.length === found.size };
}
