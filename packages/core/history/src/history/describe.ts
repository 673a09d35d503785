import { type Atoms, atomIdentity, atomOf, countAtoms, nameAtom, showAtom } from '../columns/atoms.ts';
import { visibleLine } from '../columns/foreign-text.ts';
import { type History, transactionOf } from './history.ts';
import { listElements } from '../columns/lists.ts';
import { Exchange, OpKind, OPEN_BOUND, STATUS_NAMES, UNKNOWN_LIST, UNKNOWN_VALUE } from '../columns/operation.ts';
import { AMOUNT } from '../rows/counters.ts';
import { showPredicate, showScalar } from '../rows/predicate.ts';
import { rowOfText } from '../rows/row.ts';
import type { KeyId, OperationId, TransactionId } from '../columns/ids.ts';

/** Shows an operation in a message: `r(x, 1)`, `w(x, 2)`, `append(x, 3)`, `cas(x, 1 → 2)`. */
export function showOperation(history: History, op: OperationId): string {
  const { opKind, opKey, opValue, exchanges } = history;
  const kind = opKind[op];
  if (kind === OpKind.RangeRead) return showRange(history, opValue[op]);
  if (kind === OpKind.Scan) return showScan(history, opValue[op]);
  const key = nameAtom(history.keys, opKey[op]);
  const value = (id: number): string => showValue(history, opKey[op], id);
  switch (kind) {
    case OpKind.Read:
      return `r(${key}, ${value(opValue[op])})`;
    case OpKind.Write:
      if (isOfCounter(history, history.scans.keyTable[opKey[op]])) return showIncrement(history, op);
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

const isOfCounter = ({ scans: { counters } }: History, table: number | undefined): boolean =>
  table !== undefined && counters?.includes(table) === true;

/** Shows the write of a counter’s row as an increment; the row holds the sum of its transaction's increments so far. */
function showIncrement(history: History, op: OperationId): string {
  const { opKey, opValue, txnStart, values, scans } = history;
  const total = (at: number): number => Number(rowOfText(atomOf(values, opValue[at]) as string)[AMOUNT]);
  let before = op - 1;
  const first = txnStart[transactionOf(history, op)];
  while (before >= first && opKey[before] !== opKey[op]) before--;
  return `inc(${scans.tables[scans.keyTable[opKey[op]]]}, ${total(op) - (before < first ? 0 : total(before))})`;
}

/** Shows a value of a key; a version of a row in the notation: `{id: 1, on_call: true}`. */
function showValue({ scans, values, source: { hiddenColumns = [] } }: History, key: KeyId, id: number): string {
  const text = scans.keyTable[key] >= 0 && id >= 0 ? atomOf(values, id) : null;
  if (typeof text !== 'string' || !text.startsWith('{')) return showAtom(values, id);
  const columns = Object.entries(rowOfText(text)).filter(([column]) => !hiddenColumns.includes(column));
  return visibleLine(`{${columns.map(([column, held]) => `${column}: ${showScalar(held)}`).join(', ')}}`);
}

/** Shortens long lists to their first and last elements. */
function showList(history: History, node: number): string {
  if (node === UNKNOWN_LIST) return '?';
  const elements = Array.from(listElements(history.lists, node), (id) => showAtom(history.values, id));
  if (elements.length > LIST_SHOWN) elements.splice(LIST_SHOWN / 2, elements.length - LIST_SHOWN, '…');
  return `[${elements.join(' ')}]`;
}

function showRange(history: History, range: number): string {
  const { low, high, rowStart, rowKey, rowValue } = history.ranges;
  const bound = (key: KeyId): string => (key === OPEN_BOUND ? '…' : nameAtom(history.keys, key));
  const rows: string[] = [];
  for (let row = rowStart[range]; row < rowStart[range + 1]; row++) {
    rows.push(`${nameAtom(history.keys, rowKey[row])}: ${showAtom(history.values, rowValue[row])}`);
  }
  return `range(${bound(low[range])} to ${bound(high[range])}: {${rows.join(', ')}})`;
}

/** `scan(doctors where on_call = true: {1: …, 2})`, `count(doctors where on_call = true: 2)` */
function showScan(history: History, scan: number): string {
  const { tables, table, predicates, predicate, aggregate, aggregates, rowStart, rowKey, rowValue } = history.scans;
  const where = `${tables[table[scan]]!} where ${showPredicate(predicates[predicate[scan]]!)}`;
  const result = aggregates[aggregate[scan]];
  if (result !== undefined) {
    if (isOfCounter(history, table[scan]))
      return visibleLine(`r(${tables[table[scan]]}, ${showScalar(result.result)})`);
    const name = result.kind === 'count' ? 'count' : `${result.kind} of ${result.column}`;
    return visibleLine(`${name}(${where}: ${showScalar(result.result)})`);
  }
  const rows: string[] = [];
  for (let row = rowStart[scan]; row < rowStart[scan + 1]; row++) {
    const name = nameAtom(history.keys, rowKey[row]);
    rows.push(rowValue[row] === UNKNOWN_VALUE ? name : `${name}: ${showValue(history, rowKey[row], rowValue[row])}`);
  }
  return visibleLine(`scan(${where}: {${rows.join(', ')}})`);
}

/** Names a transaction in a message: by its name, with the session if the name is ambiguous, or by its place. */
export function nameTransaction(history: History, t: TransactionId): string {
  const { txnNames, txnSession, sessionStart } = history;
  const session = nameAtom(history.sessionNames, txnSession[t]);
  if (txnNames === null || txnNames.type[t] === 0)
    return `transaction ${t - sessionStart[txnSession[t]] + 1} of session ${session}`;
  const isShared = namesOfSeveral(txnNames).has(atomIdentity(atomOf(txnNames, t)));
  return `transaction ${nameAtom(txnNames, t)}${isShared ? ` of session ${session}` : ''}`;
}

/** Returns the names that several transactions share. */
function namesOfSeveral(names: Atoms): ReadonlySet<string> {
  const known = sharedNames.get(names);
  if (known) return known;
  const seen = new Set<string>();
  const shared = new Set<string>();
  for (let t = 0; t < countAtoms(names); t++) {
    if (names.type[t] === 0) continue;
    const identity = atomIdentity(atomOf(names, t));
    if (seen.has(identity)) shared.add(identity);
    seen.add(identity);
  }
  sharedNames.set(names, shared);
  return shared;
}

const sharedNames = new WeakMap<Atoms, Set<string>>();

export function showTransaction(history: History, t: TransactionId): string {
  const operations: string[] = [];
  for (let op = history.txnStart[t]; op < history.txnStart[t + 1]; op++) operations.push(showOperation(history, op));
  const status = history.txnStatus[t] === 0 ? '' : ` (${STATUS_NAMES[history.txnStatus[t] as 1 | 2]})`;
  return `${operations.join(' ')}${status}`;
}

/** Returns the place of a transaction in the source: `T3.log, byte 120`. */
export const locateTransaction = (history: History, t: TransactionId): string =>
  location(history, t, history.txnPosition[t]);

export function locateOperation(history: History, op: OperationId): string {
  const t = transactionOf(history, op);
  const distance = history.opPosition ? history.opPosition[op] : (op - history.txnStart[t]) * history.source.opStride;
  return location(history, t, history.txnPosition[t] + distance);
}

/** Returns the common start of all places of a history: its only file, or the folder of all its files. */
export function commonPlace({ source }: History): string {
  const files = source.files.map(visibleLine);
  const [first = ''] = files;
  if (files.length === 1) return `${first}, `;
  let end = first.lastIndexOf('/') + 1;
  while (end > 0 && !files.every((file) => file.startsWith(first.slice(0, end))))
    end = first.lastIndexOf('/', end - 2) + 1;
  return first.slice(0, end);
}

function location({ source, txnSession }: History, t: TransactionId, position: number): string {
  const file = source.files[source.files.length > 1 ? txnSession[t] : 0];
  return `${visibleLine(file)}, ${source.unit} ${position}`;
}

const LIST_SHOWN = 12;

/** Formats 1234567 as 1,234,567. */
export const grouped = (count: number): string => String(count).replaceAll(/\B(?=(\d{3})+$)/g, ',');

export const plural = (count: number, noun: string): string => `${grouped(count)} ${noun}${count === 1 ? '' : 's'}`;

/** Begins a sentence with the text. */
export const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
