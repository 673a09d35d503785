import { TxnStatus } from '@isolab/history';
import type { Attempt, Facts, FinalWrite, Transaction } from './facts.ts';

/** A history with resolved unknown outcomes and with the rows that aggregates saw. */
export interface World {
  readonly transactions: readonly Transaction[];
  readonly aborted: readonly Transaction[];
  readonly initial: Int32Array;
}

/**
 * Yields all choices of outcomes and of rows that aggregates saw, starting with the outcomes with fewest transactions.
 */
export function* worlds({ attempts, initial }: Facts): Generator<World> {
  const unknown = attempts.filter(({ status }) => status === TxnStatus.Unknown);
  const aborted = attempts.flatMap(({ status, ways }) => (status === TxnStatus.Aborted ? ways : []));
  if (unknown.length > 16)
    throw new RangeError(`Got ${unknown.length} unknown outcomes; the oracle supports at most 16.`);
  for (let choice = 0; choice < 1 << unknown.length; choice++) {
    const happened = attempts.filter(
      (t) =>
        t.status === TxnStatus.Committed ||
        (t.status === TxnStatus.Unknown && (choice & (1 << unknown.indexOf(t))) !== 0),
    );
    const left = unknown.filter((t) => !happened.includes(t));
    for (const transactions of waysOf(happened))
      if (!left.some((t) => isNeeded(t, transactions, initial))) yield { transactions, aborted, initial };
  }
}

/** Yields all combinations of the ways in which these transactions can have happened. */
function* waysOf([first, ...rest]: readonly Attempt[]): Generator<Transaction[]> {
  if (first === undefined) yield [];
  else for (const way of first.ways) for (const others of waysOf(rest)) yield [way, ...others];
}

/**
 * Returns whether only this transaction of unknown outcome can have written a version that was read, so that it
 * happened.
 */
function isNeeded(unknown: Attempt, world: readonly Transaction[], initial: Int32Array): boolean {
  return world.some(({ everyRead }) =>
    everyRead.some(
      ({ key, accepts, isElement }) =>
        (isElement || !accepts(initial[key])) &&
        unknown.everyWrite.some((write) => write.key === key && accepts(write.value)) &&
        !world.some((t) => t.everyWrite.some((write) => write.key === key && accepts(write.value))),
    ),
  );
}

/**
 * The world restricted to one key and the transactions that use it. Contradictions within a transaction are checked for
 * all keys together.
 */
export const restrictedTo = (key: number, { transactions, aborted, initial }: World): World => ({
  transactions: transactions
    .filter(({ keys }) => keys.has(key))
    .map((t) => ({
      ...t,
      keys: new Set([key]),
      reads: t.reads.filter((read) => read.key === key),
      writes: t.writes.filter((write) => write.key === key),
    })),
  aborted,
  initial,
});

/** The keys that transactions that happened use, including keys without any read of a known result. */
export const keysOf = ({ transactions }: World): number[] => [
  ...new Set(transactions.flatMap(({ keys }) => [...keys])),
];

export const inSessionOrder = (a: Transaction, b: Transaction): boolean => a.session === b.session && a.id < b.id;

/** Returns whether a returned before b was called. */
export const inRealTime = (a: Transaction, b: Transaction): boolean =>
  a.end !== null && b.begin !== null && a.end < b.begin;

export const writeTo = ({ writes }: Transaction, key: number): FinalWrite | undefined =>
  writes.find((write) => write.key === key);

export const conflict = (a: Transaction, b: Transaction): boolean => a.writes.some(({ key }) => writeTo(b, key));
