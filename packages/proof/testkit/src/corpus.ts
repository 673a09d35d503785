import type { LevelName } from '@isolab/contract';
import type { History } from '@isolab/history';
import { decide } from '@isolab/oracle';
import fc from 'fast-check';
import { type HistoryBounds, arbitraryHistory } from './arbitrary.ts';
import { type ExhaustiveBounds, exhaustiveHistories } from '@isolab/lattice';
import { NAMED_HISTORIES } from './named-histories.ts';

/** Histories with their verdicts, which are computed once for all checkers of a test run. */
export interface Case {
  readonly name: string;
  readonly history: History;
  holds(level: LevelName): boolean;
}

export const NAMED_CASES: readonly Case[] = NAMED_HISTORIES.map(({ name, history, verdicts }) => ({
  name,
  history,
  holds: (level) => verdicts[level] === 'satisfied',
}));

/** Selects all histories within small bounds, and every n-th history within larger bounds. */
export interface Selection {
  readonly bounds: ExhaustiveBounds;
  readonly every: number;
}

export const DEFAULT_SELECTIONS: readonly Selection[] = [
  { bounds: { sessions: 2, transactions: 2, keys: 2, operations: 2 }, every: 1 },
  { bounds: { sessions: 3, transactions: 4, keys: 2, operations: 1 }, every: 2 },
  { bounds: { sessions: 3, transactions: 3, keys: 2, operations: 2 }, every: 97 },
];

const selected = new Map<string, readonly Case[]>();

export function exhaustiveCases(selections: readonly Selection[]): readonly Case[] {
  const key = JSON.stringify(selections);
  const known = selected.get(key);
  if (known) return known;
  const cases = selections.flatMap(({ bounds, every }) =>
    Array.from(exhaustiveHistories(bounds, every), (history, i) =>
      caseOf(`number ${i * every} of ${JSON.stringify(bounds)}`, history),
    ),
  );
  selected.set(key, cases);
  return cases;
}

const drawn = new Map<string, Promise<readonly Case[]>>();

/** Returns the histories that a property with `runs` runs would try, in the same order. */
export function randomCases(bounds: HistoryBounds, runs: number, seed: number): Promise<readonly Case[]> {
  const key = JSON.stringify([bounds, runs, seed]);
  const known = drawn.get(key);
  if (known) return known;
  const cases = draw(bounds, runs, seed);
  drawn.set(key, cases);
  return cases;
}

async function draw(bounds: HistoryBounds, runs: number, seed: number): Promise<readonly Case[]> {
  const cases: Case[] = [];
  const property = fc.asyncProperty(arbitraryHistory(bounds), async (history) => void cases.push(caseOf('', history)));
  await fc.assert(property, { numRuns: runs, seed });
  return cases;
}

export function caseOf(name: string, history: History): Case {
  const truth = new Map<LevelName, boolean>();
  const holds = (level: LevelName): boolean => {
    if (!truth.has(level)) truth.set(level, decide(history, level).satisfied);
    return truth.get(level)!;
  };
  return { name, history, holds };
}

/** Kinds of random histories, which together have every shape that a checker may require. */
export const RANDOM_KINDS: Readonly<Record<string, HistoryBounds>> = {
  'unique values': { atLeast: 2 },
  'stale snapshots': {
    atLeast: 6,
    transactions: 8,
    sessions: 5,
    operations: 2,
    disturbances: 1,
    stores: ['causal', 'prefix', 'snapshot-isolation'],
  },
  'aborted transactions': { atLeast: 2, aborted: true },
  'unknown outcomes': { atLeast: 2, aborted: true, unknown: true, operations: 2 },
  'repeated values': { atLeast: 2, repeatedValues: true },
  'real times': { atLeast: 2, times: true },
  'reads before writes': { atLeast: 2, readFirst: true, operations: 2, times: true },
  'single operations': { atLeast: 2, operations: 1, transactions: 6, times: true },
  lists: { atLeast: 2, lists: true },
};
