import { type History, NO_TIME, TimeBounds } from '@isolab/history';

/** Order of two transactions by the clock: the first one's latest moment came before the second one's earliest. */
export interface ClockFact {
  readonly first: 'begun' | 'ended';
  readonly second: 'called' | 'committing';
  readonly times: readonly [bigint, bigint];
}

/** The strongest fact by which real time puts a transaction before another; null where the times show none. */
export function clockFact(history: History, from: number, to: number): ClockFact | null {
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
