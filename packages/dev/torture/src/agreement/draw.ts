import { type History, type PlainHistory, type PlainOperation, fromPlain } from '@isolab/history';
import {
  type HistoryBounds,
  arbitraryHistory,
  historyOfRowCase,
  randomCounters,
  randomRows,
  randomRun,
  rowCases,
  withExchanges,
} from '@isolab/testkit';
import type { Random } from '@isolab/workloads';
import fc from 'fast-check';

/** Features of drawn histories, in turn. */
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
  'two writers of two rows',
  'counters',
  'mixtures',
] as const;

export function draw(aim: (typeof AIMS)[number], random: Random, transactions = 5): History {
  if (aim === 'rows' || aim === 'single operations on rows')
    return fromPlain(drawRows(random, aim !== 'rows', transactions));
  if (aim === 'claims of the database') return fromPlain(drawRun(random, transactions, random.chance(0.3)));
  if (aim === 'exchanges and ranges')
    return fromPlain(withExchanges(drawRun(random, transactions), () => random.fraction()));
  if (aim === 'two writers of two rows') return drawRowCase(random);
  if (aim === 'counters') return drawCounters(random, transactions);
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

/** Draws rows, with scans and aggregates of them. */
function drawRows(random: Random, single: boolean, transactions: number): PlainHistory {
  const some = (): boolean => random.chance(0.5);
  const [repeated, open, aggregates, tight] = [random.chance(0.3), some(), some(), some()];
  return randomRows(() => random.fraction(), { single, repeated, open, aggregates, tight, transactions });
}

const ROW_CASES = [...rowCases()];

const drawRowCase = (random: Random): History =>
  historyOfRowCase(ROW_CASES[random.below(ROW_CASES.length)]!, random.chance(0.5));

export function drawCounters(random: Random, transactions: number): History {
  const [repeated, open, writes] = [random.chance(0.3), random.chance(0.5), random.chance(0.5)];
  return randomCounters(() => random.fraction(), { repeated, open, writes, transactions });
}

const countOf = ({ sessions }: PlainHistory): number =>
  sessions.reduce((sum, { transactions }) => sum + transactions.length, 0);

/** Draws transactions over two of rows, lists and registers, seldom over all three. */
function drawMixture(random: Random, transactions: number): PlainHistory {
  for (;;) {
    const registers = drawRun(random, transactions);
    const parts = [
      drawRows(random, random.chance(0.2), transactions),
      renamed(drawRun(random, transactions, true)),
      random.chance(0.5) ? withExchanges(registers, () => random.fraction()) : registers,
    ];
    const last = random.below(parts.length);
    const first = (last + random.between(1, 2)) % parts.length;
    const third = parts.length - first - last;
    const both = beside(parts[first]!, parts[last]!, random);
    const mixture = random.chance(0.2) ? beside(parts[third]!, both, random) : both;
    if (countOf(mixture) <= transactions) return mixture;
  }
}

/**
 * Merges two histories of different keys into one, whose transactions combine the operations of both; times and
 * outcomes are those of the second.
 */
function beside(first: PlainHistory, second: PlainHistory, random: Random): PlainHistory {
  const sessions = Array.from({ length: Math.max(first.sessions.length, second.sessions.length) }, (_, s) => {
    const one = first.sessions[s]?.transactions ?? [];
    const other = second.sessions[s]?.transactions ?? [];
    const transactions = Array.from({ length: Math.max(one.length, other.length) }, (__, t) => ({
      ...(other[t] ?? { status: one[t]!.status, operations: [] }),
      operations: interleaved(one[t]?.operations ?? [], other[t]?.operations ?? [], random),
    }));
    return { name: BigInt(s), transactions };
  });
  const tables = [...(first.tables ?? []), ...(second.tables ?? [])];
  const initialOf = [...(first.initialOf ?? []), ...(second.initialOf ?? [])];
  return { initial: 0n, tables, initialOf, sessions };
}

/** Interleaves two lists and keeps the order of each. */
function interleaved<T>(first: readonly T[], second: readonly T[], random: Random): T[] {
  const left = [...first];
  const right = [...second];
  const out: T[] = [];
  while (left.length + right.length > 0)
    out.push((random.below(left.length + right.length) < left.length ? left : right).shift()!);
  return out;
}

/** Renames the lists of a run to distinguish them from the registers of another. */
function renamed({ sessions, ...rest }: PlainHistory): PlainHistory {
  const other = (one: PlainOperation): PlainOperation =>
    'key' in one ? { ...one, key: `list ${String(one.key)}` } : one;
  return {
    ...rest,
    sessions: sessions.map(({ name, transactions }) => ({
      name,
      transactions: transactions.map(({ operations, ...how }) => ({ ...how, operations: operations.map(other) })),
    })),
  };
}

/** Draws runs of a database; every third has version numbers and timestamps. */
function drawRun(random: Random, transactions: number, lists = false): PlainHistory {
  const some = (): boolean => random.chance(0.3);
  const kind = { repeated: some(), open: some(), single: some(), mini: some(), lists };
  for (;;) {
    const run = randomRun(() => random.fraction(), kind);
    if (countOf(run) <= transactions) return run;
  }
}
