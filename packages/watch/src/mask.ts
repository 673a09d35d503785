import { type History, NO_TIME, OpKind, ReadFrom, type ReadFromIndex } from '@isolab/history';

/** What a check is not to see, and what it is to see in addition. */
export interface Mask {
  /** 1 for every operation to leave out. */
  readonly dropped: Uint8Array;
  /** Keys that a transaction is to read in the state at its beginning: transaction, key, transaction, key … */
  readonly pins: readonly number[];
}

/** Reads of values that nobody has written yet, among transactions that count. */
export function openReads({ opKind }: History, { readFrom }: ReadFromIndex): number[] {
  const open: number[] = [];
  for (let op = 0; op < readFrom.length; op++)
    if (readFrom[op] === ReadFrom.ThinAir && opKind[op] === OpKind.Read) open.push(op);
  return open;
}

/** The same history with a mask. */
export function masked(history: History, mask: Mask | null): History {
  if (mask === null) return history;
  const { dropped, pins } = mask;
  const { txnStart, opKind, opKey, opValue, opVersion, keyInitial } = history;
  const size = opKind.length + pins.length / 2;
  const columns = { kind: new Uint8Array(size), key: new Int32Array(size), value: new Int32Array(size) };
  const version = opVersion && new BigInt64Array(size).fill(NO_TIME);
  const newStart = new Int32Array(txnStart.length);
  let count = 0;
  let pin = 0;
  for (let t = 0; t + 1 < txnStart.length; t++) {
    for (; pins[pin] === t; pin += 2, count++) {
      columns.kind[count] = OpKind.Read;
      columns.key[count] = pins[pin + 1]!;
      columns.value[count] = keyInitial[pins[pin + 1]!]!;
    }
    for (let op = txnStart[t]; op < txnStart[t + 1]; op++) {
      if (dropped[op] === 1) continue;
      columns.kind[count] = opKind[op];
      columns.key[count] = opKey[op];
      columns.value[count] = opValue[op];
      if (version) version[count] = opVersion![op];
      count++;
    }
    newStart[t + 1] = count;
  }
  return {
    ...history,
    txnStart: newStart,
    opKind: columns.kind.subarray(0, count),
    opKey: columns.key.subarray(0, count),
    opValue: columns.value.subarray(0, count),
    opVersion: version && version.subarray(0, count),
    opPosition: null,
  };
}

/**
 * Without times and timestamps, the order in which transactions came is the best guess at that of their commits. Weak
 * levels look at no timestamps, and take times for nothing but a guess.
 */
export function withArrivals(history: History, isWeak: boolean): History {
  const { txnBegin, txnStartTs, txnCommitTs, txnPosition } = history;
  if (txnBegin !== null || (!isWeak && (txnStartTs !== null || txnCommitTs !== null))) return history;
  const arrivals = BigInt64Array.from(txnPosition, BigInt);
  return isWeak ? { ...history, txnBegin: arrivals } : { ...history, txnCommitTs: arrivals };
}
