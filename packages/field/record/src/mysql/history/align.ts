import type { Recording } from '../recording/recording.ts';
import type { Step, Transaction } from '../recording/transaction.ts';
import type { Writer } from './rows.ts';

/** A transaction with its entry in the log. */
export interface Aligned {
  readonly transaction: Transaction;
  readonly outcome: 'committed' | 'aborted' | 'unknown';
  readonly writer: Writer | null;
  /** For each logged statement, the step that made its changes; null if the steps are not certain. */
  readonly steps: readonly number[] | null;
}

/**
 * Finds the log entry of each transaction. The log names the session of each entry, and has the entries of a session in
 * order; a transaction has an entry if its statements changed rows. After a statement with unknown effects, nothing of
 * its session is certain.
 */
export function aligned({ sessions, left }: Recording, writers: readonly Writer[]): Aligned[] {
  const entries = new Map<number, Writer[]>();
  for (const writer of writers) {
    if (writer.statements.length === 0) continue; // a savepoint may leave an entry without statements
    const known = entries.get(writer.serverId);
    if (known) known.push(writer);
    else entries.set(writer.serverId, [writer]);
  }
  const all: Aligned[] = [];
  for (const [session, transactions] of sessions) {
    const own = entries.get(session.serverId) ?? [];
    const until = left.get(session)?.from ?? transactions.length;
    all.push(...alignedSession(transactions.slice(0, until), own));
  }
  return all;
}

function alignedSession(transactions: readonly Transaction[], entries: readonly Writer[]): Aligned[] {
  const found: Aligned[] = [];
  let next = 0;
  for (const transaction of transactions) {
    const { outcome, steps } = transaction;
    const mustWrite = steps.some(({ changed }) => (changed ?? 0) > 0);
    const mayWrite = mustWrite || steps.some(({ changed }) => changed === null);
    const entry = entries[next];
    const match = outcome !== 'aborted' && mayWrite && entry ? matched(steps, entry) : null;
    if (match) {
      next++;
      found.push({ transaction, outcome: 'committed', writer: entry!, steps: match });
    } else if (outcome === 'committed' && mustWrite) break; // the entries do not fit any more
    else found.push({ transaction, outcome: outcome === 'committed' ? outcome : 'aborted', writer: null, steps: null });
  }
  return found;
}

/** Finds the steps that made the changes of each logged statement; null if the entry is not the transaction's. */
function matched(steps: readonly Step[], { statements }: Writer): number[] | null {
  const places: number[] = [];
  let at = 0;
  for (const { text, rows } of statements) {
    let found = -1;
    for (let i = at; i < steps.length && found < 0; i++) {
      const { changed } = steps[i]!;
      // REPLACE and ON DUPLICATE KEY UPDATE count a replaced row twice.
      const isEnough = changed === null || (changed > 0 && rows * 2 >= changed);
      if (isEnough && (text === null ? changed !== null : isTextOf(text, steps[i]!))) found = i;
      else if ((changed ?? 0) > 0) return null;
    }
    if (found < 0) return null;
    places.push(found);
    at = found + 1;
  }
  return steps.some(({ changed }, i) => i >= at && (changed ?? 0) > 0) ? null : places;
}

/** Returns whether the log may have this text for a statement: a prepared statement is logged with its values. */
function isTextOf(logged: string, { statement, isPrepared }: Step): boolean {
  if (!isPrepared) return logged.includes(statement.text);
  let at = 0;
  return statement.text.split('?').every((part) => {
    at = logged.indexOf(part, at) + part.length;
    return at >= part.length;
  });
}
