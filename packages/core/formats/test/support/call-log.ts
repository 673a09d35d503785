import { type PlainHistory, type PlainOperation, type PlainTransaction, UNKNOWN } from '@isolab/history';
import fc from 'fast-check';

export interface EventTimeOptions {
  readonly firstNumber: bigint;
  /** Whether the end of a transaction of unknown outcome takes a number too. */
  readonly numbersUnknownEnds: boolean;
  /** Whether session n speaks before session n + 1. */
  readonly sessionsInOrder: boolean;
}

/** Gives all transactions times that count events, in a random interleaving. */
export function withEventTimes(
  plain: fc.Arbitrary<PlainHistory>,
  options: EventTimeOptions,
): fc.Arbitrary<PlainHistory> {
  const choices = fc.array(fc.nat({ max: 999 }), { minLength: 64, maxLength: 64 });
  return fc
    .tuple(plain, choices)
    .map(([history, choice]) => interleave(history, options, (step) => choice[step % 64]!));
}

/** The history in nanoseconds that repeat now and then. */
export function withNanoseconds(
  plain: fc.Arbitrary<PlainHistory>,
  options: EventTimeOptions,
): fc.Arbitrary<PlainHistory> {
  const coarse = (time: bigint): bigint => 1_700_000_000_000_000_000n + (time / 3n) * 7n;
  return withEventTimes(plain, options).map((history) => ({
    ...mapTransactions(history, ({ begin, end, ...transaction }) => ({
      ...transaction,
      begin: coarse(begin!),
      ...(end !== undefined && { end: coarse(end) }),
    })),
    timeUnit: 'nanoseconds',
  }));
}

export const mapTransactions = (
  history: PlainHistory,
  map: (transaction: PlainTransaction) => PlainTransaction,
): PlainHistory => ({
  ...history,
  sessions: history.sessions.map((session) => ({ ...session, transactions: session.transactions.map(map) })),
});

/** Only the first operation of each transaction, as a call whose result is known just when it succeeded. */
export const asCalls = (history: PlainHistory, key: (operation: PlainOperation) => string): PlainHistory =>
  mapTransactions(history, ({ status, operations: [operation] }) => {
    const call = { ...operation!, key: key(operation!) } as PlainOperation;
    return { status, operations: [status === 'committed' ? call : withoutResult(call)] };
  });

function withoutResult(operation: PlainOperation): PlainOperation {
  if (operation.kind === 'read') return { ...operation, value: UNKNOWN };
  if (operation.kind === 'list-read') return { ...operation, elements: null };
  return operation.kind === 'compare-and-set' ? { ...operation, failed: false } : operation;
}

function interleave(
  history: PlainHistory,
  { firstNumber, numbersUnknownEnds, sessionsInOrder }: EventTimeOptions,
  choose: (step: number) => number,
): PlainHistory {
  const sessions = history.sessions.map(({ transactions }) => ({
    left: [...transactions],
    done: [] as PlainTransaction[],
  }));
  const open = sessions.map(() => null as PlainTransaction | null);
  let spoken = sessionsInOrder ? 0 : sessions.length; // sessions that have appeared
  for (let now = firstNumber, step = 0; ; now++, step++) {
    const able = sessions.flatMap(({ left }, s) => (s <= spoken && (open[s] || left.length > 0) ? [s] : []));
    if (able.length === 0) break;
    const s = able[choose(step) % able.length]!;
    const call = open[s];
    if (!call) {
      const invoked = { ...sessions[s]!.left.shift()!, begin: now };
      if (numbersUnknownEnds || invoked.status !== 'unknown') open[s] = invoked;
      else sessions[s]!.done.push(invoked);
    } else {
      sessions[s]!.done.push(call.status === 'unknown' ? call : { ...call, end: now });
      open[s] = null;
    }
    if (s === spoken) spoken++;
  }
  return {
    ...history,
    timeUnit: 'events',
    sessions: history.sessions.map(({ name }, s) => ({ name, transactions: sessions[s]!.done })),
  };
}
