import type { LevelName } from '@isolab/contract';
import { type History, fromPlain } from '@isolab/history';
import { ALL_LEVELS, levelsSatisfied } from '@isolab/oracle';
import { printHistory, randomRows, randomSums } from '@isolab/testkit';
import weave from '@isolab/weave';
import { Random } from '@isolab/workloads';
import type { Suite } from '../suite/suite.ts';
import { drawCounters } from './draw.ts';
import { type AnyChecker, problemWith } from './with-checker.ts';

/**
 * Checks histories of rows alone with the one checker that decides all of them, and many more of them than of all
 * kinds.
 */
export const rows: Suite = {
  name: 'rows',
  title:
    'tiny histories of rows with scans, aggregates of every kind and unknown outcomes, and of counters: weave agrees with the oracle at all levels, and certificates are accepted; if all levels hold, weave checks about an eighth of them',
  short: 500,
  long: 1_000_000,
  run: async (count, seed, report) => {
    for (let i = 0; i < count; i++) {
      const random = new Random(`rows/${seed}/${i}`);
      const history =
        i % 4 === 3
          ? drawCounters(random, 5)
          : i % 4 === 1
            ? fromPlain(randomSums(() => random.fraction()))
            : drawRows(random);
      const truths = new Set(levelsSatisfied(history));
      const problem = await problemWith({
        checker: weave as unknown as AnyChecker,
        history,
        holds: (level: LevelName) => truths.has(level),
        random,
        share: truths.size === ALL_LEVELS.length ? ASKED_WHERE_ALL_HOLD : 1,
        report,
      });
      const kind =
        truths.size === ALL_LEVELS.length ? 'all levels hold' : truths.size === 0 ? 'none holds' : 'some hold';
      if (problem === null) report.survived(kind);
      else report.failed(kind, `history ${i} of seed ${seed}: ${problem}\n${printHistory(history)}`);
    }
  },
};

const drawRows = (random: Random): History =>
  fromPlain(
    randomRows(() => random.fraction(), {
      aggregates: true,
      open: true,
      repeated: random.chance(0.3),
      single: random.chance(0.1),
      tight: random.chance(0.8),
      transactions: 5,
    }),
  );

/** Most histories satisfy all levels, and give no further information about their differences. */
const ASKED_WHERE_ALL_HOLD = 0.125;
