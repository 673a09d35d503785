import { type History, type PlainTransaction, toPlain } from '@isolab/history';
import { historyOf } from './build.ts';

/**
 * Generates a small history with all times that make a difference: every order of begins and ends in which a
 * transaction begins before it ends, and before the next transaction of its session. The times are 1, 2, 3 …, either as
 * bounds of begins and commits, or as their exact times.
 */
export function* withTimes(history: History): Generator<History> {
  const sessions = toPlain(history).sessions.map(({ transactions }) => transactions);
  const events = sessions.map((transactions) => 2 * transactions.length);
  const total = events.reduce((sum, count) => sum + count, 0);
  function* orders(order: readonly number[]): Generator<readonly number[]> {
    if (order.length === total) yield order;
    for (const [s, count] of events.entries())
      if (order.filter((each) => each === s).length < count) yield* orders([...order, s]);
  }
  for (const order of orders([])) {
    const timed = timesFrom(sessions, order);
    yield historyOf(timed);
    yield historyOf(timed.map((list) => list.map((each) => ({ ...each, begun: each.begin!, committing: each.end! }))));
  }
}

/** `order` names the session of each event in turn. */
function timesFrom(sessions: readonly (readonly PlainTransaction[])[], order: readonly number[]): PlainTransaction[][] {
  return sessions.map((transactions, s) => {
    const times = order.flatMap((each, at) => (each === s ? [BigInt(at + 1)] : []));
    return transactions.map((transaction, i) => ({ ...transaction, begin: times[2 * i]!, end: times[2 * i + 1]! }));
  });
}
