import { type History, NO_TIME, TxnStatus } from '@isolab/history';
import type { Model } from './model.ts';
import { Timeline } from './timeline.ts';

/** What real time has each event wait for (docs/levels.md): the earliest events that are not placed stand for all. */
export class RealTime {
  readonly #model: Model;
  readonly #history: History;
  readonly #commits: Timeline;
  readonly #begins: Timeline | null;

  constructor(history: History, happened: Uint8Array, model: Model, position: Int32Array) {
    const shift = model.split ? 1 : 0;
    const { txnBegin, txnEnd } = history;
    this.#model = model;
    this.#history = history;
    const members = Int32Array.from(happened.keys()).filter((t) => happened[t] === 1);
    const commits = members.filter((t) => returned(history, t)).map((t) => (t << shift) | shift);
    this.#commits = new Timeline(commits, (event) => txnEnd![event >> shift], position);
    const begins = members.filter((t) => txnBegin !== null && txnBegin[t] !== NO_TIME).map((t) => t << shift);
    this.#begins = model.split ? new Timeline(begins, (event) => txnBegin![event >> shift], position) : null;
  }

  /** An event that is not placed and must come before this one, or −1. */
  blockerOf(event: number): number {
    const { split, time } = this.#model;
    const { txnBegin } = this.#history;
    if (split && event & 1) {
      const commit = commitsAfter(this.#history, event >> 1);
      if (commit === NO_TIME) return -1;
      const earlier = this.#begins!.firstBefore(commit, event);
      return earlier >= 0 ? earlier : this.#commits.firstBefore(commit, event);
    }
    if (time === 'commits') return -1;
    const begin = txnBegin === null ? NO_TIME : txnBegin[split ? event >> 1 : event];
    return begin === NO_TIME ? -1 : this.#commits.firstBefore(begin, event);
  }

  remove(event: number): void {
    this.#commits.remove(event);
    this.#begins?.remove(event);
  }
}

/** Whether it is known when a transaction returned. One of unknown outcome never did: it may take effect at any time. */
const returned = ({ txnStatus, txnEnd }: History, t: number): boolean =>
  txnEnd !== null && txnStatus[t] === TxnStatus.Committed && txnEnd[t] !== NO_TIME;

/** A time before which a transaction surely did not commit: its end, or if that was never learned its begin. */
export function commitsAfter(history: History, t: number): bigint {
  const { txnStatus, txnBegin, txnEnd } = history;
  if (returned(history, t)) return txnEnd![t];
  return txnStatus[t] === TxnStatus.Unknown && txnBegin !== null ? txnBegin[t] : NO_TIME;
}
