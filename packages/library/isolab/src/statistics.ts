import {
  type Contention,
  type HistoryStatistics as Counted,
  computeStatistics,
  contentionOf,
  memoryOf,
  nameTransaction,
} from '@isolab/history';
import { type Subject, asOpened } from './open.ts';

/** Output of `isolab stats --output json`. */
export type Statistics =
  | {
      readonly format: string;
      readonly polygraph: { readonly nodes: number; readonly edges: number; readonly constraints: number };
    }
  | {
      readonly format: string;
      readonly database: string | null;
      readonly history: Omit<Counted, 'initialTransaction' | 'timeSpan'> & {
        /** Name of a transaction that looks like the file's initial transaction. */
        readonly initialTransaction: string | null;
        /** Time from the first begin to the last end; a string if it exceeds JavaScript's safe integers. */
        readonly timeSpan: number | string | null;
        readonly contention: Contention;
        readonly timeUnit: string | null;
        readonly notes: Readonly<Record<string, number>>;
        readonly bytes: ReturnType<typeof memoryOf>;
      };
    };

/** Counts the content of a history, and the part of it that is conclusive. */
export function statistics(subject: Subject): Statistics {
  const opened = asOpened(subject);
  const { format } = opened;
  if (opened.kind === 'polygraph') {
    const { nodes, edges, constraints } = opened.polygraph;
    return { format, polygraph: { nodes, edges: edges.length / 2, constraints: constraints.length / 4 } };
  }
  const { history } = opened;
  const { database, timeUnit, notes } = history.source;
  const counted = computeStatistics(history);
  const { initialTransaction: t, timeSpan: span } = counted;
  const counts = {
    ...counted,
    initialTransaction: t === null ? null : nameTransaction(history, t),
    timeSpan: span === null ? null : span <= Number.MAX_SAFE_INTEGER ? Number(span) : String(span),
  };
  const contention = contentionOf(history);
  return { format, database, history: { ...counts, contention, timeUnit, notes, bytes: memoryOf(history) } };
}
