import {
  type History,
  OpKind,
  ReadFrom,
  type ReadFromIndex,
  UNKNOWN_VALUE,
  valueRead,
  valueWritten,
} from '@isolab/history';

/** The operations that may have read a write and must go with it: so a removal makes no new anomaly. */
export interface Dependents {
  /** First dependent of each operation, with one extra slot. */
  readonly start: Int32Array;
  readonly op: Int32Array;
  /** By key: the operations that go with any write of it. */
  readonly ofKey: ReadonlyMap<number, readonly number[]>;
}

export function findDependents(history: History, index: ReadFromIndex): Dependents {
  const pairs: { writer: number[]; reader: number[] } = { writer: [], reader: [] };
  const ofKey = new Map<number, number[]>();
  const writersOf = lazily(() => writersByVersion(history));
  const appended = appendedKeys(history);
  const { opKind, opKey } = history;
  for (let op = 0; op < opKind.length; op++) {
    const kind = opKind[op];
    if (kind === OpKind.ListRead || kind === OpKind.Write || kind === OpKind.Append) continue;
    const value = valueRead(history, op);
    const writer = index.readFrom[op];
    if (writer >= 0) {
      pairs.writer.push(writer);
      pairs.reader.push(op);
    } else if (writer === ReadFrom.Ambiguous) {
      for (const one of writersOf().get(versionOf(history, opKey[op], value)) ?? []) {
        pairs.writer.push(one);
        pairs.reader.push(op);
      }
    } else if (value < 0 || (appended.has(opKey[op]) && value !== UNKNOWN_VALUE)) {
      // An exchange that failed tells of every value that the key ever had; so does a string that appends made.
      const known = ofKey.get(opKey[op]);
      if (known) known.push(op);
      else ofKey.set(opKey[op], [op]);
    }
  }
  return { ...grouped(pairs, opKind.length), ofKey };
}

function grouped({ writer, reader }: { writer: number[]; reader: number[] }, numOps: number) {
  const start = new Int32Array(numOps + 1);
  for (const one of writer) start[one + 1]++;
  for (let op = 0; op < numOps; op++) start[op + 1] += start[op];
  const next = start.slice(0, numOps);
  const op = new Int32Array(reader.length);
  for (let i = 0; i < reader.length; i++) op[next[writer[i]]++] = reader[i];
  return { start, op };
}

function appendedKeys({ opKind, opKey }: History): ReadonlySet<number> {
  const keys = new Set<number>();
  for (let op = 0; op < opKind.length; op++) if (opKind[op] === OpKind.Append) keys.add(opKey[op]);
  return keys;
}

const versionOf = ({ values }: History, key: number, value: number): number => key * values.type.length + value;

function writersByVersion(history: History): Map<number, number[]> {
  const writers = new Map<number, number[]>();
  for (let op = 0; op < history.opKind.length; op++) {
    const value = valueWritten(history, op);
    if (value < 0) continue;
    const version = versionOf(history, history.opKey[op], value);
    const known = writers.get(version);
    if (known) known.push(op);
    else writers.set(version, [op]);
  }
  return writers;
}

/** Makes it when it is first asked for. */
export function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => (made ??= { value: make() }).value;
}
