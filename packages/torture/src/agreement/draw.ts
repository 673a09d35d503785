import type { LevelName } from '@isolab/contract';
import {
  type Atom,
  type History,
  type PlainHistory,
  type PlainOperation,
  countFailedCompareAndSets,
  fromPlain,
  toRegisters,
} from '@isolab/history';
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
  'mixtures',
] as const;

export function draw(aim: (typeof AIMS)[number], random: Random, transactions = 5): History {
  if (aim === 'rows' || aim === 'single operations on rows')
    return fromPlain(drawRows(random, aim !== 'rows', transactions));
  if (aim === 'claims of the database') return fromPlain(drawRun(random, transactions, random.chance(0.3)));
  if (aim === 'exchanges and ranges')
    return fromPlain(withExchanges(drawRun(random, transactions), () => random.fraction()));
  if (aim === 'mixtures') return fromPlain(drawMixture(random, transactions));
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
function drawRows(random: Random, single: boolean, transactions: number): PlainHistory {
  const kind = { single, repeated: random.chance(0.3), open: random.chance(0.3) };
  for (;;) {
    const run = randomRows(() => random.fraction(), kind);
    if (countOf(run) <= transactions && toRegisters(fromPlain(run)).undecidedAggregates.length === 0) return run;
  }
}

const countOf = ({ sessions }: PlainHistory): number =>
  sessions.reduce((sum, { transactions }) => sum + transactions.length, 0);

/** Transactions of rows, or of lists, that also read and write registers. */
function drawMixture(random: Random, transactions: number): PlainHistory {
  const others = random.chance(0.8)
    ? drawRows(random, random.chance(0.2), transactions)
    : drawRun(random, transactions, true);
  const registers = drawRun(random, transactions);
  return beside(random.chance(0.5) ? withExchanges(registers, () => random.fraction()) : registers, others, random);
}

/** Two histories of different keys as one, whose transactions do what both do; times and outcomes are those of the second. */
function beside(first: PlainHistory, second: PlainHistory, random: Random): PlainHistory {
  const sessions = Array.from({ length: Math.max(first.sessions.length, second.sessions.length) }, (_, s) => {
    const one = first.sessions[s]?.transactions ?? [];
    const other = second.sessions[s]?.transactions ?? [];
    const transactions = Array.from({ length: Math.max(one.length, other.length) }, (__, t) => ({
      ...(other[t] ?? { status: one[t]!.status, operations: [] }),
      operations: shuffled(one[t]?.operations.map(renamed) ?? [], other[t]?.operations ?? [], random),
    }));
    return { name: BigInt(s), transactions };
  });
  const initialOf = [...(first.initialOf ?? []), ...(second.initialOf ?? [])];
  return { ...second, initial: first.initial!, initialOf, sessions };
}

/** Both in their own order. */
function shuffled<T>(first: readonly T[], second: readonly T[], random: Random): T[] {
  const left = [...first];
  const right = [...second];
  const out: T[] = [];
  while (left.length + right.length > 0)
    out.push((random.below(left.length + right.length) < left.length ? left : right).shift()!);
  return out;
}

/** The keys of runs begin with k. */
function renamed(operation: PlainOperation): PlainOperation {
  const other = (key: Atom): Atom => (key === null ? key : String(key).replace('k', 'l'));
  if (operation.kind === 'scan') return operation;
  if (operation.kind !== 'range-read') return { ...operation, key: other(operation.key) };
  const rows = operation.rows.map((row) => ({ ...row, key: other(row.key) }));
  return { ...operation, low: other(operation.low), high: other(operation.high), rows };
}

/** Runs of a database that, in every third, gives versions numbers, and transactions timestamps. */
function drawRun(random: Random, transactions: number, lists = false): PlainHistory {
  const some = (): boolean => random.chance(0.3);
  const kind = { repeated: some(), open: some(), single: some(), mini: some(), lists };
  for (;;) {
    const run = randomRun(() => random.fraction(), kind);
    if (countOf(run) <= transactions) return run;
  }
}
