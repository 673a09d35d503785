import {
  type Atom,
  type History,
  NIL,
  OpKind,
  UNKNOWN_VALUE,
  atomOf,
  keyOfRow,
  printName,
  printPredicate,
  printScalar,
  tableOfRow,
} from '@isolab/history';
import { type AtomRange, anyInteger } from '../format/capabilities.ts';

/** Prints the key of a row, such as `doctors/1`. */
export function printRowKey({ keys }: History, key: number): string {
  const name = atomOf(keys, key) as string;
  return `${printName(tableOfRow(name))}/${printKey(name)}`;
}

const printKey = (name: string): string => {
  const key = keyOfRow(name);
  return typeof key === 'bigint' ? `${key}` : JSON.stringify(key);
};

/** Prints a row, such as `{name: 'alice', on_call: true}`, or nil. */
export function printRow({ values }: History, value: number): string {
  if (value === NIL) return 'nil';
  if (value === UNKNOWN_VALUE) return '?';
  const row = JSON.parse(atomOf(values, value) as string) as Record<string, string | number | boolean>;
  return `{${Object.keys(row)
    .map((column) => `${printName(column)}: ${printScalar(row[column]!)}`)
    .join(', ')}}`;
}

export function printScan(history: History, scan: number): string {
  const { tables, table, predicates, predicate, aggregates, aggregate, rowStart, rowKey, rowValue } = history.scans;
  const from = `${printName(tables[table[scan]!]!)}, ${printPredicate(predicates[predicate[scan]!]!)}`;
  const result = aggregates[aggregate[scan]!];
  if (result?.kind === 'count') return `count(${from}, ${result.result})`;
  if (result !== undefined)
    return `${result.kind}(${from}, ${printName(result.column)}, ${printScalar(result.result)})`;
  const rows: string[] = [];
  for (let row = rowStart[scan]!; row < rowStart[scan + 1]!; row++)
    rows.push(`${printKey(atomOf(history.keys, rowKey[row]!) as string)}: ${printRow(history, rowValue[row]!)}`);
  return `scan(${from}, {${rows.join(', ')}})`;
}

export const isRowKey = ({ scans }: History, key: number): boolean => scans.keyTable[key]! >= 0;

/**
 * Returns the atoms that the notation can spell in this history. Atoms of rows are names of tables and contents of
 * columns.
 */
export function rangesOf(history: History, isWord: AtomRange): { keys: AtomRange; values: AtomRange } {
  if (history.scans.tables.length === 0) return { keys: isWord, values: anyInteger };
  const { keys, values, opKind, opKey, opValue, keyInitial, scans } = history;
  const rows = new Set<Atom>();
  const contents = new Set<number>(scans.rowValue);
  const plain = new Set<number>();
  keyInitial.forEach((value, key) => {
    if (isRowKey(history, key)) rows.add(atomOf(keys, key));
    (isRowKey(history, key) ? contents : plain).add(value);
  });
  for (let op = 0; op < opKind.length; op++) {
    if (opKind[op] !== OpKind.Read && opKind[op] !== OpKind.Write) continue;
    (isRowKey(history, opKey[op]!) ? contents : plain).add(opValue[op]!);
  }
  const texts = new Set<Atom>();
  for (const value of contents) if (!plain.has(value)) texts.add(atomOf(values, value));
  return {
    keys: (atom) => isWord(atom) || rows.has(atom),
    values: (atom) => anyInteger(atom) || texts.has(atom),
  };
}
