import {
  type History,
  type TransactionId,
  TxnStatus,
  mergesVersions,
  nameAtom,
  printOperation,
  printTimes,
} from '@isolab/history';
import { RowNotation } from '../rows/row-notation.ts';
import type { RowView } from '../rows/row-view.ts';

/** Writes transactions in the notation. Returns null where versions of a row differ only in hidden columns. */
export const notationOf = (
  history: History,
  view: RowView | null,
  transactions?: readonly number[],
): { readonly notation?: string } =>
  mergesVersions(history) ? {} : { notation: printNotation(history, transactions, view) };

export function printNotation(history: History, transactions?: readonly number[], view: RowView | null = null): string {
  const rows = view && new RowNotation(view);
  const { sessionStart, txnSession } = history;
  const shown = transactions ?? Array.from(history.txnStatus.keys());
  const lines = Array.from({ length: sessionStart.length - 1 }, (_, s) => shown.filter((t) => txnSession[t] === s))
    .filter((session) => session.length > 0)
    .map((session) => session.map((t) => printTransaction(history, t as TransactionId, view, rows)).join(' | '));
  const plain = view === null ? '0' : plainInitial(history, view);
  const initial = rows?.initialRows(plain) ?? [];
  return [...(initial.length === 0 ? [] : [['initial', plain, ...initial].join(' ')]), ...lines].join('\n');
}

/**
 * The default initial value: 0 if the first key that is neither a row nor a counter has the initial value 0, or if there
 * are only counters; otherwise nil.
 */
function plainInitial(history: History, view: RowView): string {
  const registers = view.registersOfCounters();
  const isPlain = (one: number): boolean => view.rowOfKey(one) < 0 && !registers.has(nameAtom(history.keys, one));
  const key = history.keyInitial.findIndex((_, one) => isPlain(one));
  if (key < 0 && registers.size > 0) return '0';
  return key >= 0 && nameAtom(history.values, history.keyInitial[key]) === '0' ? '0' : 'nil';
}

function printTransaction(history: History, t: TransactionId, view: RowView | null, rows: RowNotation | null): string {
  const { txnStart, txnStatus } = history;
  const mark = txnStatus[t] === TxnStatus.Aborted ? '!' : txnStatus[t] === TxnStatus.Unknown ? '?' : '';
  const nameKey = (key: number): string => nameAtom(history.keys, key);
  const nameValue = (value: number): string => nameAtom(history.values, value);
  const ops: string[] = [];
  for (let op = txnStart[t]; op < txnStart[t + 1]; op++) {
    if (rows === null || view!.kindOf(op) === null) {
      ops.push(printOperation(history, op, nameKey, nameValue));
      continue;
    }
    if (view!.headOf(op) !== op) continue;
    const own = [op];
    while (op + own.length < txnStart[t + 1] && view!.headOf(op + own.length) === op) own.push(op + own.length);
    ops.push(rows.print(own));
  }
  return `${mark}${ops.join(' ')}${printTimes(history, t)}`;
}
