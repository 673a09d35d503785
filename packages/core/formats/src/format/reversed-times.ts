import type { TransactionTime } from '@isolab/history';

/** Describes two times of a transaction in the wrong order: the found order and the expected order. */
export function describeReversed([first, second]: readonly [TransactionTime, TransactionTime]): [string, string] {
  if (first === 'begin' && second === 'end')
    return ['a transaction that ends before it begins', 'an end that is not before its begin'];
  return [`"${second}" before "${first}"`, `"${second}" that is not before "${first}"`];
}
