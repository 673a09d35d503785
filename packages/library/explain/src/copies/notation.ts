import {
  Exchange,
  type History,
  OPEN_BOUND,
  OpKind,
  TxnStatus,
  UNKNOWN_LIST,
  listElements,
  mergesVersions,
  nameAtom,
  printTimes,
} from '@isolab/history';
import { RowNotation } from '../rows/row-notation.ts';
import type { RowView } from '../rows/row-view.ts';

/** Transactions as notation; null where versions of a row differ only in hidden columns. */
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
    .map((session) => session.map((t) => printTransaction(history, t, view, rows)).join(' | '));
  const initial = rows?.initialRows() ?? [];
  return [
    ...(initial.length === 0 ? [] : [['initial', plainInitial(history, view!), ...initial].join(' ')]),
    ...lines,
  ].join('\n');
}

/** Initial value of most keys that are no rows. */
function plainInitial(history: History, view: RowView): string {
  const key = history.keyInitial.findIndex((_, one) => view.rowOfKey(one) < 0);
  return key >= 0 && nameAtom(history.values, history.keyInitial[key]) === '0' ? '0' : 'nil';
}

function printTransaction(history: History, t: number, view: RowView | null, rows: RowNotation | null): string {
  const { txnStart, txnStatus } = history;
  const mark = txnStatus[t] === TxnStatus.Aborted ? '!' : txnStatus[t] === TxnStatus.Unknown ? '?' : '';
  const ops: string[] = [];
  for (let op = txnStart[t]; op < txnStart[t + 1]; op++) {
    if (rows === null || view!.kindOf(op) === null) {
      ops.push(printOperation(history, op));
      continue;
    }
    if (view!.headOf(op) !== op) continue;
    const own = [op];
    while (op + own.length < txnStart[t + 1] && view!.headOf(op + own.length) === op) own.push(op + own.length);
    ops.push(rows.print(own));
  }
  return `${mark}${ops.join(' ')}${printTimes(history, t)}`;
}

function printOperation(history: History, op: number): string {
  const { opKind, opKey, opValue, exchanges, lists, keys, values } = history;
  const kind = opKind[op];
  const value = (id: number): string => nameAtom(values, id);
  const x = opValue[op];
  if (kind === OpKind.RangeRead) return printRange(history, x);
  const key = nameAtom(keys, opKey[op]);
  if (kind === OpKind.Read) return `r(${key},${value(x)})`;
  if (kind === OpKind.Write) return `w(${key},${value(x)})`;
  if (kind === OpKind.Append) return `a(${key},${value(x)})`;
  if (kind === OpKind.ListRead)
    return `r(${key},[${x === UNKNOWN_LIST ? '?' : Array.from(listElements(lists, x), value).join(' ')}])`;
  const name = kind === OpKind.CompareAndSet ? 'cas' : kind === OpKind.Insert ? 'ins' : 'del';
  const flag = kind === OpKind.CompareAndSet ? Exchange.Failed : Exchange.FoundTombstone;
  return `${name}${exchanges.flags[x] & flag ? '!' : ''}(${key},${value(exchanges.observed[x])},${value(exchanges.written[x])})`;
}

function printRange({ ranges, keys, values }: History, range: number): string {
  const bound = (key: number): string => (key === OPEN_BOUND ? '*' : nameAtom(keys, key));
  const rows: string[] = [];
  for (let row = ranges.rowStart[range]; row < ranges.rowStart[range + 1]; row++)
    rows.push(
      `${nameAtom(keys, ranges.rowKey[row])}=${nameAtom(values, ranges.rowValue[row])}${ranges.rowDead[row] ? '!' : ''}`,
    );
  return `range(${[bound(ranges.low[range]), bound(ranges.high[range]), ...(rows.length > 0 ? [rows.join(' ')] : [])].join(',')})`;
}
