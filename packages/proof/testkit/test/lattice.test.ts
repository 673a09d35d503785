import { LEVELS, type LevelName, levelOrderBreaks } from '@isolab/contract';
import type { History } from '@isolab/history';
import { levelsSatisfied } from '@isolab/oracle';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ExhaustiveBounds, arbitraryHistory, exhaustiveHistories, printHistory } from '../src/index.ts';
import { RANDOM_KINDS } from '../src/corpus.ts';

/** Where the definitions, which know nothing of one another, contradict the registry. */
function breaksOf(history: History) {
  const satisfied = new Set(levelsSatisfied(history));
  const verdicts = Object.fromEntries(
    LEVELS.map(({ name }) => [name, satisfied.has(name) ? ('satisfied' as const) : ('violated' as const)]),
  ) as Record<LevelName, 'satisfied' | 'violated'>;
  return levelOrderBreaks(verdicts);
}

describe('a history that satisfies a level satisfies all levels that it implies', () => {
  const corpus: readonly (readonly [ExhaustiveBounds, every: number])[] = [
    [{ sessions: 2, transactions: 2, keys: 2, operations: 2 }, 1],
    [{ sessions: 2, transactions: 4, keys: 2, operations: 1 }, 1],
    [{ sessions: 3, transactions: 3, keys: 1, operations: 2 }, 11],
    [{ sessions: 3, transactions: 3, keys: 2, operations: 2 }, 73],
  ];

  test.each(corpus)('in the histories of %o, every %d-th', (bounds, every) => {
    for (const history of exhaustiveHistories(bounds, every))
      expect({ of: printHistory(history), breaks: breaksOf(history) }).toMatchObject({ breaks: [] });
  });

  test.each(Object.entries(RANDOM_KINDS))(
    'a history that satisfies a level satisfies all levels that it implies in random histories: %s',
    (_, bounds) => {
      const property = fc.property(arbitraryHistory(bounds), (history) => {
        expect(breaksOf(history)).toEqual([]);
      });
      fc.assert(property, { numRuns: 150 });
    },
  );
});
