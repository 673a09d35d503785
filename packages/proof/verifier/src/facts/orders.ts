import { type History, TxnStatus, countSessions, countTransactions } from '@isolab/history';
import { integerOf, listOf, nameTxn, refuse } from '../verdict/flaw.ts';

// Reads the two kinds of orders. Each lists all committed transactions, no aborted transactions, and any transactions
// of unknown outcome.

/** A commit order, and the position of each transaction in it; −1 for transactions that did not happen. */
export interface CommitOrder {
  readonly order: Int32Array;
  readonly position: Int32Array;
}

export function readCommitOrder(history: History, data: unknown): CommitOrder {
  const numTxns = countTransactions(history);
  const list = listOf(data, 'the order');
  const position = new Int32Array(numTxns).fill(-1);
  // A longer list repeats a transaction, which is detected before the end of the list.
  const order = new Int32Array(Math.min(list.length, numTxns));
  for (let i = 0; i < list.length; i++) {
    const t = numberIn(list, i, numTxns, 'the order');
    if (history.txnStatus[t] === TxnStatus.Aborted)
      refuse(`entry ${i + 1} of the order is transaction ${t}, which did not happen`);
    if (position[t] >= 0) refuse(`the order lists transaction ${t} twice, as entries ${position[t] + 1} and ${i + 1}`);
    position[t] = i;
    order[i] = t;
  }
  const missing = history.txnStatus.findIndex((status, t) => status === TxnStatus.Committed && position[t] < 0);
  if (missing >= 0) refuse(`the order leaves out transaction ${missing}`);
  return { order: order.subarray(0, list.length), position };
}

/** Begins (2t) and commits (2t + 1), and the position of each event; −1 for events that did not happen. */
export interface EventOrder {
  readonly events: Int32Array;
  readonly position: Int32Array;
}

export const nameEvent = (event: number): string =>
  `the ${event % 2 === 0 ? 'begin' : 'commit'} of transaction ${event >> 1}`;

export function readEventOrder(history: History, data: unknown): EventOrder {
  const numEvents = 2 * countTransactions(history);
  const list = listOf(data, 'the order of events');
  const position = new Int32Array(numEvents).fill(-1);
  const events = new Int32Array(Math.min(list.length, numEvents));
  for (let i = 0; i < list.length; i++) {
    const event = numberIn(list, i, numEvents, 'the order of events');
    if (history.txnStatus[event >> 1] === TxnStatus.Aborted)
      refuse(`entry ${i + 1} is ${nameEvent(event)}, which did not happen`);
    if (position[event] >= 0) refuse(`the order lists ${nameEvent(event)} twice`);
    if (event % 2 === 1 && position[event - 1] < 0) refuse(`the order puts ${nameEvent(event)} before its begin`);
    position[event] = i;
    events[i] = event;
  }
  for (let event = 0; event < numEvents; event++) {
    // A transaction of unknown outcome has either no events or both.
    const isNeeded = history.txnStatus[event >> 1] === TxnStatus.Committed || position[event & ~1] >= 0;
    if (isNeeded && position[event] < 0) refuse(`the order leaves out ${nameEvent(event)}`);
  }
  return { events: events.subarray(0, list.length), position };
}

function numberIn(list: readonly unknown[], i: number, end: number, what: string): number {
  const data = list[i];
  const isNumber = typeof data === 'number' && data >= 0 && data < end && Number.isInteger(data);
  return isNumber ? data : integerOf(data, 0, end, `entry ${i + 1} of ${what}`);
}

/**
 * Refuses an order that places a transaction before an earlier transaction of its session. For events, compares its
 * begin with the earlier commit.
 */
export function verifySessions(history: History, position: Int32Array, isOfEvents: boolean): void {
  const { sessionStart } = history;
  const name = isOfEvents ? nameEvent : nameTxn;
  for (let s = 0; s < countSessions(history); s++) {
    let before = -1;
    for (let t = sessionStart[s]; t < sessionStart[s + 1]; t++) {
      const first = isOfEvents ? 2 * t : t;
      if (position[first] < 0) continue;
      if (before >= 0 && position[first] < position[before])
        refuse(`the order puts ${name(first)} before ${name(before)}, which is earlier in its session`);
      before = isOfEvents ? first + 1 : t;
    }
  }
}
