import { findFormat } from 'isolab/formats';
import { visibleLine } from 'isolab/skin';
import { statistics, type Statistics } from 'isolab';
import { eachPath } from '../verdicts/each-path.ts';
import { ExitCode } from '../terminal/exit.ts';
import { openPath } from '../verdicts/open.ts';
import { type Printer, count, percent, table, toJson } from '../terminal/print.ts';
import { type CommandFlags, type CommandModule, READING } from '../terminal/options.ts';
import { meetingOf } from './contention-text.ts';

type Counts = Extract<Statistics, { readonly database: unknown }>['history'];

export type StatsFlags = CommandFlags<typeof READING>;

export const command: CommandModule = {
  examples: ['isolab stats history.jsonl', 'isolab stats logs/ --format cobra-log --output json'],
  options: READING,
  run: stats,
};

/** `isolab stats`: the contents of each history, and how much of it is conclusive. */
export async function stats(paths: readonly string[], flags: StatsFlags, printer: Printer): Promise<number> {
  return eachPath(paths, flags, printer, async (path) => {
    const document = await openPath(path, flags);
    const counted = statistics(document);
    printer.out(flags.output === 'json' ? toJson({ path, ...counted }) : asText(path, counted, printer));
    return ExitCode.Satisfied;
  });
}

function asText(path: string, counted: Statistics, { style }: Printer): string {
  const title = `${style.bold(visibleLine(path))}  ${style.dim(findFormat(counted.format)?.title ?? '')}`;
  if ('polygraph' in counted) return `${title}\n${table(Object.entries(counted.polygraph))}`;
  const { history } = counted;
  const rows: (readonly (string | number)[])[] = [
    ['sessions', history.sessions],
    ['transactions', history.transactions, outcomes(history)],
    ['operations', history.operations, kinds(history)],
    [
      'keys',
      history.keys,
      `${history.coverage.contendedKeys} with several writers, ${history.coverage.sharedKeys} shared`,
    ],
    ...rowsOf(history.rows),
    ['reads seen', history.reads.external, reads(history)],
    ['longest', history.longestTransaction, 'operations in one committed transaction'],
  ];
  const { contention } = history;
  if (contention.met !== null) rows.push(['met', percent(contention.met), meetingOf(contention)]);
  if (history.timeSpan !== null) rows.push(['timed', history.timed, `transactions over ${timeSpan(history)}`]);
  return [title, table(rows), '', ...conclusions(history).map((line) => `  ${line}`)].join('\n');
}

const outcomes = ({ committed, aborted, unknown, unknownObserved }: Counts): string =>
  [
    `${committed} committed`,
    ...(aborted > 0 ? [`${aborted} aborted`] : []),
    ...(unknown > 0 ? [`${unknown} of unknown outcome, of which ${unknownObserved} happened`] : []),
  ].join(', ');

const kinds = ({ operationKinds }: Counts): string =>
  Object.entries(operationKinds)
    .map(([kind, n]) => `${n} ${kind}`)
    .join(', ');

/** Rows about accesses to tables. */
function rowsOf(rows: Counts['rows']): [string, number, string][] {
  if (rows === null) return [];
  const { tables, scans, aggregates, opaqueScans, predicates, returned, mostReturned } = rows;
  const all = Object.values(tables).reduce((sum, n) => sum + n, 0);
  const asked = Object.entries(aggregates).map(([kind, n]) => `${n} ${kind}`);
  const words = [
    `${scans} that returned rows, ${scans === 0 ? 0 : (returned / scans).toFixed(1)} on average and ${mostReturned} at most`,
    ...asked,
    `${predicates} different predicates`,
    ...(opaqueScans > 0 ? [`${opaqueScans} of predicates that are not modelled`] : []),
  ];
  return [
    [
      'rows',
      all,
      Object.entries(tables)
        .map(([name, n]) => `${n} of ${visibleLine(name)}`)
        .join(', '),
    ],
    ['scans', scans + Object.values(aggregates).reduce((sum, n) => sum + n, 0), words.join(', ')],
  ];
}

const reads = ({ reads: { initial, own, thinAir, ambiguous, unknown } }: Counts): string =>
  [
    'from other transactions',
    `${initial} of the initial state`,
    ...(own > 0 ? [`${own} of own writes`] : []),
    ...(thinAir > 0 ? [`${thinAir} out of thin air`] : []),
    ...(ambiguous > 0 ? [`${ambiguous} with several possible writers`] : []),
    ...(unknown > 0 ? [`${unknown} of unknown result`] : []),
  ].join(', ');

function timeSpan({ timeUnit, timeSpan: known }: Counts): string {
  const span = BigInt(known!);
  if (timeUnit !== 'nanoseconds') return `${span} events`;
  return span < 10_000n
    ? `${span} ns`
    : span < 10_000_000n
      ? `${span / 1000n} µs`
      : `${(Number(span) / 1e9).toFixed(3)} s`;
}

/** Conclusions from the numbers, in sentences. */
function conclusions(history: Counts): string[] {
  const { coverage, shapes, repeatedWrites, reads: seen, internalAnomalies, initialTransaction } = history;
  const lines = [`${percent(coverage.resolvedReads)} of the reads have a known writer.`];
  if (coverage.sharedKeys === 0) {
    lines.push('No key is written by one transaction and used by another: every level holds trivially.');
  } else if (coverage.isolatedTransactions > 0) {
    const isOne = coverage.isolatedTransactions === 1;
    const tell = isOne ? 'shares no key with any other and tells' : 'share no key with any other and tell';
    lines.push(`${count(coverage.isolatedTransactions, 'transaction')} ${tell} nothing about isolation.`);
  }
  if (repeatedWrites > 0) {
    lines.push(
      seen.ambiguous > 0
        ? `Values repeat: ${count(repeatedWrites, 'write')} of a value that its key had before; a checker that needs unique values refuses this history.`
        : `${count(repeatedWrites, 'write')} of a value that its key had before, but no read depends on it.`,
    );
  }
  const anomalies = Object.entries(internalAnomalies).filter(([, n]) => n > 0);
  if (anomalies.length > 0)
    lines.push(`Internal anomalies: ${anomalies.map(([name, n]) => `${n} ${name}`).join(', ')}.`);
  const fitting = Object.entries(shapes).flatMap(([shape, holds]) => (holds ? [shape] : []));
  lines.push(`Shapes: ${fitting.join(', ')}.`);
  if (initialTransaction !== null) {
    lines.push(
      `${capitalised(initialTransaction)} looks like the file’s initial transaction; if it is, --initial-transaction first puts it before all others.`,
    );
  }
  for (const [note, n] of Object.entries(history.notes)) lines.push(`${visibleLine(wordsOf(note))}: ${n}.`);
  return lines;
}

const capitalised = (text: string): string => text[0]!.toUpperCase() + text.slice(1);

/** `failedStatements` as `Failed statements`. */
const wordsOf = (name: string): string =>
  capitalised(name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`));
