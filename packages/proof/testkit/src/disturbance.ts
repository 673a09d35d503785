import { type Atom, type PlainOperation, type PlainTransaction, UNKNOWN } from '@isolab/history';
import type { Drafted } from './execution.ts';

/**
 * Small change to a history. `where` and `what` select the position and the replacement, modulo the number of
 * candidates.
 */
export interface Disturbance {
  readonly kind: (typeof DISTURBANCES)[number] | (typeof WILD_DISTURBANCES)[number];
  readonly where: number;
  readonly what: number;
}

export const DISTURBANCES = [
  'see-something-else',
  'move-to-session',
  'swap-operations',
  'swap-transactions',
  'drop-operation',
  'repeat-read',
  'change-status',
] as const;

/** Changes that generators tend to omit. Each of them found, or would have found, a wrong verdict. */
export const WILD_DISTURBANCES = [
  'write-the-initial-value',
  'write-nil',
  'see-the-initial-value',
  'see-nil',
  'learn-nothing',
  'write-again',
  'show-an-element-twice',
  'miss-a-time',
  'share-a-time',
  'tighten-a-time',
] as const;

export function disturb(
  drafted: readonly Drafted[],
  { kind, where, what }: Disturbance,
  initialOf: (key: Atom) => Atom,
): readonly Drafted[] {
  if (drafted.length === 0) return drafted;
  const { transaction } = drafted[where % drafted.length]!;
  const { operations } = transaction;
  const op = operations.length === 0 ? 0 : what % operations.length;
  const place: Place = {
    drafted,
    where,
    what,
    initialOf,
    transaction,
    operations,
    op,
    read: operations.findIndex((operation, i) => i >= op && isRead(operation)),
    replace: (changes) => withTransaction(drafted, where, { ...transaction, ...changes }),
  };
  return CHANGES[kind](place) ?? drafted;
}

interface Place extends Omit<Disturbance, 'kind'> {
  readonly drafted: readonly Drafted[];
  readonly initialOf: (key: Atom) => Atom;
  readonly transaction: PlainTransaction;
  readonly operations: readonly PlainOperation[];
  /** The selected operation, and the first read at or after it; −1 if there is none. */
  readonly op: number;
  readonly read: number;
  /** Returns the history in which the transaction has these changes. */
  readonly replace: (changes: Partial<PlainTransaction>) => readonly Drafted[];
}

const withTransaction = (drafted: readonly Drafted[], t: number, transaction: PlainTransaction): readonly Drafted[] =>
  drafted.with(t % drafted.length, { ...drafted[t % drafted.length]!, transaction });

/** Implementation of each change; undefined if the history has no suitable position. */
const CHANGES: Readonly<Record<Disturbance['kind'], (place: Place) => readonly Drafted[] | undefined>> = {
  'see-something-else': ({ drafted, operations, read, what, replace }) =>
    read < 0 ? undefined : replace({ operations: operations.with(read, seeing(operations[read]!, drafted, what)) }),
  'move-to-session': ({ drafted, where, what, transaction }) =>
    drafted.with(where % drafted.length, {
      session: what % (Math.max(...drafted.map(({ session }) => session)) + 1),
      transaction,
    }),
  'swap-operations': ({ operations, op, replace }) => {
    if (operations.length < 2) return undefined;
    const next = (op + 1) % operations.length;
    return replace({ operations: operations.with(op, operations[next]!).with(next, operations[op]!) });
  },
  'swap-transactions': ({ drafted, where, what, transaction }) => {
    const other = drafted[what % drafted.length]!.transaction;
    const moved = withTransaction(drafted, where, keepingTimes(other, transaction));
    return withTransaction(moved, what, keepingTimes(transaction, other));
  },
  'drop-operation': ({ operations, op, replace }) =>
    operations.length < 2 ? undefined : replace({ operations: operations.toSpliced(op, 1) }),
  'repeat-read': ({ drafted, operations, what, replace }) => {
    const read = operations.find(isRead);
    return read && replace({ operations: [...operations, seeing(read, drafted, what)] });
  },
  'change-status': ({ transaction, replace }) =>
    replace({ status: transaction.status === 'committed' ? 'aborted' : 'committed' }),
  'write-the-initial-value': ({ operations, initialOf, replace }) =>
    replace({ operations: operations.map((one) => (isWrite(one) ? writing(one, initialOf(one.key)) : one)) }),
  'write-nil': ({ operations, op, replace }) => {
    const write = operations.findIndex((operation, i) => i >= op && isWrite(operation));
    return write < 0 ? undefined : replace({ operations: operations.with(write, writing(operations[write]!, null)) });
  },
  'see-the-initial-value': (place) => showingValue(place, place.initialOf),
  'see-nil': (place) => showingValue(place, () => null),
  'learn-nothing': (place) => showingValue(place, () => UNKNOWN),
  'write-again': ({ drafted, operations, what }) => {
    const write = operations.find(isWrite);
    const other = drafted[what % drafted.length]!.transaction;
    return write && withTransaction(drafted, what, { ...other, operations: [...other.operations, write] });
  },
  'show-an-element-twice': ({ operations, where, what, replace }) => {
    const read = operations.findIndex((operation) => operation.kind === 'list-read');
    const list = operations[read];
    if (list?.kind !== 'list-read' || list.elements === null || list.elements.length === 0) return undefined;
    const element = list.elements[what % list.elements.length]!;
    const elements = list.elements.toSpliced(where % (list.elements.length + 1), 0, element);
    return replace({ operations: operations.with(read, { ...list, elements }) });
  },
  'miss-a-time': ({ drafted, where, what, transaction: { begin, end, ...rest } }) => {
    const kept = [{}, begin === undefined ? {} : { begin }, end === undefined ? {} : { end }][what % 3]!;
    return withTransaction(drafted, where, { ...rest, ...kept });
  },
  'share-a-time': ({ drafted, where, what, transaction }) => {
    const { begin, end } = drafted[what % drafted.length]!.transaction;
    if (begin === undefined || end === undefined || transaction.begin === undefined) return undefined;
    const { begun: _, committing: __, ...rest } = transaction;
    const times = what % 2 === 0 ? { begin: end, end: end + 1n } : { begin, end };
    return withTransaction(drafted, where, { ...rest, ...times });
  },
  'tighten-a-time': ({ what, transaction: { begin, end }, replace }) => {
    if (begin === undefined || end === undefined) return undefined;
    const moment = begin + ((end - begin) * BigInt(what % 5)) / 4n;
    return replace(what % 2 === 0 ? { begun: moment } : { committing: moment });
  },
};

function showingValue({ operations, read, replace }: Place, valueOf: (key: Atom) => Atom) {
  if (read < 0) return undefined;
  const { key } = operations[read] as PlainOperation & { readonly key: Atom };
  return replace({ operations: operations.with(read, showing(operations[read]!, valueOf(key))) });
}

const isWrite = (operation: PlainOperation): operation is PlainOperation & { readonly kind: 'write' | 'append' } =>
  operation.kind === 'write' || operation.kind === 'append';

/** Returns the write with another value. Lists do not accept nil. */
const writing = (operation: PlainOperation, value: Atom): PlainOperation =>
  operation.kind === 'write' || (operation.kind === 'append' && value !== null) ? { ...operation, value } : operation;

function showing(operation: PlainOperation, value: Atom): PlainOperation {
  if (operation.kind === 'read') return { ...operation, value };
  if (operation.kind === 'list-read') return { ...operation, elements: value === UNKNOWN ? null : [] };
  return operation;
}

const isRead = ({ kind }: PlainOperation): boolean => kind === 'read' || kind === 'list-read';

/** Keeps the times at their positions, so that the times of a session remain in order. */
function keepingTimes(
  { status, operations }: PlainTransaction,
  { begin, begun, committing, end }: PlainTransaction,
): PlainTransaction {
  const times = Object.entries({ begin, begun, committing, end }).filter(([, time]) => time !== undefined);
  return { status, operations, ...Object.fromEntries(times) };
}

/** Returns the read with another value that was written to the key, or with a slightly shorter list. */
function seeing(operation: PlainOperation, drafted: readonly Drafted[], what: number): PlainOperation {
  if (operation.kind === 'list-read') return { ...operation, elements: operation.elements?.slice(0, -1) ?? null };
  if (operation.kind !== 'read') return operation;
  const written: Atom[] = [0n];
  for (const { transaction } of drafted) {
    for (const other of transaction.operations) {
      if (other.kind === 'write' && other.key === operation.key) written.push(other.value);
    }
  }
  return { ...operation, value: written[what % written.length]! };
}
