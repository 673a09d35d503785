import { type History, NO_TIME, TimeBounds, type TransactionId } from '@isolab/history';

/** Real-time order of two transactions: the latest moment of the first precedes the earliest moment of the second. */
export interface ClockFact {
  readonly first: 'begun' | 'ended';
  readonly second: 'called' | 'committing';
  readonly times: readonly [bigint, bigint];
}

/** Returns the strongest fact by which real time orders two transactions; null if the timestamps show no order. */
export function clockFact(history: History, from: TransactionId, to: TransactionId): ClockFact | null {
  const bounds = new TimeBounds(history);
  const latest = { begun: bounds.latestBegin(from), ended: bounds.latestCommit(from) };
  const earliest = { called: bounds.earliestBegin(to), committing: bounds.earliestCommit(to) };
  for (const [first, second] of PAIRS) {
    const [before, after] = [latest[first], earliest[second]];
    if (before === NO_TIME || after === NO_TIME || before >= after) continue;
    return { first, second, times: [before - BigInt(history.source.drift), after] };
  }
  return null;
}

const PAIRS = [
  ['ended', 'called'],
  ['ended', 'committing'],
  ['begun', 'called'],
  ['begun', 'committing'],
] as const;
