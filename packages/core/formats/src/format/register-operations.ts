import { type History, OpKind, ReadFrom, UNKNOWN_VALUE, buildReadFrom } from '@isolab/history';
import { type AtomRange, spelling } from './capabilities.ts';

/** Read or write of a register as formats spell it; the value is null for a read of the initial state. */
export interface RegisterOperation {
  readonly isWrite: boolean;
  readonly key: bigint;
  readonly value: bigint | null;
}

/**
 * Returns the reads and writes of each transaction, without other operations and without those that have an unknown
 * value.
 */
export function registerOperations(
  history: History,
  keys: AtomRange,
  values: AtomRange,
): (t: number) => RegisterOperation[] {
  const { txnStart, opKind, opKey, opValue } = history;
  const { readFrom } = buildReadFrom(history);
  const key = spelling(history.keys, keys, 0n);
  const value = spelling(history.values, values, 1n, UNKNOWN_VALUE + 1);
  return (t) => {
    const operations: RegisterOperation[] = [];
    for (let op = txnStart[t]; op < txnStart[t + 1]; op++) {
      const isWrite = opKind[op] === OpKind.Write;
      if (!isWrite && opKind[op] !== OpKind.Read) continue;
      const isInitial = !isWrite && readFrom[op] === ReadFrom.Initial;
      if (!isInitial && opValue[op] <= UNKNOWN_VALUE) continue;
      operations.push({ isWrite, key: key(opKey[op]), value: isInitial ? null : value(opValue[op]) });
    }
    return operations;
  };
}
