import type { Atom, PlainHistory, PlainOperation, PlainTransaction } from '@isolab/history';
import fc from 'fast-check';

/**
 * Shape of the histories to generate. A format must be able to express them so that reading back gives the same
 * history.
 */
export interface GeneratedShape {
  /** The n-th key, value, session name and transaction name; `undefined` leaves transactions without names. */
  readonly key: (n: number) => Atom;
  readonly value: (n: number) => Atom;
  readonly session: (n: number) => Atom;
  readonly transaction?: (n: number) => Atom;
  /** The value that reads of the initial state show; null for nil. */
  readonly initial: Atom;
  readonly operations: readonly OperationChoice[];
  readonly statuses?: readonly PlainTransaction['status'][];
  readonly times?: 'none' | 'some' | 'all';
  /** Whether transactions with times may also have the inner bounds, and lack some times. */
  readonly timeBounds?: boolean;
  readonly drift?: boolean;
  readonly timestamps?: boolean;
  readonly versions?: boolean;
  /** Shows whether transactions may state their levels. */
  readonly levels?: boolean;
  readonly emptyTransactions?: boolean;
  readonly emptySessions?: boolean;
  /** Whether reads may see values that no transaction wrote. */
  readonly thinAir?: boolean;
  readonly unknownReads?: boolean;
}

export type OperationChoice =
  | 'read'
  | 'write'
  | 'append'
  | 'list-read'
  | 'compare-and-set'
  | 'range-read'
  | 'insert'
  | 'delete';

/** An operation drafted before the existing values are known: `pick` chooses among them later. */
interface Draft {
  readonly choice: OperationChoice;
  readonly key: number;
  readonly pick: number;
  readonly flag: boolean;
}

interface TransactionDraft {
  readonly status: PlainTransaction['status'];
  readonly operations: readonly Draft[];
  readonly begin: number;
  readonly duration: number;
  readonly timed: boolean;
  readonly bounds?: BoundsDraft;
}

/** Positions of the inner bounds within the duration, and which of begin, begun, committing and end are missing. */
interface BoundsDraft {
  readonly begun: number;
  readonly committing: number;
  readonly missing: readonly boolean[];
}

const BOUNDS: fc.Arbitrary<BoundsDraft> = fc.record({
  begun: fc.double({ min: 0, max: 1, noNaN: true }),
  committing: fc.double({ min: 0, max: 1, noNaN: true }),
  missing: fc.array(
    fc.nat({ max: 3 }).map((n) => n === 3),
    { minLength: 4, maxLength: 4 },
  ),
});

const UNKNOWN_ATOM: Atom = { type: 'unknown', text: '?' };

/**
 * Generates random histories of this shape. Every value is written once, and reads see any written value or the initial
 * state.
 */
export function arbitraryHistory(shape: GeneratedShape): fc.Arbitrary<PlainHistory> {
  const draft: fc.Arbitrary<Draft> = fc.record({
    choice: fc.constantFrom(...shape.operations),
    key: fc.nat({ max: 3 }),
    pick: fc.nat({ max: 1000 }),
    flag: fc.boolean(),
  });
  const transaction: fc.Arbitrary<TransactionDraft> = fc.record({
    status: fc.constantFrom(...(shape.statuses ?? (['committed'] as const))),
    operations: fc.array(draft, { minLength: shape.emptyTransactions ? 0 : 1, maxLength: 4 }),
    begin: fc.nat({ max: 1_000_000 }),
    duration: fc.nat({ max: 1000 }),
    timed: fc.boolean(),
    ...(shape.timeBounds && { bounds: BOUNDS }),
  });
  const session = fc.array(transaction, { minLength: shape.emptySessions ? 0 : 1, maxLength: 4 });
  const drift = shape.drift ? fc.nat({ max: 50 }) : fc.constant(0);
  return fc
    .tuple(fc.array(session, { minLength: 1, maxLength: 4 }), drift)
    .map(([sessions, most]) => materialise(shape, sessions, most));
}

function materialise(
  shape: GeneratedShape,
  sessions: readonly (readonly TransactionDraft[])[],
  drift: number,
): PlainHistory {
  const written = writtenValues(shape, sessions);
  let writes = 0;
  let transactions = 0;
  const makeOperation = (draft: Draft): PlainOperation =>
    operationOf(draft, shape, written.get(draft.key) ?? [], () => shape.value(++writes));
  const timed = (draft: TransactionDraft): boolean => shape.times === 'all' || (shape.times === 'some' && draft.timed);
  return {
    initial: shape.initial,
    timeUnit: (shape.times ?? 'none') === 'none' ? 'none' : 'nanoseconds',
    ...(drift > 0 && { drift }),
    sessions: sessions.map((session, s) => ({
      name: shape.session(s),
      transactions: session.map((draft) => ({
        status: draft.status,
        operations: draft.operations.map(makeOperation),
        ...(shape.transaction && { name: shape.transaction(transactions++) }),
        ...(shape.levels && draft.begin % 3 > 0 && { level: draft.begin % 3 === 1 ? 'causal' : 'a "quoted" é' }),
        ...(timed(draft) && timesOf(draft)),
        ...(shape.timestamps &&
          draft.timed && { startTs: BigInt(draft.begin), commitTs: BigInt(draft.begin + draft.duration) }),
      })),
    })),
  };
}

/** Returns the times of a transaction, in any order that the format allows. */
function timesOf({ status, begin, duration, bounds }: TransactionDraft) {
  const within = (share: number): bigint => BigInt(begin + Math.floor(share * duration));
  const has = (time: number): boolean => bounds?.missing[time] !== true;
  return {
    ...(has(0) && { begin: BigInt(begin) }),
    ...(bounds && has(1) && { begun: within(bounds.begun) }),
    ...(bounds && has(2) && { committing: within(bounds.committing) }),
    ...(has(3) && status !== 'unknown' && { end: within(1) }),
  };
}

/**
 * Makes an operation from its draft. `candidates` are the values of its key, and `next` is the next value to be
 * written.
 */
function operationOf(
  { choice, key, pick, flag }: Draft,
  shape: GeneratedShape,
  candidates: readonly Atom[],
  next: () => Atom,
): PlainOperation {
  const atom = shape.key(key);
  const version = shape.versions && flag ? { version: BigInt(pick) } : {};
  switch (choice) {
    case 'read':
      return { kind: 'read', key: atom, value: seenBy(pick, shape, candidates), ...version };
    case 'write':
    case 'append':
      return { kind: choice, key: atom, value: next(), ...version };
    case 'list-read': {
      const length = pick % (candidates.length + (shape.unknownReads ? 2 : 1));
      const elements = length > candidates.length ? null : candidates.slice(0, length);
      return { kind: 'list-read', key: atom, elements, ...version };
    }
    case 'compare-and-set': {
      const observed = seenBy(pick, shape, candidates);
      return { kind: 'compare-and-set', key: atom, observed, written: next(), failed: flag, ...version };
    }
    case 'insert':
    case 'delete': {
      const observed = seenBy(pick, shape, candidates);
      return { kind: choice, key: atom, observed, written: next(), foundTombstone: flag, ...version };
    }
    case 'range-read': {
      const rows = candidates.slice(0, pick % 3).map((value) => ({ key: atom, value, dead: flag }));
      return { kind: 'range-read', low: shape.key(0), high: flag ? null : shape.key(3), rows, ...version };
    }
  }
}

/** Value that a read sees: a written value, the initial state, a value out of thin air, or an unknown value. */
function seenBy(pick: number, shape: GeneratedShape, candidates: readonly Atom[]): Atom {
  const options = candidates.length + 1 + (shape.thinAir ? 1 : 0) + (shape.unknownReads ? 1 : 0);
  const index = pick % options;
  if (index < candidates.length) return candidates[index]!;
  if (index === candidates.length) return shape.initial;
  return index === candidates.length + 1 && shape.thinAir ? shape.value(THIN_AIR + pick) : UNKNOWN_ATOM;
}

/** Returns the values that will be written to each key, in the order in which `materialise` uses them. */
function writtenValues(shape: GeneratedShape, sessions: readonly (readonly TransactionDraft[])[]): Map<number, Atom[]> {
  const written = new Map<number, Atom[]>();
  let writes = 0;
  for (const { choice, key } of sessions.flat().flatMap((transaction) => transaction.operations)) {
    if (choice === 'read' || choice === 'list-read' || choice === 'range-read') continue;
    const values = written.get(key) ?? [];
    values.push(shape.value(++writes));
    written.set(key, values);
  }
  return written;
}

const THIN_AIR = 1_000_000;
