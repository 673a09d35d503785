import { type Atom, type PlainOperation, type PlainTransaction, UNKNOWN } from '@isolab/history';
import type { Drafted } from './execution.ts';

/** A small change to a history; `where` and `what` choose the place and the replacement, modulo what there is. */
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

/** What generators forget: each of these found, or would have found, a wrong verdict. */
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
] as const;

export function disturb(
  drafted: readonly Drafted[],
  { kind, where, what }: Disturbance,
  initialOf: (key: Atom) => Atom,
): readonly Drafted[] {
  if (drafted.length === 0) return drafted;
  const t = where % drafted.length;
  const { session, transaction } = drafted[t]!;
  const { operations } = transaction;
  const replace = (changes: Partial<PlainTransaction>): readonly Drafted[] =>
    drafted.with(t, { session, transaction: { ...transaction, ...changes } });
  const op = operations.length === 0 ? 0 : what % operations.length;

  switch (kind) {
    case 'see-something-else': {
      const read = operations.findIndex((operation, i) => i >= op && isRead(operation));
      if (read < 0) return drafted;
      return replace({ operations: operations.with(read, seeing(operations[read]!, drafted, what)) });
    }
    case 'move-to-session':
      return drafted.with(t, { session: what % (Math.max(...drafted.map((d) => d.session)) + 1), transaction });
    case 'swap-operations':
      if (operations.length < 2) return drafted;
      return replace({
        operations: operations
          .with(op, operations[(op + 1) % operations.length]!)
          .with((op + 1) % operations.length, operations[op]!),
      });
    case 'swap-transactions': {
      const other = what % drafted.length;
      return drafted
        .with(t, { ...drafted[t]!, transaction: keepingTimes(drafted[other]!.transaction, transaction) })
        .with(other, { ...drafted[other]!, transaction: keepingTimes(transaction, drafted[other]!.transaction) });
    }
    case 'drop-operation':
      return operations.length < 2 ? drafted : replace({ operations: operations.toSpliced(op, 1) });
    case 'repeat-read': {
      const read = operations.find(isRead);
      return read ? replace({ operations: [...operations, seeing(read, drafted, what)] }) : drafted;
    }
    case 'change-status':
      return replace({ status: transaction.status === 'committed' ? 'aborted' : 'committed' });
    case 'write-the-initial-value':
      return replace({ operations: operations.map((one) => (isWrite(one) ? writing(one, initialOf(one.key)) : one)) });
    case 'write-nil': {
      const write = operations.findIndex((operation, i) => i >= op && isWrite(operation));
      return write < 0 ? drafted : replace({ operations: operations.with(write, writing(operations[write]!, null)) });
    }
    case 'see-the-initial-value':
    case 'see-nil':
    case 'learn-nothing': {
      const read = operations.findIndex((operation, i) => i >= op && isRead(operation));
      if (read < 0) return drafted;
      const { key } = operations[read] as PlainOperation & { readonly key: Atom };
      const value = { 'see-the-initial-value': initialOf(key), 'see-nil': null, 'learn-nothing': UNKNOWN }[kind];
      return replace({ operations: operations.with(read, showing(operations[read]!, value)) });
    }
    case 'write-again': {
      const write = operations.find(isWrite);
      const other = drafted[what % drafted.length]!;
      if (!write) return drafted;
      const again = [...other.transaction.operations, write];
      return drafted.with(what % drafted.length, {
        ...other,
        transaction: { ...other.transaction, operations: again },
      });
    }
    case 'show-an-element-twice': {
      const read = operations.findIndex((operation) => operation.kind === 'list-read');
      const list = operations[read];
      if (list?.kind !== 'list-read' || list.elements === null || list.elements.length === 0) return drafted;
      const element = list.elements[what % list.elements.length]!;
      const elements = list.elements.toSpliced(where % (list.elements.length + 1), 0, element);
      return replace({ operations: operations.with(read, { ...list, elements }) });
    }
    case 'miss-a-time': {
      const { begin, end, ...rest } = transaction;
      const kept = [{}, begin === undefined ? {} : { begin }, end === undefined ? {} : { end }][what % 3]!;
      return drafted.with(t, { session, transaction: { ...rest, ...kept } });
    }
    case 'share-a-time': {
      const { begin, end } = drafted[what % drafted.length]!.transaction;
      if (begin === undefined || end === undefined || transaction.begin === undefined) return drafted;
      return replace(what % 2 === 0 ? { begin: end, end: end + 1n } : { begin, end });
    }
  }
}

const isWrite = (operation: PlainOperation): operation is PlainOperation & { readonly kind: 'write' | 'append' } =>
  operation.kind === 'write' || operation.kind === 'append';

/** The write with another value; a list takes no nil. */
const writing = (operation: PlainOperation, value: Atom): PlainOperation =>
  operation.kind === 'write' || (operation.kind === 'append' && value !== null) ? { ...operation, value } : operation;

function showing(operation: PlainOperation, value: Atom): PlainOperation {
  if (operation.kind === 'read') return { ...operation, value };
  if (operation.kind === 'list-read') return { ...operation, elements: value === UNKNOWN ? null : [] };
  return operation;
}

const isRead = ({ kind }: PlainOperation): boolean => kind === 'read' || kind === 'list-read';

/** The times stay where they were, so that those of a session still follow one another. */
function keepingTimes(transaction: PlainTransaction, { begin, end }: PlainTransaction): PlainTransaction {
  const { status, operations } = transaction;
  return { status, operations, ...(begin !== undefined && { begin }), ...(end !== undefined && { end }) };
}

/** A read that sees another value that somebody wrote to the key, or a list a little shorter. */
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
