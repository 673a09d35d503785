import { nameAtom, showAtom } from './atoms.ts';
import { visibleLine } from './foreign-text.ts';
import { type History, transactionOf } from './history.ts';
import { listElements } from './lists.ts';
import { Exchange, OpKind, OPEN_BOUND, STATUS_NAMES, UNKNOWN_LIST } from './operation.ts';

/** An operation as messages show it: `r(x, 1)`, `w(x, 2)`, `append(x, 3)`, `cas(x, 1 → 2)`. */
export function showOperation(history: History, op: number): string {
  const { opKind, opKey, opValue, exchanges } = history;
  const kind = opKind[op];
  if (kind === OpKind.RangeRead) return showRange(history, opValue[op]);
  const key = nameAtom(history.keys, opKey[op]);
  const value = (id: number): string => showAtom(history.values, id);
  switch (kind) {
    case OpKind.Read:
      return `r(${key}, ${value(opValue[op])})`;
    case OpKind.Write:
      return `w(${key}, ${value(opValue[op])})`;
    case OpKind.Append:
      return `append(${key}, ${value(opValue[op])})`;
    case OpKind.ListRead:
      return `r(${key}, ${showList(history, opValue[op])})`;
  }
  const exchange = opValue[op];
  const change = `${value(exchanges.observed[exchange])} → ${value(exchanges.written[exchange])}`;
  if (kind === OpKind.Insert) return `insert(${key}, ${change})`;
  if (kind === OpKind.Delete) return `delete(${key}, ${change})`;
  return exchanges.flags[exchange] & Exchange.Failed ? `cas(${key}, ${change}) failed` : `cas(${key}, ${change})`;
}

/** Long lists keep their first and last elements. */
function showList(history: History, node: number): string {
  if (node === UNKNOWN_LIST) return '?';
  const elements = Array.from(listElements(history.lists, node), (id) => showAtom(history.values, id));
  if (elements.length > LIST_SHOWN) elements.splice(LIST_SHOWN / 2, elements.length - LIST_SHOWN, '…');
  return `[${elements.join(' ')}]`;
}

function showRange(history: History, range: number): string {
  const { low, high, rowStart, rowKey, rowValue } = history.ranges;
  const bound = (key: number): string => (key === OPEN_BOUND ? '…' : nameAtom(history.keys, key));
  const rows: string[] = [];
  for (let row = rowStart[range]; row < rowStart[range + 1]; row++) {
    rows.push(`${nameAtom(history.keys, rowKey[row])}: ${showAtom(history.values, rowValue[row])}`);
  }
  return `range(${bound(low[range])} to ${bound(high[range])}: {${rows.join(', ')}})`;
}

/** A transaction as messages name it: the source's own name, or its place in its session. */
export function nameTransaction(history: History, t: number): string {
  const { txnNames, txnSession, sessionStart } = history;
  const session = txnSession[t];
  if (txnNames && txnNames.type[t] !== 0) return `transaction ${nameAtom(txnNames, t)}`;
  return `transaction ${t - sessionStart[session] + 1} of session ${nameAtom(history.sessionNames, session)}`;
}

/** All of a transaction on one line. */
export function showTransaction(history: History, t: number): string {
  const operations: string[] = [];
  for (let op = history.txnStart[t]; op < history.txnStart[t + 1]; op++) operations.push(showOperation(history, op));
  const status = history.txnStatus[t] === 0 ? '' : ` (${STATUS_NAMES[history.txnStatus[t] as 1 | 2]})`;
  return `${operations.join(' ')}${status}`;
}

/** Where a transaction stands in the source: `T3.log, byte 120`. */
export const locateTransaction = (history: History, t: number): string => location(history, t, history.txnPosition[t]);

/** Where an operation stands in the source. */
export function locateOperation(history: History, op: number): string {
  const t = transactionOf(history, op);
  const distance = history.opPosition ? history.opPosition[op] : (op - history.txnStart[t]) * history.source.opStride;
  return location(history, t, history.txnPosition[t] + distance);
}

function location({ source, txnSession }: History, t: number, position: number): string {
  const file = source.files[source.files.length > 1 ? txnSession[t] : 0];
  return `${visibleLine(file)}, ${source.unit} ${position}`;
}

const LIST_SHOWN = 12;
