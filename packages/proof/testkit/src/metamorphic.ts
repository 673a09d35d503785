import {
  type Atom,
  type History,
  type PlainOperation,
  type PlainSession,
  TxnStatus,
  fromPlain,
  slice,
  toPlain,
} from '@isolab/history';

/** Changes to a history that do not affect any verdict. */
export const METAMORPHOSES: Readonly<Record<string, (history: History) => History>> = {
  'renaming the keys': (history) =>
    withAtoms(
      history,
      (key) => `other-${String(key)}`,
      (value) => value,
    ),
  'renaming the values': (history) => withAtoms(history, (key) => key, renameValue),
  'listing the sessions in another order': (history) => rebuild(history, (sessions) => sessions.toReversed()),
  'adding transactions on a key of their own': (history) => rebuild(history, withStrangers),
  'dropping aborted transactions': (history) =>
    slice(history, { txns: history.txnStatus.map((status) => (status === TxnStatus.Aborted ? 0 : 1)) }).history,
};

const renameValue = (value: Atom): Atom => (typeof value === 'bigint' && value !== 0n ? 1000n - 7n * value : value);

function rebuild(history: History, change: (sessions: readonly PlainSession[]) => readonly PlainSession[]): History {
  const { sessions, timeUnit = 'none' } = toPlain(history);
  return fromPlain({ initial: 0n, timeUnit, sessions: change(sessions) });
}

function withAtoms(history: History, key: (atom: Atom) => Atom, value: (atom: Atom) => Atom): History {
  const changed = (operation: PlainOperation): PlainOperation => {
    switch (operation.kind) {
      case 'read':
      case 'write':
      case 'append':
        return { ...operation, key: key(operation.key), value: value(operation.value) };
      case 'list-read':
        return { ...operation, key: key(operation.key), elements: operation.elements?.map(value) ?? null };
      default:
        throw new RangeError(`Got a ${operation.kind}; only reads, writes and appends are renamed.`);
    }
  };
  return rebuild(history, (sessions) =>
    sessions.map(({ name, transactions }) => ({
      name,
      transactions: transactions.map((t) => ({ ...t, operations: t.operations.map(changed) })),
    })),
  );
}

/** Adds two sessions with operations of the history's kind, later than all other sessions if there are times. */
function withStrangers(sessions: readonly PlainSession[]): readonly PlainSession[] {
  const all = sessions.flatMap(({ transactions }) => transactions);
  const ends = all.flatMap(({ end }) => (end === undefined ? [] : [end]));
  const last = ends.reduce((max, end) => (end > max ? end : max), 0n);
  const lists = all.some(({ operations }) => operations.some(({ kind }) => kind === 'append' || kind === 'list-read'));
  const key = 'stranger';
  const single = all.every(({ operations }) => operations.length <= 1);
  const read = (value: bigint): PlainOperation =>
    lists ? { kind: 'list-read', key, elements: value === 0n ? [] : [value] } : { kind: 'read', key, value };
  const write: PlainOperation = { kind: lists ? 'append' : 'write', key, value: 1n };
  const transaction = (operations: readonly PlainOperation[], at: bigint) => ({
    status: 'committed' as const,
    operations,
    ...(ends.length > 0 && { begin: last + at, end: last + at + 1n }),
  });
  const writer = transaction(single ? [write] : [read(0n), write], 1n);
  return [
    ...sessions,
    { name: 'a stranger', transactions: [writer] },
    { name: 'another stranger', transactions: [transaction([read(1n)], 3n)] },
  ];
}
