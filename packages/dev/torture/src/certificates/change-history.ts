import type { Atom, PlainHistory, PlainOperation, PlainTransaction } from '@isolab/history';
import type { Random } from '@isolab/workloads';

/** Changes one to three details of a history: a value, a key, an outcome, a time, the place of a transaction. */
export function changeHistory(history: PlainHistory, random: Random): PlainHistory {
  let changed = history;
  for (let left = random.between(1, 3); left > 0; left--) changed = changeOnce(changed, random);
  return changed;
}

function changeOnce(history: PlainHistory, random: Random): PlainHistory {
  const sessions = history.sessions.filter(({ transactions }) => transactions.length > 0);
  if (sessions.length === 0) return history;
  const session = random.pick(sessions);
  const transaction = random.pick(session.transactions);
  const put = (transactions: readonly PlainTransaction[]): PlainHistory => ({
    ...history,
    sessions: history.sessions.map((one) => (one === session ? { ...one, transactions } : one)),
  });
  const replace = (by: readonly PlainTransaction[]): PlainHistory =>
    put(session.transactions.flatMap((one) => (one === transaction ? by : [one])));
  switch (random.below(6)) {
    case 0:
      return replace([{ ...transaction, status: random.pick(STATUSES) }]);
    case 1:
      return put(session.transactions.toReversed());
    case 2: {
      const by = random.chance(0.2) ? null : BigInt(random.between(-20, 20));
      return replace([moved(transaction, by)]);
    }
    case 3:
      return replace([{ ...transaction, operations: transaction.operations.toReversed() }]);
    default: {
      if (transaction.operations.length === 0) return history;
      const operation = random.pick(transaction.operations);
      const by = changedOperation(operation, history, random);
      return replace([
        { ...transaction, operations: transaction.operations.map((one) => (one === operation ? by : one)) },
      ]);
    }
  }
}

/** Moves a transaction to other times; null removes its times. */
function moved({ begin, begun, committing, end, ...rest }: PlainTransaction, by: bigint | null): PlainTransaction {
  const times = Object.entries({ begin, begun, committing, end });
  if (by === null) return rest;
  return {
    ...rest,
    ...Object.fromEntries(times.flatMap(([name, time]) => (time === undefined ? [] : [[name, time + by]]))),
  };
}

function changedOperation(operation: PlainOperation, history: PlainHistory, random: Random): PlainOperation {
  switch (operation.kind) {
    case 'read':
    case 'write':
    case 'append':
      return { ...operation, value: otherValue(operation.key, history, random) };
    case 'list-read': {
      const { elements } = operation;
      if (elements === null) return operation;
      const value = BigInt(random.below(4));
      return { ...operation, elements: random.chance(0.5) ? elements.slice(0, -1) : [...elements, value] };
    }
    case 'scan':
      return changedScan(operation, random);
    default:
      return operation;
  }
}

type Scan = Extract<PlainOperation, { readonly kind: 'scan' }>;

/** Changes the result of an aggregate, or removes rows. */
function changedScan(scan: Scan, random: Random): Scan {
  const { aggregate, rows } = scan;
  if (aggregate === null) return { ...scan, rows: rows.filter(() => random.chance(0.6)) };
  const by = random.chance(0.5) ? 1 : -1;
  if (aggregate.kind === 'count')
    return { ...scan, aggregate: { ...aggregate, result: Math.max(0, aggregate.result + by) } };
  const { result } = aggregate;
  const other = typeof result === 'number' ? result + by : (result ?? random.below(3));
  return { ...scan, aggregate: { ...aggregate, result: random.chance(0.1) ? null : other } };
}

/** Returns another value: for a row one of the existing versions of rows, otherwise a small number. */
function otherValue(key: Atom, { initialOf = [], sessions }: PlainHistory, random: Random): Atom {
  if (typeof key !== 'string' || !key.includes('/')) return BigInt(random.below(4));
  const written = sessions
    .flatMap(({ transactions }) => transactions.flatMap(({ operations }) => operations))
    .flatMap((operation) => (operation.kind === 'write' && isRow(operation.value) ? [operation.value] : []));
  const versions = [...written, ...initialOf.map(([, value]) => value).filter(isRow)];
  return versions.length === 0 || random.chance(0.2) ? null : random.pick(versions);
}

const isRow = (value: Atom): boolean => typeof value === 'string' && value.startsWith('{');

const STATUSES = ['committed', 'aborted', 'unknown'] as const satisfies readonly PlainTransaction['status'][];
