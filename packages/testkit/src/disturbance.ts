import type { Atom, PlainOperation, PlainTransaction } from '@isolab/history';
import type { Drafted } from './execution.ts';

/** A small change to a history; `where` and `what` choose the place and the replacement, modulo what there is. */
export interface Disturbance {
  readonly kind: (typeof DISTURBANCES)[number];
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

export function disturb(drafted: readonly Drafted[], { kind, where, what }: Disturbance): readonly Drafted[] {
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
  }
}

const isRead = ({ kind }: PlainOperation): boolean => kind === 'read' || kind === 'list-read';

/** The times stay where they were, so that those of a session still follow one another. */
function keepingTimes(transaction: PlainTransaction, { begin, end }: PlainTransaction): PlainTransaction {
  const { status, operations } = transaction;
  return { status, operations, ...(begin !== undefined && { begin }), ...(end !== undefined && { end }) };
}

/** A read that sees another value that somebody wrote to the key, or a list a little shorter. */
function seeing(operation: PlainOperation, drafted: readonly Drafted[], what: number): PlainOperation {
  if (operation.kind === 'list-read') return { ...operation, elements: operation.elements!.slice(0, -1) };
  if (operation.kind !== 'read') return operation;
  const written: Atom[] = [0n];
  for (const { transaction } of drafted) {
    for (const other of transaction.operations) {
      if (other.kind === 'write' && other.key === operation.key) written.push(other.value);
    }
  }
  return { ...operation, value: written[what % written.length]! };
}
