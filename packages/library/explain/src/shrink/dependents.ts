import { type History, OpKind, ReadFrom, type ReadFromIndex, UNKNOWN_VALUE, valueRead } from '@isolab/history';
import { addTo } from '../rows/multimap.ts';

/** The operations that may have read a write and must go with it: so a removal makes no new anomaly. */
export interface Dependents {
  /** First operation that read each operation, with one extra slot. */
  readonly start: Int32Array;
  readonly op: Int32Array;
  /** For each version, the operations that read it from one of several writers, and go with any of them. */
  readonly ofVersion: ReadonlyMap<number, readonly number[]>;
  /** For each key, the operations that go with any write of it. */
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
    // A failed exchange gives information about every value that the key ever had; so does a string that appends made.
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

/** A version of a key, as a number. */
export const versionOf = ({ values }: History, key: number, value: number): number => key * values.type.length + value;

/** Makes it when it is first asked for. */
export function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => (made ??= { value: make() }).value;
}
