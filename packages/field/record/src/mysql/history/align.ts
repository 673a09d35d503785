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
    const until = left.get(session)?.from;
    all.push(...alignedSession(transactions.slice(0, until), own, until === undefined));
  }
  return all;
}

/** A transaction, and whether it wrote rows for certain or by chance. */
interface Candidate {
  readonly transaction: Transaction;
  readonly mustWrite: boolean;
  readonly mayWrite: boolean;
}

function alignedSession(transactions: readonly Transaction[], entries: readonly Writer[], isWhole: boolean): Aligned[] {
  const candidates = transactions.map((transaction): Candidate => {
    const { outcome, steps } = transaction;
    const mustWrite = steps.some(({ changed }) => (changed ?? 0) > 0);
    const mayWrite = mustWrite || steps.some(({ changed }) => changed === null);
    return { transaction, mustWrite, mayWrite: mayWrite && outcome !== 'aborted' };
  });
  const found: Aligned[] = [];
  let next = 0;
  let left = candidates.filter(({ mayWrite }) => mayWrite).length;
  for (const [i, { transaction, mustWrite, mayWrite }] of candidates.entries()) {
    const { outcome } = transaction;
    const entry = entries[next];
    const match = mayWrite && entry ? matched(transaction.steps, entry) : null;
    // If there are as many entries as transactions that may have written, each transaction has one.
    const isCertain = mustWrite || (isWhole && left === entries.length - next);
    if (match && !isCertain && isOfLater(candidates, i, entry!)) break;
    left -= Number(mayWrite);
    if (match) {
      next++;
      found.push({ transaction, outcome: 'committed', writer: entry!, steps: match });
    } else if (outcome === 'committed' && mustWrite) break; // the entries do not fit any more
    else found.push({ transaction, outcome: outcome === 'committed' ? outcome : 'aborted', writer: null, steps: null });
  }
  return found;
}

/**
 * Returns whether an entry may be that of a later transaction: a REPLACE that finds its row as it is counts the row, and
 * leaves no entry. No transaction after one that has an entry for certain owns this entry.
 */
function isOfLater(candidates: readonly Candidate[], at: number, entry: Writer): boolean {
  for (let i = at + 1; i < candidates.length; i++) {
    const { transaction, mustWrite, mayWrite } = candidates[i]!;
    if (mayWrite && matched(transaction.steps, entry)) return true;
    if (mustWrite && transaction.outcome === 'committed') return false;
  }
  return false;
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

/** Forms in which the log has one literal for one value: whole numbers, and texts of letters and digits. */
const PLAIN = [/^-?\d+$/, /^'\w*'$/];

const literalOf = (value: unknown): string => (typeof value === 'string' ? `'${value}'` : String(value));

/** Returns whether the log may have this text for a statement: a prepared statement is logged with its values. */
function isTextOf(logged: string, { statement, isPrepared, parameters }: Step): boolean {
  if (!isPrepared) return logged.includes(statement.text);
  const parts = statement.text.split('?');
  const values = parameters?.length === parts.length - 1 ? parameters : [];
  let end = 0;
  return parts.every((part, i) => {
    const at = logged.indexOf(part, end);
    const [literal, value] = [logged.slice(end, at).trim(), literalOf(values[i - 1])];
    end = at + part.length;
    const isPlain = PLAIN.some((form) => form.test(literal) && form.test(value));
    return at >= 0 && !(i > 0 && part !== '' && isPlain && literal !== value);
  });
}
