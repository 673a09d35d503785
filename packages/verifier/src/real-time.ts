import { type History, NO_TIME, TxnStatus } from '@isolab/history';
import { refuse } from './flaw.ts';
import { nameEvent } from './orders.ts';
import type { RealTime } from './rules.ts';

// Whether orders respect real time. Both walks go backwards with the earliest of the times passed, which must not lie
// before the time at hand.

/** Whether it is known when a transaction returned. One of unknown outcome never did: it may take effect at any time. */
export const returned = ({ txnStatus, txnEnd }: History, t: number): boolean =>
  txnEnd !== null && txnStatus[t] === TxnStatus.Committed && txnEnd[t] !== NO_TIME;

/** When a transaction was called and returned; NO_TIME where that is not known. */
export const callOf = ({ txnBegin }: History, t: number): bigint => (txnBegin === null ? NO_TIME : txnBegin[t]);
export const returnOf = (history: History, t: number): bigint => (returned(history, t) ? history.txnEnd![t] : NO_TIME);

/** A time before which a transaction surely did not commit: its return, or if nobody saw that its call. */
export const commitsAfter = (history: History, t: number): bigint =>
  returned(history, t) ? history.txnEnd![t] : callOf(history, t);

export const isEarlier = (a: bigint, b: bigint): boolean => a !== NO_TIME && b !== NO_TIME && a < b;

/** The times of an event in relation to later and to earlier ones. */
export const timeFrom = (history: History, event: number): bigint =>
  event % 2 === 0 ? callOf(history, event >> 1) : returnOf(history, event >> 1);
export const timeTo = (history: History, event: number): bigint =>
  event % 2 === 0 ? callOf(history, event >> 1) : commitsAfter(history, event >> 1);

/** No transaction stands before one that had returned before it was called. */
export function verifyRealTimeOfCommits(history: History, order: Int32Array): void {
  const { txnBegin } = history;
  if (txnBegin === null) return;
  let first = -1;
  for (let i = order.length - 1; i >= 0; i--) {
    const t = order[i];
    if (first >= 0 && txnBegin[t] !== NO_TIME && history.txnEnd![first] < txnBegin[t]) refuseCommits(t, first);
    if (returned(history, t) && (first < 0 || history.txnEnd![t] < history.txnEnd![first])) first = t;
  }
}

/** The same among the transactions of each key. */
export function verifyRealTimeByKey(history: History, order: Int32Array, keyOf: Int32Array): void {
  const { txnBegin, txnEnd } = history;
  const first = new Int32Array(history.keyInitial.length).fill(-1);
  for (let i = order.length - 1; i >= 0; i--) {
    const t = order[i];
    const key = keyOf[t];
    if (key < 0) continue;
    const other = first[key];
    if (other >= 0 && txnBegin && txnBegin[t] !== NO_TIME && txnEnd![other] < txnBegin[t]) refuseCommits(t, other);
    if (returned(history, t) && (other < 0 || txnEnd![t] < txnEnd![other])) first[key] = t;
  }
}

const refuseCommits = (before: number, after: number): never =>
  refuse(
    `the order puts transaction ${before} before transaction ${after}, although the latter returned before the former was called`,
  );

/** Begins and commits stand before later commits, and commits before later begins where snapshots are the latest. */
export function verifyRealTimeOfEvents(history: History, realTime: RealTime, events: Int32Array): void {
  const { txnBegin, txnEnd } = history;
  let begin = -1;
  let commit = -1;
  for (let i = events.length - 1; i >= 0; i--) {
    const t = events[i] >> 1;
    if (events[i] % 2 === 1) {
      const at = commitsAfter(history, t);
      if (at !== NO_TIME) {
        if (begin >= 0 && txnBegin![begin] < at) refuseEvents(events[i], 2 * begin);
        if (commit >= 0 && txnEnd![commit] < at) refuseEvents(events[i], 2 * commit + 1);
      }
      if (returned(history, t) && (commit < 0 || txnEnd![t] < txnEnd![commit])) commit = t;
    } else if (txnBegin !== null && txnBegin[t] !== NO_TIME) {
      if (realTime === 'snapshots' && commit >= 0 && txnEnd![commit] < txnBegin[t])
        refuseEvents(events[i], 2 * commit + 1);
      if (begin < 0 || txnBegin[t] < txnBegin[begin]) begin = t;
    }
  }
}

const refuseEvents = (first: number, second: number): never =>
  refuse(`the order puts ${nameEvent(first)} before ${nameEvent(second)}, against real time`);
