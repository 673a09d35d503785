import { type History, countTransactions } from './history.ts';
import { OpKind } from './operation.ts';
import { type Slice, slice } from './slice.ts';

/**
 * Takes an explicit initial transaction for what it is: what it writes becomes the initial state of its keys, which
 * precedes everything, and the transaction itself goes. Its keys must be written by it alone with those values.
 */
export function foldInitialTransaction(history: History, t: number): Slice {
  const { txnStart, opKind, opKey, opValue } = history;
  const keyInitial = history.keyInitial.slice();
  for (let op = txnStart[t]; op < txnStart[t + 1]; op++) {
    if (opKind[op] !== OpKind.Write)
      throw new RangeError(`Transaction ${t} does more than write; it cannot be the initial one.`);
    keyInitial[opKey[op]] = opValue[op];
  }
  const txns = new Uint8Array(countTransactions(history)).fill(1);
  txns[t] = 0;
  const sliced = slice(history, { txns });
  return { ...sliced, history: { ...sliced.history, keyInitial } };
}
