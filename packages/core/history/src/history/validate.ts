import { type Atoms, countAtoms } from '../columns/atoms.ts';
import type { History } from './history.ts';
import { findMisusedRow } from './misused-rows.ts';
import { NO_KEY, OPEN_BOUND, OpKind, UNKNOWN_LIST } from '../columns/operation.ts';

/**
 * Describes a problem with a history from outside in a sentence; null if it is valid. All other code relies on this
 * check.
 */
export function findInvalid(history: History): string | null {
  const sessions = history.sessionStart.length - 1;
  const txns = history.txnStatus.length;
  const ops = history.opKind.length;
  const keys = countAtoms(history.keys);
  const values = countAtoms(history.values);
  const { lists, exchanges, ranges, scans } = history;
  const rows = ranges.rowKey.length;
  return (
    badOffsets('sessionStart', history.sessionStart, txns) ??
    badOffsets('txnStart', history.txnStart, ops) ??
    badLength('txnStart', history.txnStart, txns + 1) ??
    badLength('sessionNames', history.sessionNames.type, sessions) ??
    badLength('txnSession', history.txnSession, txns) ??
    badLength('txnPosition', history.txnPosition, txns) ??
    badLength('opKey', history.opKey, ops) ??
    badLength('opValue', history.opValue, ops) ??
    badLength('keyInitial', history.keyInitial, keys) ??
    (scans.tables.length > 0 ? badLength('scans.keyTable', scans.keyTable, keys) : null) ??
    (history.rows === null ? null : badLength('rows.row', history.rows.row, keys)) ??
    badLength('lists.element', lists.element, lists.parent.length) ??
    badLength('exchanges.written', exchanges.written, exchanges.observed.length) ??
    badLength('exchanges.flags', exchanges.flags, exchanges.observed.length) ??
    badOffsets('ranges.rowStart', ranges.rowStart, rows) ??
    badOptional(history, txns, ops) ??
    badSessions(history) ??
    badAtoms('keys', history.keys) ??
    badAtoms('values', history.values) ??
    badIds('keyInitial', history.keyInitial, 0, values) ??
    badIds('lists.element', lists.element.subarray(1), 0, values) ??
    badIds('exchanges.observed', exchanges.observed, 0, values) ??
    badIds('exchanges.written', exchanges.written, 0, values) ??
    badIds('ranges.low', ranges.low, OPEN_BOUND, keys) ??
    badIds('ranges.high', ranges.high, OPEN_BOUND, keys) ??
    badIds('ranges.rowKey', ranges.rowKey, 0, keys) ??
    badIds('ranges.rowValue', ranges.rowValue, 0, values) ??
    badIds('scans.table', scans.table, 0, scans.tables.length) ??
    badIds('scans.predicate', scans.predicate, 0, scans.predicates.length) ??
    badIds('scans.aggregate', scans.aggregate, -1, scans.aggregates.length) ??
    badIds('scans.rowKey', scans.rowKey, 0, keys) ??
    badIds('scans.rowValue', scans.rowValue, 0, values) ??
    badOffsets('scans.rowStart', scans.rowStart, scans.rowKey.length) ??
    badLists(history) ??
    badOperations(history, keys, values) ??
    badRows(history)
  );
}

type Ints = Int32Array | Uint8Array;

const badLength = (name: string, column: { readonly length: number }, expected: number): string | null =>
  column.length === expected ? null : `${name} has ${column.length} entries, expected ${expected}`;

function badOffsets(name: string, offsets: Int32Array, end: number): string | null {
  if (offsets.length === 0 || offsets[0] !== 0) return `${name} must begin with 0`;
  for (let i = 1; i < offsets.length; i++) {
    if (offsets[i] < offsets[i - 1]) return `${name}[${i}] is ${offsets[i]}, less than the entry before it`;
  }
  const last = offsets[offsets.length - 1];
  return last === end ? null : `${name} ends with ${last}, expected ${end}`;
}

function badIds(name: string, ids: Ints, low: number, high: number): string | null {
  for (let i = 0; i < ids.length; i++) {
    if (ids[i] < low || ids[i] >= high) return `${name}[${i}] is ${ids[i]}, expected ${low} to ${high - 1}`;
  }
  return null;
}

function badOptional(history: History, txns: number, ops: number): string | null {
  for (const name of ['txnBegin', 'txnBegun', 'txnCommitting', 'txnEnd', 'txnStartTs', 'txnCommitTs'] as const) {
    const column = history[name];
    if (column && column.length !== txns) return badLength(name, column, txns);
  }
  for (const name of ['opPosition', 'opVersion', 'opStatement'] as const) {
    const column = history[name];
    if (column && column.length !== ops) return badLength(name, column, ops);
  }
  if (history.txnNames && countAtoms(history.txnNames) !== txns)
    return badLength('txnNames', history.txnNames.type, txns);
  if (history.txnLevels && history.txnLevels.of.length !== txns)
    return badLength('txnLevels', history.txnLevels.of, txns);
  const { files } = history.source;
  const sessions = history.sessionStart.length - 1;
  return files.length === 1 || files.length === sessions
    ? null
    : `source.files names ${files.length} files for ${sessions} sessions`;
}

function badSessions({ sessionStart, txnSession }: History): string | null {
  for (let s = 0; s + 1 < sessionStart.length; s++) {
    for (let t = sessionStart[s]; t < sessionStart[s + 1]; t++) {
      if (txnSession[t] !== s) return `txnSession[${t}] is ${txnSession[t]}, expected ${s}`;
    }
  }
  return null;
}

function badAtoms(name: string, { type, lo, hi, text, textStart }: Atoms): string | null {
  if (lo.length !== type.length || hi.length !== type.length) return `the columns of ${name} differ in length`;
  const last = textStart[textStart.length - 1];
  return last === text.length ? null : `the texts of ${name} end at ${last}, expected ${text.length}`;
}

function badRows(history: History): string | null {
  const op = findMisusedRow(history);
  return op < 0 ? null : `operation ${op} uses a row of a table as a plain key, or a plain value as a row`;
}

function badLists({ lists }: History): string | null {
  for (let node = 1; node < lists.parent.length; node++) {
    const parent = lists.parent[node];
    if (parent < 0 || parent >= node) return `lists.parent[${node}] is ${parent}, expected an earlier node`;
    if (lists.length[node] !== lists.length[parent] + 1)
      return `lists.length[${node}] is not one more than its parent's`;
  }
  return null;
}

function badOperations(
  { opKind, opKey, opValue, lists, exchanges, ranges, scans }: History,
  keys: number,
  values: number,
): string | null {
  for (let op = 0; op < opKind.length; op++) {
    const kind = opKind[op];
    if (kind > OpKind.Scan) return `opKind[${op}] is ${kind}, which is not a kind of operation`;
    const isKeyed = kind !== OpKind.RangeRead && kind !== OpKind.Scan;
    const lowKey = isKeyed ? 0 : NO_KEY;
    const highKey = isKeyed ? keys : 0;
    if (opKey[op] < lowKey || opKey[op] >= highKey)
      return `opKey[${op}] is ${opKey[op]}, expected ${lowKey} to ${highKey - 1}`;
    const low = kind === OpKind.ListRead ? UNKNOWN_LIST : 0;
    const high =
      kind === OpKind.ListRead
        ? lists.parent.length
        : kind === OpKind.RangeRead
          ? ranges.low.length
          : kind === OpKind.Scan
            ? scans.table.length
            : kind >= OpKind.CompareAndSet
              ? exchanges.observed.length
              : values;
    if (opValue[op] < low || opValue[op] >= high)
      return `opValue[${op}] is ${opValue[op]}, expected ${low} to ${high - 1}`;
  }
  return null;
}
