import { findFormat } from '@isolab/formats';
import {
  type History,
  type PolygraphInput,
  type Statistics,
  computeStatistics,
  memoryOf,
  nameTransaction,
  visibleLine,
} from '@isolab/history';
import type { Opened } from 'isolab';
import { eachPath } from '../each-path.ts';
import { ExitCode, UsageError } from '../exit.ts';
import { type InputFlags, openPath } from '../open.ts';
import { type Printer, count, percent, table, toJson } from '../print.ts';
import { type CommandModule, READING } from '../options.ts';

export interface StatsFlags extends InputFlags {
  readonly output: string;
  readonly verbose?: boolean;
}

export const command: CommandModule = {
  usage: 'stats <path...>',
  summary: 'count what is in a history, and how much of it is conclusive',
  options: [...READING],
  run: stats,
};

/** `isolab stats`: what is in each history, and how much of it is conclusive. */
export async function stats(paths: readonly string[], flags: StatsFlags, printer: Printer): Promise<number> {
  if (flags.output !== 'text' && flags.output !== 'json')
    throw new UsageError(`--output is text or json, not ${flags.output}.`);
  return eachPath(paths, flags, printer, async (path) => {
    const document = await openPath(path, flags);
    printer.out(flags.output === 'json' ? toJson({ path, ...asJson(document) }) : asText(path, document, printer));
    return ExitCode.Satisfied;
  });
}

function asJson(document: Opened): object {
  if (document.kind === 'polygraph')
    return { format: document.format, polygraph: polygraphNumbers(document.polygraph) };
  const { history } = document;
  const statistics = computeStatistics(history);
  const { initialTransaction } = statistics;
  return {
    format: document.format,
    database: history.source.database,
    history: {
      ...statistics,
      initialTransaction: initialTransaction === null ? null : nameTransaction(history, initialTransaction),
      timeUnit: history.source.timeUnit,
      notes: history.source.notes,
      bytes: memoryOf(history),
    },
  };
}

const polygraphNumbers = ({ nodes, edges, constraints }: PolygraphInput): object => ({
  nodes,
  edges: edges.length / 2,
  constraints: constraints.length / 4,
});

function asText(path: string, document: Opened, { style }: Printer): string {
  const title = `${style.bold(visibleLine(path))}  ${style.dim(findFormat(document.format)?.title ?? '')}`;
  if (document.kind === 'polygraph') return `${title}\n${table(Object.entries(polygraphNumbers(document.polygraph)))}`;
  const { history } = document;
  const statistics = computeStatistics(history);
  const rows: (readonly (string | number)[])[] = [
    ['sessions', statistics.sessions],
    ['transactions', statistics.transactions, outcomes(statistics)],
    ['operations', statistics.operations, kinds(statistics)],
    [
      'keys',
      statistics.keys,
      `${statistics.coverage.contendedKeys} with several writers, ${statistics.coverage.sharedKeys} shared`,
    ],
    ['reads seen', statistics.reads.external, reads(statistics)],
    ['longest', statistics.longestTransaction, 'operations in one committed transaction'],
  ];
  if (statistics.timeSpan !== null)
    rows.push(['timed', statistics.timed, `transactions over ${timeSpan(history, statistics.timeSpan)}`]);
  return [title, table(rows), '', ...conclusions(history, statistics).map((line) => `  ${line}`)].join('\n');
}

const outcomes = ({ committed, aborted, unknown, unknownObserved }: Statistics): string =>
  [
    `${committed} committed`,
    ...(aborted > 0 ? [`${aborted} aborted`] : []),
    ...(unknown > 0 ? [`${unknown} of unknown outcome, of which ${unknownObserved} happened`] : []),
  ].join(', ');

const kinds = ({ operationKinds }: Statistics): string =>
  Object.entries(operationKinds)
    .map(([kind, n]) => `${n} ${kind}`)
    .join(', ');

const reads = ({ reads: { initial, own, thinAir, ambiguous, unknown } }: Statistics): string =>
  [
    'from other transactions',
    `${initial} of the initial state`,
    ...(own > 0 ? [`${own} of own writes`] : []),
    ...(thinAir > 0 ? [`${thinAir} out of thin air`] : []),
    ...(ambiguous > 0 ? [`${ambiguous} with several possible writers`] : []),
    ...(unknown > 0 ? [`${unknown} of unknown result`] : []),
  ].join(', ');

function timeSpan({ source }: History, span: bigint): string {
  if (source.timeUnit !== 'nanoseconds') return `${span} events`;
  return span < 10_000n
    ? `${span} ns`
    : span < 10_000_000n
      ? `${span / 1000n} µs`
      : `${(Number(span) / 1e9).toFixed(3)} s`;
}

/** What follows from the numbers, in sentences. */
function conclusions(history: History, statistics: Statistics): string[] {
  const { coverage, shapes, repeatedWrites, reads: seen, internalAnomalies, initialTransaction } = statistics;
  const lines = [`${percent(coverage.resolvedReads)} of the reads have a known writer.`];
  if (coverage.sharedKeys === 0) {
    lines.push('No key is written by one transaction and used by another: every level holds trivially.');
  } else if (coverage.isolatedTransactions > 0) {
    lines.push(`${count(coverage.isolatedTransactions, 'transaction')} share no key with any other and tell nothing.`);
  }
  if (repeatedWrites > 0) {
    lines.push(
      seen.ambiguous > 0
        ? `Values repeat: ${count(repeatedWrites, 'write')} of a value that its key had before; a checker that needs unique values refuses this history.`
        : `${count(repeatedWrites, 'write')} repeat a value of their key, but no read depends on it.`,
    );
  }
  const anomalies = Object.entries(internalAnomalies).filter(([, n]) => n > 0);
  if (anomalies.length > 0)
    lines.push(`Internal anomalies: ${anomalies.map(([name, n]) => `${n} ${name}`).join(', ')}.`);
  const fitting = Object.entries(shapes).flatMap(([shape, holds]) => (holds ? [shape] : []));
  lines.push(`Shapes: ${fitting.join(', ')}.`);
  if (initialTransaction !== null) {
    lines.push(
      `${capitalised(nameTransaction(history, initialTransaction))} looks like the file’s initial transaction; if it is, --initial-transaction first puts it before all others.`,
    );
  }
  for (const [note, n] of Object.entries(history.source.notes)) lines.push(`${visibleLine(wordsOf(note))}: ${n}.`);
  return lines;
}

const capitalised = (text: string): string => text[0]!.toUpperCase() + text.slice(1);

/** `failedStatements` as `Failed statements`. */
const wordsOf = (name: string): string =>
  capitalised(name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`));
