import { type History, OpKind, type PlainTransaction, toPlain } from '@isolab/history';
import { historyOf } from './build.ts';

/**
 * Size of a history for comparisons: transactions have the largest weight, rows count as three transactions, then
 * operations, then lists and times.
 */
export function sizeOf({ txnStatus, opKind, txnBegin, txnBegun, txnCommitting, scans }: History): number {
  const other = Array.from(txnStatus).filter((status) => status !== txnStatus[0]).length;
  const transactions = txnStatus.length + (scans.table.length > 0 ? 3 : 0);
  const isList = opKind.includes(OpKind.Append);
  const times = (txnBegin === null ? 0 : 20) + (txnBegun === null && txnCommitting === null ? 0 : 10);
  return 1e4 * transactions + 100 * opKind.length + (isList ? 50 : 0) + times + Math.min(9, other);
}

/** Removes transactions, operations and times as long as the condition on the history still holds. */
export function reduceWhile(history: History, holds: (smaller: History) => boolean): History {
  let current = history;
  for (;;) {
    const next = smallerThan(current).find((smaller) => holds(smaller));
    if (next === undefined) return current;
    current = next;
  }
}

function smallerThan(history: History): History[] {
  const { sessions, initial, initialOf } = toPlain(history);
  const isPlain = initial === 0n && (initialOf ?? []).every(([, value]) => value === 0n);
  if (!isPlain) return [];
  const transactions = sessions.map((session) => session.transactions);
  const all = transactions.flatMap((list, s) => list.map((_, t) => [s, t] as const));
  const replaced = (s: number, t: number, by: readonly PlainTransaction[]): PlainTransaction[][] =>
    transactions
      .map((list, i) => (i === s ? list.toSpliced(t, 1, ...by) : [...list]))
      .filter((list) => list.length > 0);
  const without = all.map(([s, t]) => replaced(s, t, []));
  const fewerOperations = all.flatMap(([s, t]) => {
    const transaction = transactions[s]![t]!;
    const { operations } = transaction;
    if (operations.length < 2) return [];
    return operations.map((_, i) => replaced(s, t, [{ ...transaction, operations: operations.toSpliced(i, 1) }]));
  });
  const isBounded = transactions
    .flat()
    .some(({ begun, committing }) => begun !== undefined || committing !== undefined);
  const unbounded = transactions.map((list) => list.map(withoutInnerTimes));
  const isTimed = transactions.flat().some(({ begin, end }) => begin !== undefined || end !== undefined);
  const untimed = transactions.map((list) => list.map(({ status, operations }) => ({ status, operations })));
  return [...without, ...fewerOperations, ...(isTimed ? [untimed] : []), ...(isBounded ? [unbounded] : [])]
    .filter((each) => each.length > 0)
    .map(historyOf);
}

function withoutInnerTimes(transaction: PlainTransaction): PlainTransaction {
  const { begin, end, status, operations } = transaction;
  return { status, operations, ...(begin !== undefined && { begin }), ...(end !== undefined && { end }) };
}
