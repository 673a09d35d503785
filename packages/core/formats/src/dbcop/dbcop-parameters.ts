import { type History, countKeys, countSessions } from '@isolab/history';

/**
 * Parameters at the head of a history of dbcop, in its order. Readers ignore them, because converted files use them for
 * other data.
 */
export const parametersOf = (history: History): Readonly<Record<string, number>> => ({
  id: 0,
  n_node: countSessions(history),
  n_variable: countKeys(history),
  n_transaction: longest(history.sessionStart),
  n_event: longest(history.txnStart),
});

function longest(start: Int32Array): number {
  let most = 0;
  for (let i = 1; i < start.length; i++) most = Math.max(most, start[i] - start[i - 1]);
  return most;
}

/** A History has no start and end, but dbcop requires two times. */
export const SOME_TIME = '1970-01-01T00:00:00+00:00';
