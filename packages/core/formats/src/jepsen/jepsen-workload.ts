import { type History, OpKind, TxnStatus, UNKNOWN_VALUE, atomOf, countKeys, countTransactions } from '@isolab/history';

/** Kind of operations in a history, as described in jepsen-models.ts. */
export type Workload = 'transactions' | 'register' | 'mutex';

export function workloadOf(history: History): Workload {
  if (countKeys(history) !== 1 || countTransactions(history) === 0) return 'transactions';
  const key = atomOf(history.keys, 0);
  if (key === 'register' && everyCall(history, isRegisterCall)) return 'register';
  if (key === 'mutex' && isInitiallyFree(history) && everyCall(history, isMutexCall)) return 'mutex';
  return 'transactions';
}

function everyCall(history: History, isCall: (history: History, op: number, t: number) => boolean): boolean {
  const { txnStart } = history;
  for (let t = 0; t < countTransactions(history); t++) {
    if (txnStart[t + 1] - txnStart[t] !== 1 || !isCall(history, txnStart[t], t)) return false;
  }
  return true;
}

function isRegisterCall({ opKind, opValue, exchanges, txnStatus }: History, op: number, t: number): boolean {
  const id = opValue[op];
  if (opKind[op] === OpKind.Read) return id !== UNKNOWN_VALUE || txnStatus[t] !== TxnStatus.Committed;
  if (opKind[op] === OpKind.Write) return id !== UNKNOWN_VALUE;
  return (
    opKind[op] === OpKind.CompareAndSet &&
    exchanges.observed[id] !== UNKNOWN_VALUE &&
    exchanges.written[id] !== UNKNOWN_VALUE
  );
}

const isInitiallyFree = ({ keyInitial, values }: History): boolean => atomOf(values, keyInitial[0]) === 'free';

function isMutexCall({ opKind, opValue, exchanges, values }: History, op: number): boolean {
  const id = opValue[op];
  if (opKind[op] !== OpKind.CompareAndSet || exchanges.flags[id] !== 0) return false;
  const change = [exchanges.observed[id], exchanges.written[id]].map((value) => atomOf(values, value)).join();
  return change === 'free,held' || change === 'held,free';
}
