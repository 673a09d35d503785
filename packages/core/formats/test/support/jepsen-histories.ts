import { type PlainHistory, type PlainOperation, UNKNOWN } from '@isolab/history';
import fc from 'fast-check';
import { type GeneratedShape, arbitraryHistory } from '../../src/conformance/arbitrary-history.ts';
import { type EventTimeOptions, asCalls, mapTransactions, withEventTimes, withNanoseconds } from './call-log.ts';
import { ALL_FEATURES } from './everything.ts';

/** Histories that Jepsen's events can express, with keys and values such as these. */
export function jepsenHistories(names: Pick<GeneratedShape, 'key' | 'value'>): fc.Arbitrary<PlainHistory> {
  const shape: GeneratedShape = {
    ...names,
    session: (n) => BigInt(7 - 3 * n),
    initial: null,
    operations: ['read', 'write'],
    statuses: ['committed', 'aborted', 'unknown'],
    thinAir: true,
    emptyTransactions: true,
    emptySessions: true,
  };
  const registers = arbitraryHistory(shape);
  const lists = arbitraryHistory({ ...shape, operations: ['append', 'list-read'], unknownReads: true }).filter(
    showsList,
  );
  const calls = arbitraryHistory({
    ...shape,
    operations: ['read', 'write', 'compare-and-set'],
    emptyTransactions: false,
  });
  const locks = calls.map((history) => asMutex(history));
  const plain = fc.oneof(
    fc.oneof(registers, lists).map(withStatedResults),
    calls.map((history) => asCalls(history, () => 'register')),
    locks,
  );
  const options: EventTimeOptions = { firstNumber: 3n, numbersUnknownEnds: true, sessionsInOrder: false };
  return fc.oneof(plain, withEventTimes(plain, options), withNanoseconds(plain, options)).filter(hasTransaction);
}

const hasTransaction = ({ sessions }: PlainHistory): boolean =>
  sessions.some(({ transactions }) => transactions.length > 0);

/** Returns whether some read shows that nil is the empty list. */
const showsList = ({ sessions }: PlainHistory): boolean =>
  sessions.some(({ transactions }) =>
    transactions.some(({ operations }) =>
      operations.some(
        (operation) => operation.kind === 'append' || (operation.kind === 'list-read' && operation.elements !== null),
      ),
    ),
  );

/** Committed transactions know their reads; of the others, registers never show nil. */
const withStatedResults = (history: PlainHistory): PlainHistory =>
  mapTransactions(history, (transaction) => ({
    ...transaction,
    operations: transaction.operations.map((operation) => {
      if (transaction.status !== 'committed') {
        return operation.kind === 'read' && operation.value === null ? { ...operation, value: UNKNOWN } : operation;
      }
      return operation.kind === 'list-read' ? { ...operation, elements: operation.elements ?? [] } : operation;
    }),
  }));

function asMutex(history: PlainHistory): PlainHistory {
  const acquire = { kind: 'compare-and-set', key: 'mutex', observed: 'free', written: 'held', failed: false } as const;
  const release = { ...acquire, observed: 'held', written: 'free' } as const;
  return {
    ...mapTransactions(history, ({ status, operations: [operation] }) => ({
      status,
      operations: [(operation as PlainOperation).kind === 'read' ? acquire : release],
    })),
    initial: 'free',
  };
}

/** All contents of a history; Jepsen's events cannot express most of them. */
export const anyHistory: fc.Arbitrary<PlainHistory> = arbitraryHistory({
  ...ALL_FEATURES,
  key: (n) => (n % 2 ? `k${n}` : BigInt(-n)),
  value: (n) => (n % 3 ? BigInt(n - 2) : { type: 'literal', text: `${n}/7` }),
  session: (n) => `client ${n}`,
  transaction: (n) => BigInt(n * n),
  initial: 0n,
  emptySessions: true,
  emptyTransactions: true,
  thinAir: true,
});
