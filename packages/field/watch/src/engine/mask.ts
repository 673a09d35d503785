import {
  EMPTY_LIST,
  type History,
  type IdColumn,
  type KeyId,
  NO_TIME,
  OpKind,
  ReadFrom,
  type ReadFromIndex,
  TxnStatus,
} from '@isolab/history';

/** The operations that a check ignores, and the reads that it adds. */
export interface Mask {
  /** 1 for every ignored operation. */
  readonly dropped: Uint8Array;
  /** Keys that transactions additionally read from the state, in the order of the transactions. */
  readonly pins: readonly Pin[];
}

/**
 * Finds reads of values that no transaction has written yet, and reads of lists with elements that no transaction has
 * appended yet.
 */
export function openReads({ opKind, opValue, lists }: History, { readFrom, nodeAppend }: ReadFromIndex): number[] {
  const isOpen = new Uint8Array(nodeAppend.length); // by node of a list
  for (let node = 1; node < isOpen.length; node++)
    isOpen[node] = nodeAppend[node] === ReadFrom.ThinAir ? 1 : isOpen[lists.parent[node]];
  const open: number[] = [];
  for (let op = 0; op < readFrom.length; op++) {
    const kind = opKind[op];
    if (
      kind === OpKind.Read ? readFrom[op] === ReadFrom.ThinAir : kind === OpKind.ListRead && isOpen[opValue[op]] === 1
    )
      open.push(op);
  }
  return open;
}

/** Finds the part of a read that no transaction has written: its value, or some elements of its list. */
export function missingIn(
  { opKind, opValue, lists }: History,
  { nodeAppend }: Pick<ReadFromIndex, 'nodeAppend'>,
  op: number,
): number[] {
  if (opKind[op] === OpKind.Read) return [opValue[op]];
  const missing: number[] = [];
  for (let node = opValue[op]; node > EMPTY_LIST; node = lists.parent[node])
    if (nodeAppend[node] === ReadFrom.ThinAir) missing.push(lists.element[node]);
  return missing;
}

export interface Pin {
  readonly t: number;
  readonly key: number;
  readonly isList: boolean;
}

/**
 * Applies a mask to a history. With `withoutEmpty`, drops transactions without remaining operations, because
 * linearizability requires exactly one key in each. At other levels they count, because sessions and real time order
 * them.
 */
export function masked(history: History, mask: Mask | null, withoutEmpty = false): History {
  if (mask === null) return history;
  const { dropped, pins } = mask;
  const { txnStart, opKind, opKey, opValue, opVersion, opStatement, keyInitial } = history;
  const size = opKind.length + pins.length;
  const columns = { kind: new Uint8Array(size), key: new Int32Array(size), value: new Int32Array(size) };
  const version = opVersion && new BigInt64Array(size).fill(NO_TIME);
  const statement = opStatement && new Int32Array(size).fill(-1); // a pin
  const newStart = new Int32Array(txnStart.length);
  const txnStatus = history.txnStatus.slice();
  let count = 0;
  let pin = 0;
  for (let t = 0; t + 1 < txnStart.length; t++) {
    for (; pins[pin]?.t === t; pin++, count++) {
      const { key, isList } = pins[pin]!;
      columns.kind[count] = isList ? OpKind.ListRead : OpKind.Read;
      columns.key[count] = key;
      columns.value[count] = isList ? EMPTY_LIST : keyInitial[key];
    }
    for (let op = txnStart[t]; op < txnStart[t + 1]; op++) {
      if (dropped[op] === 1) continue;
      columns.kind[count] = opKind[op];
      columns.key[count] = opKey[op];
      columns.value[count] = opValue[op];
      if (version) version[count] = opVersion![op];
      if (statement) statement[count] = opStatement![op];
      count++;
    }
    newStart[t + 1] = count;
    if (withoutEmpty && count === newStart[t] && txnStart[t] < txnStart[t + 1]) txnStatus[t] = TxnStatus.Aborted;
  }
  return {
    ...history,
    txnStart: newStart,
    txnStatus,
    opKind: columns.kind.subarray(0, count),
    opKey: columns.key.subarray(0, count) as IdColumn<KeyId>,
    opValue: columns.value.subarray(0, count),
    opVersion: version && version.subarray(0, count),
    opStatement: statement && statement.subarray(0, count),
    opPosition: null,
  };
}

/**
 * Adds the order of arrival as an estimate of the commit order if there are no times or timestamps. Weak levels do not
 * examine timestamps, and use times only as an estimate.
 */
export function withArrivals(history: History, isWeak: boolean): History {
  const { txnBegin, txnStartTs, txnCommitTs, txnPosition } = history;
  if (txnBegin !== null || (!isWeak && (txnStartTs !== null || txnCommitTs !== null))) return history;
  const arrivals = BigInt64Array.from(txnPosition, BigInt);
  return isWeak ? { ...history, txnBegin: arrivals } : { ...history, txnCommitTs: arrivals };
}

export const isRead = (kind: number): boolean => kind === OpKind.Read || kind === OpKind.ListRead;
