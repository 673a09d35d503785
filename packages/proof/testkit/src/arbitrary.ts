import fc from 'fast-check';
import type { Atom, History, PlainTransaction } from '@isolab/history';
import { DISTURBANCES, WILD_DISTURBANCES, disturb } from './disturbance.ts';
import { type Drafted, KEYS, type Program, STORES, type ExecutionStep, type Store, execute } from './execution.ts';
import { historyOf } from './notation.ts';

export interface HistoryBounds {
  /** Maximum numbers; defaults: 3, 5, 2 and 3. */
  readonly sessions?: number;
  readonly transactions?: number;
  readonly keys?: number;
  readonly operations?: number;
  /**
   * Whether aborted transactions, unknown outcomes, repeated values and real times may occur, and whether keys are
   * lists.
   */
  readonly aborted?: boolean;
  readonly unknown?: boolean;
  readonly repeatedValues?: boolean;
  readonly times?: boolean;
  readonly lists?: boolean;
  /**
   * Whether all other features of the model occur: initial values and nil, unknown results, repeated elements, equal or
   * missing times.
   */
  readonly wild?: boolean;
  /** The simulated databases that produce the executions; default: all of them. */
  readonly stores?: readonly Store[];
  /** Maximum number of small changes to an execution; default: 2. Without changes, it satisfies the store's level. */
  readonly disturbances?: number;
  /** Whether each write follows a read of its key, as in mini-transactions (with at most two operations). */
  readonly readFirst?: boolean;
  /** Whether every transaction uses a single key. */
  readonly single?: boolean;
  /** Minimum number of transactions; default: 1. */
  readonly atLeast?: number;
}

/**
 * Histories near the boundaries of the levels: a slightly disturbed execution of a tiny database that keeps a level or,
 * for the store `random`, arbitrary reads. Everything is drawn as small numbers, so that failures shrink to few
 * transactions with few operations.
 */
export function arbitraryHistory(bounds: HistoryBounds = {}): fc.Arbitrary<History> {
  const { repeatedValues = false, times = false, lists = false, stores = STORES, disturbances = 2 } = bounds;
  const kinds = [...DISTURBANCES, ...(bounds.wild ? WILD_DISTURBANCES : [])];
  const disturbance = fc.record({
    kind: fc.constantFrom(...kinds.filter((kind) => bounds.aborted || kind !== 'change-status')),
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
      disturbed: fc.array(disturbance, { maxLength: bounds.wild ? disturbances + 3 : disturbances, size: 'max' }),
      initials: fc.array(fc.constantFrom<Atom>(...(bounds.wild ? WILD_INITIALS : [0n])), {
        minLength: 3,
        maxLength: 3,
      }),
    })
    .map(({ store, programs, disturbed, initials }) => {
      const initialOf = (key: Atom): Atom => initials[KEYS.indexOf(String(key))] ?? initials[0]!;
      const drafted = execute(programs, { store, repeatedValues, times, lists, initialOf });
      const sessions = assemble(
        disturbed.reduce<readonly Drafted[]>((soFar, one) => disturb(soFar, one, initialOf), drafted),
      );
      return historyOf(sessions, { initial: initials[0]!, initialOf: keysOf(sessions).map((k) => [k, initialOf(k)]) });
    });
}

/** 1 is also a value that transactions write. */
const WILD_INITIALS: readonly Atom[] = [0n, 0n, null, 1n];

function keysOf(sessions: readonly (readonly PlainTransaction[])[]): Atom[] {
  const keys = sessions.flat().flatMap(({ operations }) => operations.map((one) => ('key' in one ? one.key : null)));
  return [...new Set(keys)];
}

function arbitraryProgram(bounds: HistoryBounds): fc.Arbitrary<Program> {
  const { sessions = 3, keys = 2, operations = 3, aborted = false, unknown = false } = bounds;
  const { readFirst = false, single = false } = bounds;
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
      .map((steps) => (single ? onOneKey(steps) : steps))
      .map(readFirst ? withReads : (steps) => steps),
    lag: fc.nat({ max: 5 }),
    before: fc.nat({ max: 14 }),
    after: fc.nat({ max: 14 }),
    answers: fc.option(fc.nat({ max: 14 })),
    asks: fc.option(fc.nat({ max: 14 })),
  });
}

const scan = (step: ExecutionStep, keys: number): readonly ExecutionStep[] => [
  { ...step, write: false },
  { ...step, write: false, key: (step.key + 1) % keys },
];

/** Fragments of named anomalies: transactions that write blindly, update a key, or examine several keys. */
const TYPICAL: readonly ((like: ExecutionStep, keys: number) => readonly ExecutionStep[])[] = [
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

const onOneKey = (steps: readonly ExecutionStep[]): readonly ExecutionStep[] =>
  steps.map((step) => ({ ...step, key: steps[0]!.key }));

/**
 * Inserts a read before every write of a key that the transaction has not read yet, and drops other reads of the key.
 */
function withReads(steps: readonly ExecutionStep[]): readonly ExecutionStep[] {
  const read = new Set<number>();
  return steps.flatMap((step) => {
    if (read.has(step.key)) return step.write ? [step] : [];
    read.add(step.key);
    return step.write ? [{ ...step, write: false }, step] : [step];
  });
}

/** Groups transactions by session, without empty sessions. */
function assemble(drafted: readonly Drafted[]): PlainTransaction[][] {
  const sessions = new Map<number, PlainTransaction[]>();
  for (const { session, transaction } of drafted) {
    if (!sessions.has(session)) sessions.set(session, []);
    sessions.get(session)!.push(transaction);
  }
  return [...sessions].toSorted(([a], [b]) => a - b).map(([, transactions]) => inTimeOrder(transactions));
}

const max = (a: bigint, b: bigint): bigint => (a > b ? a : b);

/** Gives a transaction that was moved to another session the next time of that session. */
function inTimeOrder(transactions: readonly PlainTransaction[]): PlainTransaction[] {
  let clock = -1n;
  return transactions.map((transaction) => {
    const { begin, end, begun, committing, ...rest } = transaction;
    const from = begin === undefined || begin > clock ? begin : clock + 1n;
    const earliest = from ?? clock + 1n;
    const to = end === undefined ? end : begin === undefined ? max(end, earliest) : earliest + (end - begin);
    clock = to ?? from ?? clock;
    const by = (from ?? 0n) - (begin ?? 0n);
    const within = (time: bigint): bigint => max(from ?? time, to !== undefined && time + by > to ? to : time + by);
    return {
      ...rest,
      ...(from !== undefined && { begin: from }),
      ...(begun !== undefined && { begun: within(begun) }),
      ...(committing !== undefined && { committing: within(committing) }),
      ...(to !== undefined && { end: to }),
    };
  });
}
