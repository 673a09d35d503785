/** Statistics as a table and sentences. */
import { type Contention, grouped, plural, visibleLine } from '@isolab/history';
import type { Statistics } from './statistics.ts';

type Counts = Extract<Statistics, { readonly database: unknown }>['history'];
type Row = readonly [name: string, value: string, details: string];

export const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

/** Returns rows of names, numbers and details. */
export function statisticsRows(counted: Statistics): readonly Row[] {
  if ('polygraph' in counted) return Object.entries(counted.polygraph).map(([name, n]) => [name, grouped(n), '']);
  const { history } = counted;
  const { contention, coverage } = history;
  return [
    ['sessions', grouped(history.sessions), ''],
    ['transactions', grouped(history.transactions), outcomes(history)],
    ['operations', grouped(history.operations), list(history.operationKinds)],
    [
      'keys',
      grouped(history.keys),
      `${grouped(coverage.contendedKeys)} with several writers, ${grouped(coverage.sharedKeys)} shared`,
    ],
    ...tableRows(history.rows),
    ['reads seen', grouped(history.reads.external), reads(history)],
    ['longest', grouped(history.longestTransaction), 'operations in one committed transaction'],
    ...(contention.met === null ? [] : [['contended', percent(contention.met), contentionText(contention)] as const]),
    ...(history.timeSpan === null
      ? []
      : [['timed', grouped(history.timed), `transactions over ${timeSpan(history)}`] as const]),
  ];
}

/** Returns the text after the share of contended transactions. */
export const contentionText = ({ freshReads, versionsPerKey }: Contention): string =>
  `of committed transactions overlapped a writer of a key that they used; ${plural(freshReads ?? 0, 'read')} saw its write; ${versionsPerKey.toFixed(1)} versions per key`;

const list = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .map(([name, n]) => `${grouped(n)} ${name}`)
    .join(', ');

/** Returns the numbers other than zero, each with its words. */
const some = (...counts: readonly (readonly [n: number, words: string])[]): string[] =>
  counts.flatMap(([n, words]) => (n > 0 ? [`${grouped(n)} ${words}`] : []));

const outcomes = ({ committed, aborted, unknown, unknownObserved }: Counts): string =>
  [
    `${grouped(committed)} committed`,
    ...some([aborted, 'aborted'], [unknown, `of unknown outcome (${grouped(unknownObserved)} observed)`]),
  ].join(', ');

const reads = ({ reads: { initial, own, thinAir, ambiguous, unknown } }: Counts): string =>
  [
    'from other transactions',
    `${grouped(initial)} of the initial state`,
    ...some(
      [own, 'of own writes'],
      [thinAir, 'out of thin air'],
      [ambiguous, 'with several possible writers'],
      [unknown, 'of unknown result'],
    ),
  ].join(', ');

/** Returns rows about accesses to tables. */
function tableRows(rows: Counts['rows']): Row[] {
  if (rows === null) return [];
  const { tables, scans, aggregates, opaqueScans, predicates, returned, mostReturned } = rows;
  const sum = (counts: Readonly<Record<string, number>>): number =>
    Object.values(counts).reduce((all, n) => all + n, 0);
  const details = [
    `${grouped(scans)} that returned rows, ${scans === 0 ? 0 : (returned / scans).toFixed(1)} on average and ${grouped(mostReturned)} at most`,
    ...(sum(aggregates) > 0 ? [list(aggregates)] : []),
    `${grouped(predicates)} different predicates`,
    ...some([opaqueScans, 'of predicates that are not modelled']),
  ];
  const each = Object.entries(tables).map(([name, n]) => `${grouped(n)} of ${visibleLine(name)}`);
  return [
    ['rows', grouped(sum(tables)), each.join(', ')],
    ['scans', grouped(scans + sum(aggregates)), details.join(', ')],
  ];
}

function timeSpan({ timeUnit, timeSpan: known }: Counts): string {
  const span = BigInt(known!);
  if (timeUnit !== 'nanoseconds') return `${span} events`;
  if (span < 10_000n) return `${span} ns`;
  return span < 10_000_000n ? `${span / 1000n} µs` : `${(Number(span) / 1e9).toFixed(3)} s`;
}

/** Returns conclusions from the numbers, in sentences. */
export function statisticsSentences(counted: Statistics): string[] {
  if ('polygraph' in counted) return [];
  const {
    coverage,
    shapes,
    repeatedWrites,
    reads: seen,
    internalAnomalies,
    initialTransaction,
    notes,
  } = counted.history;
  const lines = [`${percent(coverage.resolvedReads)} of the reads have a known writer.`];
  const alone = coverage.isolatedTransactions;
  if (coverage.sharedKeys === 0)
    lines.push('No key is written by one transaction and used by another: every level holds trivially.');
  else if (alone > 0)
    lines.push(`${plural(alone, 'transaction')} ${alone === 1 ? 'shares' : 'share'} no key with another transaction.`);
  if (repeatedWrites > 0)
    lines.push(
      `${plural(repeatedWrites, 'write')} ${repeatedWrites === 1 ? 'repeats' : 'repeat'} a value of the same key${seen.ambiguous > 0 ? '; a checker that needs unique values refuses this history' : ', but no read depends on it'}.`,
    );
  const anomalies = some(...Object.entries(internalAnomalies).map(([name, n]) => [n, name] as const));
  if (anomalies.length > 0) lines.push(`Internal anomalies: ${anomalies.join(', ')}.`);
  const fitting = Object.entries(shapes).flatMap(([shape, holds]) => (holds ? [shape] : []));
  lines.push(`Shapes: ${fitting.join(', ')}.`);
  if (initialTransaction !== null)
    lines.push(
      `${capitalised(initialTransaction)} looks like the file’s initial transaction; if it is, --initial-transaction first puts it before all others.`,
    );
  for (const [note, n] of Object.entries(notes)) lines.push(`${visibleLine(wordsOf(note))}: ${grouped(n)}.`);
  return lines;
}

const capitalised = (text: string): string => text[0]!.toUpperCase() + text.slice(1);

/** Formats `failedStatements` as `Failed statements`. */
const wordsOf = (name: string): string =>
  capitalised(name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`));
