import { type History, NO_TIME, TimeBounds, type TransactionId } from '@isolab/history';
import type { Model } from '../../problem/model.ts';

/** Times or places between which events happen, by transaction; infinite where unknown or unlimited. */
export interface EventBounds {
  /** Earliest begin and latest begin. */
  readonly begin: Float64Array;
  readonly begun: Float64Array;
  /** Earliest commit and latest commit. */
  readonly committing: Float64Array;
  readonly end: Float64Array;
}

/** Returns the times that a level compares; null if they do not fit into floating-point numbers. */
export function realTimesOf(history: History, { split, time }: Pick<Model, 'split' | 'time'>): EventBounds | null {
  const { txnBegin, txnBegun, txnCommitting, txnEnd, txnStatus } = history;
  let least: bigint | null = null;
  let most = 0n;
  for (const column of [txnBegin, txnBegun, txnCommitting, txnEnd])
    for (const at of column ?? []) {
      if (at === NO_TIME) continue;
      if (least === null || at < least) least = at;
      if (at > most) most = at;
    }
  const from = least ?? 0n;
  const bounds = new TimeBounds(history);
  if (most - from > BigInt(Number.MAX_SAFE_INTEGER)) return null;
  const bound = (unknown: number, boundOf: (t: TransactionId) => bigint): Float64Array =>
    Float64Array.from(txnStatus, (_, t) => {
      const known = boundOf(t as TransactionId);
      return known === NO_TIME ? unknown : Number(known - from);
    });
  const ordersCommits = split && time !== 'none';
  return {
    begin: bound(-Infinity, (t) => (time === 'commits' ? NO_TIME : bounds.earliestBegin(t))),
    end: bound(Infinity, (t) => bounds.latestCommit(t)),
    begun: bound(Infinity, (t) => (ordersCommits ? bounds.latestBegin(t) : NO_TIME)),
    committing: bound(-Infinity, (t) => (ordersCommits ? bounds.earliestCommit(t) : NO_TIME)),
  };
}
