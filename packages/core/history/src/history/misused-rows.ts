import { type Atom, atomOf } from '../columns/atoms.ts';
import type { History } from './history.ts';
import { NIL, OpKind, UNKNOWN_VALUE } from '../columns/operation.ts';

/** Finds an operation that uses a row of a table as a plain key, or a plain value as a row; −1 if there is none. */
export function findMisusedRow(history: History): number {
  const { scans, opKind, opKey, opValue, values, ranges } = history;
  if (scans.tables.length === 0) return -1;
  const isRow = new Map<number, boolean>();
  for (let op = 0; op < opKind.length; op++) {
    const value = opValue[op];
    if (opKind[op] === OpKind.RangeRead) {
      const returned = ranges.rowKey.subarray(ranges.rowStart[value], ranges.rowStart[value + 1]);
      if (returned.some((key) => scans.keyTable[key] >= 0)) return op;
    }
    if (opKey[op] < 0 || scans.keyTable[opKey[op]] < 0) continue;
    if (opKind[op] !== OpKind.Read && opKind[op] !== OpKind.Write) return op;
    if (value === NIL || value === UNKNOWN_VALUE) continue;
    if (!isRow.has(value)) isRow.set(value, isRowText(atomOf(values, value)));
    if (!isRow.get(value)) return op;
  }
  return -1;
}

const isRowText = (text: Atom): boolean => typeof text === 'string' && text.startsWith('{') && text.endsWith('}');
