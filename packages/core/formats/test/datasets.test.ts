import { readdirSync } from 'node:fs';
import { type History, type HistoryStatistics, computeStatistics, findInvalid } from '@isolab/history';
import { realHistories, realHistory, unless } from '@isolab/needs';
import { describe, expect, test } from 'vitest';
import { type Document, FormatError, readDocumentAt } from '../src/index.ts';
import { sameExecution } from './support/same-execution.ts';

/** Counts that the manifest states of one history; null where its author did not count. */
interface Entry {
  readonly id: string;
  readonly format: string;
  readonly location: string;
  readonly bytes: number;
  readonly sessions: number | null;
  readonly txns: number | null;
  readonly committed: number | null;
  readonly aborted: number | null;
  readonly ops: number;
  readonly keys: number | null;
  readonly read_pct: number | null;
  readonly max_txn_ops: number | null;
  readonly failed_ops: number | null;
  readonly unique_values: boolean | null;
  readonly mini_transactions: boolean | null;
  readonly list_append: boolean | null;
  readonly structural: Readonly<Record<string, number>>;
  readonly same_execution_as: string | null;
  readonly aborted_seen_in_debug_files?: number | null;
  readonly polygraph?: { readonly nodes: number; readonly edges: number; readonly constraints: number };
}

const entries = realHistories<Entry>();

/** Formats whose seen reads the manifest counts. */
const READS_COUNTED = new Set([
  'dbcop-bincode',
  'dbcop-yaml',
  'dbcop-json',
  'dbcop-hist',
  'cobra-log',
  'viper-json',
  'text',
  'awdit-test',
]);

const read = (entry: Entry): Promise<Document> =>
  readDocumentAt(realHistory(entry.location), { initialTransaction: 'ordinary' });

async function readHistory(entry: Entry): Promise<History> {
  const document = await read(entry);
  if (document.kind !== 'history') throw new Error(`${entry.id} is a ${document.kind}`);
  return document.history;
}

describe('the real histories where ISOLAB_DATASETS points', unless('datasets'), () => {
  const filled = entries.filter(({ bytes }) => bytes > 0).map((entry) => [entry.id, entry] as const);

  test.each(filled)('%s is recognised and counts as its manifest says', async (_, entry) => {
    const document = await read(entry);
    expect(document.format.name).toBe(entry.format);
    if (document.kind === 'polygraph') {
      const { nodes, edges, constraints } = document.polygraph;
      expect({ nodes, edges: edges.length / 2, constraints: constraints.length / 4 }).toEqual(entry.polygraph);
      expect({ txns: nodes, ops: edges.length / 2 }).toEqual({ txns: entry.txns, ops: entry.ops });
      return;
    }
    expect(findInvalid(document.history)).toBeNull();
    const statistics = computeStatistics(document.history);
    expect(counts(document.history, statistics, entry)).toEqual(expectedCounts(entry));
    if (READS_COUNTED.has(entry.format)) expect(readsSeen(statistics, entry)).toEqual(expectedReads(entry, statistics));
  });

  test('an empty file is refused by its name', async () => {
    const empty = entries.filter(({ bytes }) => bytes === 0);
    expect(empty).not.toEqual([]);
    for (const entry of empty) await expect(read(entry)).rejects.toThrow(FormatError);
  });

  const executions = [...groupBy(entries.filter(isOneOfSeveral), (entry) => entry.same_execution_as!)];
  test.each(executions)('all files of %s hold the same execution', async (_, [first, ...others]) => {
    const history = await readHistory(first!);
    for (const other of others) {
      expect(sameExecution(history, await readHistory(other), { foldInitial: true, leaveOutAborted: true })).toBeNull();
    }
  });
});

const isOneOfSeveral = ({ same_execution_as }: Entry): boolean => same_execution_as !== null;

/** Our counts under the manifest's names. It counts operations, reads and lengths of committed transactions only. */
function counts(history: History, statistics: HistoryStatistics, entry: Entry): object {
  const { notes } = history.source;
  if (!isTransactional(entry))
    return { ops: entry.format.startsWith('jepsen') ? notes['events'] : statistics.operations };
  return {
    sessions: statistics.sessions,
    txns: statistics.transactions,
    committed: statistics.committed,
    aborted: statistics.aborted,
    ops: statistics.committedOperations,
    keys: statistics.keys,
    read_pct: Math.round(1000 * statistics.readShare) / 10,
    max_txn_ops: statistics.longestTransaction,
    failed_ops: notes['failedStatements'] ?? 0,
    unique_values: statistics.repeatedWrites === 0,
    mini_transactions: statistics.shapes['mini-transactions'],
    list_append: statistics.shapes['list-append'],
    ...(hasDebugFiles(entry) && { aborted_seen_in_debug_files: notes['abortedSeenInDebugFiles'] ?? 0 }),
  };
}

function expectedCounts(entry: Entry): object {
  if (!isTransactional(entry)) return { ops: entry.ops };
  const { sessions, txns, committed, aborted, ops, keys, read_pct, max_txn_ops, failed_ops } = entry;
  const { unique_values, mini_transactions, list_append, aborted_seen_in_debug_files } = entry;
  return {
    sessions,
    txns,
    committed,
    aborted,
    ops,
    keys,
    read_pct,
    max_txn_ops,
    failed_ops,
    unique_values,
    mini_transactions,
    list_append,
    ...(hasDebugFiles(entry) && { aborted_seen_in_debug_files }),
  };
}

/** The manifest counted in all debug files of the source; the folder has them for some histories only. */
const hasDebugFiles = ({ format, location }: Entry): boolean =>
  format === 'cobra-log' && readdirSync(realHistory(location)).some((file) => file.endsWith('.debug'));

/** The manifest counts only events or calls of the other models (bank, counter, single registers …). */
const isTransactional = ({ txns }: Entry): boolean => txns !== null;

const readsSeen = ({ reads, repeatedWrites, internalAnomalies }: HistoryStatistics, { structural }: Entry): object => ({
  thin_air: reads.thinAir,
  dup_writes: repeatedWrites,
  nonrepeatable: internalAnomalies['non-repeatable-read'],
  // A read behind an own write, whether it saw that write or should have.
  internal_reads: reads.own + internalAnomalies['not-my-own-write'],
  int_violations: internalAnomalies['not-my-own-write'] + internalAnomalies['not-my-last-write'],
  ...('init_reads' in structural && { init_reads: reads.initial }),
});

function expectedReads({ structural }: Entry, { initialTransaction, reads }: HistoryStatistics): object {
  const zero = { thin_air: 0, dup_writes: 0, nonrepeatable: 0, internal_reads: 0, int_violations: 0 };
  const { nil_reads: _, ...expected } = structural; // nil reads are among the initial ones
  // The manifest counts a read of 0 as initial even where an explicit initial transaction wrote that 0.
  if (initialTransaction !== null && 'init_reads' in expected)
    return { ...zero, ...expected, init_reads: reads.initial };
  return { ...zero, ...expected };
}

function groupBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
}
