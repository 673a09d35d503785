import fc from 'fast-check';
import type { History, PlainTransaction } from '@isolab/history';
import { DISTURBANCES, disturb } from './disturbance.ts';
import { type Drafted, type Program, STORES, type Step, type Store, execute } from './execution.ts';
import { historyOf } from './notation.ts';

export interface HistoryBounds {
  /** At most so many; 3, 5, 2 and 3 unless told. */
  readonly sessions?: number;
  readonly transactions?: number;
  readonly keys?: number;
  readonly operations?: number;
  /** Whether there may be aborted transactions, unknown outcomes, repeated values, real times; whether keys are lists. */
  readonly aborted?: boolean;
  readonly unknown?: boolean;
  readonly repeatedValues?: boolean;
  readonly times?: boolean;
  readonly lists?: boolean;
  /** The simulated databases that executions come from; all of them unless told. */
  readonly stores?: readonly Store[];
  /** How many small changes an execution suffers at most; 2 unless told. With 0, it satisfies the store's level. */
  readonly disturbances?: number;
  /** Whether a write follows a read of its key, as in mini-transactions where there are no more than two operations. */
  readonly readFirst?: boolean;
  /** How many transactions there are at least; 1 unless told. */
  readonly atLeast?: number;
}

/**
 * Histories near the boundaries of the levels: an execution of a tiny database that keeps a level, disturbed a little;
 * or, from the store `random`, reads of anything. Everything is drawn as small numbers, so failures shrink to few
 * transactions with few operations.
 */
export function arbitraryHistory(bounds: HistoryBounds = {}): fc.Arbitrary<History> {
  const { repeatedValues = false, times = false, lists = false, stores = STORES, disturbances = 2 } = bounds;
  const disturbance = fc.record({
    kind: fc.constantFrom(...DISTURBANCES.filter((kind) => bounds.aborted || kind !== 'change-status')),
    where: fc.nat({ max: 30 }),
    what: fc.nat({ max: 30 }),
  });
  return fc
    .record({
      store: fc.constantFrom(...stores),
      programs: fc.array(arbitraryProgram(bounds), {
        minLength: bounds.atLeast ?? 1,
        maxLength: bounds.transactions ?? 5,
        size: 'max',
      }),
      disturbed: fc.array(disturbance, { maxLength: disturbances, size: 'max' }),
    })
    .map(({ store, programs, disturbed }) =>
      assemble(disturbed.reduce(disturb, execute(programs, { store, repeatedValues, times, lists }))),
    )
    .filter((sessions) => !repeatedValues || !sessions.some(isExplicitInitial))
    .map(historyOf);
}

function arbitraryProgram(bounds: HistoryBounds): fc.Arbitrary<Program> {
  const { sessions = 3, keys = 2, operations = 3, aborted = false, unknown = false, readFirst = false } = bounds;
  const step = fc.record({
    write: fc.oneof({ weight: 3, arbitrary: fc.constant(false) }, { weight: 2, arbitrary: fc.constant(true) }),
    key: fc.nat({ max: keys - 1 }),
    choice: fc.nat({ max: 11 }),
  });
  return fc.record({
    session: fc.nat({ max: sessions - 1 }),
    status: fc.oneof(
      { weight: 5, arbitrary: fc.constant('committed' as const) },
      { weight: aborted ? 1 : 0, arbitrary: fc.constant('aborted' as const) },
      { weight: unknown ? 1 : 0, arbitrary: fc.constant('unknown' as const) },
    ),
    steps: fc
      .oneof(
        fc.array(step, { minLength: 1, maxLength: operations, size: 'max' }),
        fc.tuple(fc.constantFrom(...TYPICAL), step).map(([typical, like]) => typical(like, keys).slice(0, operations)),
      )
      .map(readFirst ? withReads : (steps) => steps),
    lag: fc.nat({ max: 5 }),
    before: fc.nat({ max: 14 }),
    after: fc.nat({ max: 14 }),
  });
}

const scan = (step: Step, keys: number): readonly Step[] => [
  { ...step, write: false },
  { ...step, write: false, key: (step.key + 1) % keys },
];

/** What anomalies with names are made of: transactions that write blindly, update a key, look at several keys. */
const TYPICAL: readonly ((like: Step, keys: number) => readonly Step[])[] = [
  (step) => [{ ...step, write: true }],
  (step) => [
    { ...step, write: false },
    { ...step, write: true },
  ],
  scan,
  scan,
  scan,
  (step, keys) => [
    { ...step, write: false },
    { ...step, write: true, key: (step.key + 1) % keys },
  ],
  (step, keys) => [
    { ...step, write: false },
    { ...step, write: false, key: (step.key + 1) % keys },
    { ...step, write: true },
  ],
  (step, keys) => [
    { ...step, write: true },
    { ...step, write: true, key: (step.key + 1) % keys },
  ],
];

/** Puts a read before every write of a key that the transaction has not read yet, and leaves out other reads of it. */
function withReads(steps: readonly Step[]): readonly Step[] {
  const read = new Set<number>();
  return steps.flatMap((step) => {
    if (read.has(step.key)) return step.write ? [step] : [];
    read.add(step.key);
    return step.write ? [{ ...step, write: false }, step] : [step];
  });
}

/** Sessions in the order of their numbers; those without a transaction are left out. */
function assemble(drafted: readonly Drafted[]): PlainTransaction[][] {
  const sessions = new Map<number, PlainTransaction[]>();
  for (const { session, transaction } of drafted) {
    if (!sessions.has(session)) sessions.set(session, []);
    sessions.get(session)!.push(transaction);
  }
  return [...sessions].toSorted(([a], [b]) => a - b).map(([, transactions]) => inTimeOrder(transactions));
}

/** A transaction that was moved to another session gets the session's next time. */
function inTimeOrder(transactions: readonly PlainTransaction[]): PlainTransaction[] {
  let clock = -1n;
  return transactions.map((transaction) => {
    const { begin, end } = transaction;
    if (begin === undefined || end === undefined) return transaction;
    const from = begin > clock ? begin : clock + 1n;
    clock = from + (end - begin);
    return { ...transaction, begin: from, end: clock };
  });
}

/** A session that only writes initial values is taken for the initial transaction by the read-from index. */
const isExplicitInitial = (transactions: readonly PlainTransaction[]): boolean =>
  transactions.length === 1 &&
  transactions[0]!.operations.every((operation) => operation.kind === 'write' && operation.value === 0n);
