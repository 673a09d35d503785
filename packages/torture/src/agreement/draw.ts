import type { LevelName } from '@isolab/contract';
import { type History, type PlainHistory, countFailedCompareAndSets, fromPlain, toRegisters } from '@isolab/history';
import { type HistoryBounds, arbitraryHistory, randomRows, randomRun, withExchanges } from '@isolab/testkit';
import type { Random } from '@isolab/workloads';
import fc from 'fast-check';

/** What histories are aimed at, in turn. */
export const AIMS = [
  'everything',
  'initial values',
  'lists',
  'equal times',
  'unique values',
  'claims of the database',
  'exchanges and ranges',
  'rows',
  'single operations on rows',
] as const;

export function draw(aim: (typeof AIMS)[number], random: Random, transactions = 5): History {
  if (aim === 'rows' || aim === 'single operations on rows') return drawRows(random, aim !== 'rows', transactions);
  if (aim === 'claims of the database') return fromPlain(drawRun(random, transactions, random.chance(0.3)));
  if (aim === 'exchanges and ranges')
    return fromPlain(withExchanges(drawRun(random, transactions), () => random.fraction()));
  const bounds: HistoryBounds = {
    lists: aim === 'lists' || (aim !== 'initial values' && random.chance(0.2)),
    wild: aim !== 'unique values',
    repeatedValues: aim === 'initial values' || (aim !== 'unique values' && random.chance(0.4)),
    times: aim === 'equal times' || random.chance(0.4),
    unknown: random.chance(0.3),
    aborted: random.chance(0.3),
    transactions,
    atLeast: random.between(1, 4),
    operations: random.between(1, 3),
    disturbances: random.between(0, 3),
  };
  return fc.sample(arbitraryHistory(bounds), { numRuns: 1, seed: random.below(2 ** 31) })[0]!;
}

/**
 * Whether the oracle knows the truth: only operations by themselves are judged by compare-and-sets that failed, and it judges
 * transactions.
 */
export const isKnown = (history: History, level: LevelName): boolean =>
  level !== 'linearizable' || countFailedCompareAndSets(history) === 0;

/** Rows, which scans read too. What an aggregate says of several rows is left out: weave alone takes it into account. */
function drawRows(random: Random, single: boolean, transactions: number): History {
  const kind = { single, repeated: random.chance(0.3), open: random.chance(0.3) };
  for (;;) {
    const history = fromPlain(randomRows(() => random.fraction(), kind));
    const isSmall = history.txnStatus.length <= transactions;
    if (isSmall && toRegisters(history).undecidedAggregates.length === 0) return history;
  }
}

/** Runs of a database that, in every third, gives versions numbers, and transactions timestamps. */
function drawRun(random: Random, transactions: number, lists = false): PlainHistory {
  const some = (): boolean => random.chance(0.3);
  const kind = { repeated: some(), open: some(), single: some(), mini: some(), lists };
  for (;;) {
    const run = randomRun(() => random.fraction(), kind);
    if (run.sessions.reduce((sum, session) => sum + session.transactions.length, 0) <= transactions) return run;
  }
}
