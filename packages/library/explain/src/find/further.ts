// Checkers stop at one contradiction where finding another would cost a second search. Further anomalies appear once
// the transactions of the known anomalies are removed.

import type { FoundAnomaly } from '@isolab/contract';
import { type History, countTransactions } from '@isolab/history';
import { namedTransactions } from '../shrink/named.ts';
import { partsOf } from '../shrink/part.ts';
import { inWhole } from './renumber.ts';

export interface FurtherOptions {
  readonly rounds?: number;
  /** Stops the search once `aborted` is true. An AbortSignal works. */
  readonly signal?: { readonly aborted: boolean };
}

export interface Further {
  /** The given anomalies and the further anomalies, in the transaction numbers of the history. */
  readonly anomalies: readonly FoundAnomaly[];
  /**
   * Number of transactions that the anomalies name. If `end` is `satisfied`, the rest of the history satisfies the
   * level.
   */
  readonly transactions: number;
  readonly end: 'satisfied' | 'rounds' | 'stopped' | 'unknown';
}

/** Returns the anomalies of a history or of a part of it; empty if the history satisfies the level. */
export type FindAnomalies = (history: History) => Promise<readonly FoundAnomaly[] | 'unknown'>;

/** Rechecks a history without the transactions of the anomalies found, until no anomaly is left. */
export async function findFurther(
  history: History,
  found: readonly FoundAnomaly[],
  find: FindAnomalies,
  { rounds = ROUNDS, signal }: FurtherOptions = {},
): Promise<Further> {
  const keep = partsOf(history);
  const kept = new Uint8Array(countTransactions(history)).fill(1);
  const anomalies = [...found];
  let removed = remove(history, found, kept);
  const ended = (end: Further['end']): Further => ({ anomalies, transactions: removed, end });
  for (let round = 0; round < rounds; round++) {
    if (signal?.aborted) return ended('stopped');
    const part = keep(kept);
    const next = await find(part.history);
    if (next === 'unknown') return ended(signal?.aborted ? 'stopped' : 'unknown');
    if (next.length === 0) return ended('satisfied');
    const told = next.map((anomaly) => inWhole(part, history, anomaly));
    anomalies.push(...told);
    const more = remove(history, told, kept);
    if (more === 0) return ended('unknown'); // it named no transactions, so that the next check would find it again
    removed += more;
  }
  return ended('rounds');
}

/** Removes the transactions that anomalies name, and returns their number. */
function remove(history: History, anomalies: readonly FoundAnomaly[], kept: Uint8Array): number {
  let count = 0;
  for (const anomaly of anomalies) {
    const own = anomaly.transactions.filter((t) => t >= 0);
    for (const t of own.length > 0 ? own : namedTransactions(history, anomaly)) {
      count += kept[t];
      kept[t] = 0;
    }
  }
  return count;
}

const ROUNDS = 20;
