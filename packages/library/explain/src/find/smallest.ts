import type { FoundAnomaly } from '@isolab/contract';
import { type History, countTransactions } from '@isolab/history';
import { namedTransactions, withNeighbours } from '../shrink/named.ts';
import { partsOf } from '../shrink/part.ts';
import type { Violates } from '../shrink/result.ts';
import { type ShrinkLimits, shrink } from '../shrink/shrink.ts';
import { inWhole } from './renumber.ts';

/**
 * Shrinks each anomaly of a history to a part of the transactions that it names. Small anomalies are kept unchanged.
 */
export function smallestOf(
  history: History,
  violates: Violates,
  options: ShrinkLimits = {},
): (anomaly: FoundAnomaly) => Promise<FoundAnomaly> {
  const keep = partsOf(history);
  return async (anomaly) => {
    const named = namedTransactions(history, anomaly);
    if (named.size <= SMALL) return anomaly;
    const kept = new Uint8Array(countTransactions(history));
    for (const t of withNeighbours(history, named)) kept[t] = 1;
    const part = keep(kept);
    const judgement = await violates(part.history);
    if (!judgement || judgement === true || judgement === 'unknown') return anomaly;
    const small = await shrink(part.history, violates, { ...options, anomaly: judgement, retries: 0 });
    if (small.anomaly === null) return anomaly;
    const inPart = inWhole(small, part.history, small.anomaly);
    return inWhole(part, history, { ...inPart, transactions: Array.from(small.txnOf) });
  };
}

const SMALL = 3;
