import { type History, OpKind, ReadFrom, type ReadFromIndex, UNKNOWN_VALUE, valueRead } from '@isolab/history';
import { addTo } from '../rows/multimap.ts';

/**
 * The operations that may have read a write. Removing them with the write ensures that a removal creates no new
 * anomaly.
 */
export interface Dependents {
  /** Offset of the first reader of each operation, with one extra entry at the end. */
  readonly start: Int32Array;
  readonly op: Int32Array;
  /** For each version with several possible writers, the reads that are removed with any of the writers. */
  readonly ofVersion: ReadonlyMap<number, readonly number[]>;
  /** For each key, the operations that are removed with any write of the key. */
  readonly ofKey: ReadonlyMap<number, readonly number[]>;
}

export function findDependents(history: History, index: ReadFromIndex): Dependents {
  const { opKind, opKey } = history;
  const start = new Int32Array(opKind.length + 1);
  const ofVersion = new Map<number, number[]>();
  const ofKey = new Map<number, number[]>();
  const appended = appendedKeys(history);
  const isRead = (kind: number): boolean => kind !== OpKind.ListRead && kind !== OpKind.Write && kind !== OpKind.Append;
  for (let op = 0; op < opKind.length; op++) {
    if (!isRead(opKind[op])) continue;
    const value = valueRead(history, op);
    const writer = index.readFrom[op];
    if (writer >= 0) start[writer + 1]++;
    else if (writer === ReadFrom.Ambiguous) addTo(ofVersion, versionOf(history, opKey[op], value), op);
    // A failed exchange reveals something about every value that the key ever had. So does a string built by appends.
    else if (value < 0 || (appended.has(opKey[op]) && value !== UNKNOWN_VALUE)) addTo(ofKey, opKey[op], op);
  }
  for (let op = 0; op < opKind.length; op++) start[op + 1] += start[op];
  const next = start.slice(0, -1);
  const op = new Int32Array(start.at(-1)!);
  for (let reader = 0; reader < opKind.length; reader++) {
    const writer = index.readFrom[reader];
    if (writer >= 0 && isRead(opKind[reader])) op[next[writer]++] = reader;
  }
  return { start, op, ofVersion, ofKey };
}

function appendedKeys({ opKind, opKey }: History): ReadonlySet<number> {
  const keys = new Set<number>();
  for (let op = 0; op < opKind.length; op++) if (opKind[op] === OpKind.Append) keys.add(opKey[op]);
  return keys;
}

/** Combines a key and a value into one number. */
export const versionOf = ({ values }: History, key: number, value: number): number => key * values.type.length + value;

export function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => (made ??= { value: make() }).value;
}
