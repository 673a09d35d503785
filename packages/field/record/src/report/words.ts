import { grouped, plural } from '@isolab/story/markup';
import type { Danger, DangerName } from '../judgement/dangers.ts';
import type { JudgedRecording, Promised, Trouble } from '../judgement/judge.ts';
import type { Refused } from '../recording/refusals.ts';

/** Sentences about a recording, for the terminal and for the page. */

export const countText = ({ title, count }: Pick<Trouble, 'title' | 'count'>): string =>
  `${title}, ${plural(count, 'time')}`;

export function promiseText({ transactions, verdict, reason, anomalies }: Promised, database: string): string {
  const many = plural(transactions, 'transaction');
  if (verdict === 'satisfied') return `${database} kept its promise to ${many}.`;
  if (verdict === 'unknown') return `Undecided for ${many}${reason ? ` (${reason})` : ''}.`;
  return `${database} broke its promise: ${anomalies.join('; ')}`;
}

/** The evidence behind the number of anomalies. */
export function overlapText({ overlaps: { transactions, pairs, meeting } }: JudgedRecording): string {
  if (pairs === 0) return 'No two transactions overlapped, so none could meet an anomaly. Run the tests concurrently.';
  return `Of ${plural(transactions, 'transaction')}, ${plural(pairs, 'pair')} overlapped; ${grouped(meeting)} of them touched a common row and wrote it.`;
}

export function headingOf(transactions: number, judged: JudgedRecording, dangers: readonly Danger[]): string {
  const { verdict, troubles, isComplete } = judged;
  if (transactions === 0) return 'Nothing was recorded';
  if (verdict === 'violated') return 'The database broke its promise';
  if (troubles.length > 0)
    return `The application met ${plural(troubles.length, 'kind')} of ${troubles.length === 1 ? 'anomaly' : 'anomalies'}`;
  if (!isComplete) return 'Not everything could be decided';
  return `The application met no anomaly${dangers.length > 0 ? `, but could meet ${grouped(dangers.length)}` : ''}`;
}

export const refusedText = ({ code, count, statements }: Refused): string =>
  `${plural(count, 'transaction')} ended with error ${code} and ${count === 1 ? 'was' : 'were'} not retried: ${statements.join('; ')}`;

export const DANGER_TITLES: Readonly<Record<DangerName, string>> = {
  'lost-update': 'Lost update',
  'write-skew': 'Write skew',
  'read-skew': 'Read skew',
  'non-repeatable-read': 'Non-repeatable read',
  'read-only-anomaly': 'Read-only anomaly',
  'longer-cycle': 'Cycle of three transactions',
};

/** The names of a danger's transactions in its sentence. */
export const partyNames = ({ parties }: Danger): string[] =>
  parties.map(({ program }, i) =>
    parties.findIndex((other) => other.program === program) < i ? `another ${program.name}` : program.name,
  );

/** Describes the course of the anomaly, in the order of the parties. */
export function dangerText(danger: Danger): string {
  const [a, b, c] = partyNames(danger);
  switch (danger.name) {
    case 'lost-update':
      return `If ${b} writes the row between the two statements of ${a}, then ${a} overwrites it without having seen it.`;
    case 'non-repeatable-read':
      return `If ${b} commits between the two reads of ${a}, they return different values.`;
    case 'read-skew':
      return `If ${b} commits between the two statements of ${a}, then ${a} sees one row before that commit and another row after it.`;
    case 'write-skew':
      return `Each reads rows that the other writes. If both read first, neither sees the other, and both act on outdated rows.`;
    case 'read-only-anomaly':
    case 'longer-cycle':
      return `${a} can see the write of ${c} and miss the write of ${b}, although ${b} did not see ${c}: no order of the three explains that.`;
  }
}
