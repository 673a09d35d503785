import { type History, NO_TIME, TxnStatus } from '@isolab/history';
import { refuse } from '../verdict/flaw.ts';
import { nameEvent } from './orders.ts';
import type { RealTime } from './rules.ts';

// Checks that orders respect real time. The walks go backwards and keep the earliest time passed, which must not
// precede the current time.

/**
 * Returns whether the return time of a transaction is known. A transaction of unknown outcome may take effect at any
 * time and never returns.
 */
export const returned = ({ txnStatus, txnEnd }: History, t: number): boolean =>
  txnEnd !== null && txnStatus[t] === TxnStatus.Committed && txnEnd[t] !== NO_TIME;

/** Time of a transaction's call; NO_TIME if unknown. */
export const callOf = ({ txnBegin }: History, t: number): bigint => (txnBegin === null ? NO_TIME : txnBegin[t]);
export const returnOf = (history: History, t: number): bigint => (returned(history, t) ? history.txnEnd![t] : NO_TIME);

/** Latest possible begin of a transaction: its first answer, or its return; NO_TIME if both are unknown. */
export const begunBy = (history: History, t: number): bigint =>
  history.txnBegun === null || history.txnBegun[t] === NO_TIME ? returnOf(history, t) : history.txnBegun[t];

/** Earliest possible commit of a transaction: its COMMIT request, or its call. */
export const commitsAfter = (history: History, t: number): bigint =>
  history.txnCommitting === null || history.txnCommitting[t] === NO_TIME
    ? callOf(history, t)
    : history.txnCommitting[t];

export const isEarlier = (a: bigint, b: bigint): boolean => a !== NO_TIME && b !== NO_TIME && a < b;

/** The latest possible time of an event, to be compared with the earliest possible times of later events. */
export const timeFrom = (history: History, event: number): bigint =>
  event % 2 === 0 ? begunBy(history, event >> 1) : returnOf(history, event >> 1);
export const timeTo = (history: History, event: number): bigint =>
  event % 2 === 0 ? callOf(history, event >> 1) : commitsAfter(history, event >> 1);

/** Refuses if a transaction precedes another transaction that had returned before its call. */
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

/** Verifies real time among the transactions of each key. */
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

/**
 * Refuses unless begins and commits precede later commits and, at levels that require the latest snapshot, commits
 * precede later begins.
 */
export function verifyRealTimeOfEvents(history: History, realTime: RealTime, events: Int32Array): void {
  let begin = -1; // the passed event with the least latest time
  let commit = -1;
  for (let i = events.length - 1; i >= 0; i--) {
    const event = events[i];
    const [from, to] = [timeFrom(history, event), timeTo(history, event)];
    if (event % 2 === 1 && begin >= 0 && isEarlier(timeFrom(history, begin), to)) refuseEvents(event, begin);
    const comparesCommit = event % 2 === 1 || realTime === 'snapshots';
    if (comparesCommit && commit >= 0 && isEarlier(timeFrom(history, commit), to)) refuseEvents(event, commit);
    if (from === NO_TIME) continue;
    const first = event % 2 === 1 ? commit : begin;
    if (first >= 0 && from >= timeFrom(history, first)) continue;
    if (event % 2 === 1) commit = event;
    else begin = event;
  }
}

const refuseEvents = (first: number, second: number): never =>
  refuse(`the order puts ${nameEvent(first)} before ${nameEvent(second)}, against real time`);
