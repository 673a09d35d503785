import { type PlainTransaction, fromPlain } from '@isolab/history';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { countTimesLeftOut, eventOrder, timesAreTellable } from '../src/events/event-order.ts';
import { arbitraryHistory } from '../src/conformance/arbitrary-history.ts';
import { withEventTimes, withNanoseconds } from './support/call-log.ts';

const histories = arbitraryHistory({
  key: BigInt,
  value: BigInt,
  session: BigInt,
  initial: null,
  operations: ['write'],
  statuses: ['committed', 'aborted', 'unknown'],
});
const options = { firstNumber: 1n, numbersUnknownEnds: true, sessionsInOrder: false };

const committed = (begin: number, end: number): PlainTransaction => ({
  status: 'committed',
  operations: [],
  begin: BigInt(begin),
  end: BigInt(end),
});
const unknown = (begin: number): PlainTransaction => ({ status: 'unknown', operations: [], begin: BigInt(begin) });

const inEvents = (...sessions: PlainTransaction[][]) =>
  fromPlain({
    timeUnit: 'events',
    sessions: sessions.map((transactions, s) => ({ name: BigInt(s), transactions })),
  });

/** Where each transaction is invoked and completed. */
function placesOf(history: ReturnType<typeof fromPlain>): { invoked: number[]; completed: number[] } {
  const { txn, completes } = eventOrder(history);
  const [invoked, completed]: [number[], number[]] = [[], []];
  txn.forEach((t, i) => {
    (completes[i] === 0 ? invoked : completed)[t] = i;
  });
  return { invoked, completed };
}

describe('the order of events', () => {
  test('the order of events has every transaction once, completed after its invocation and before the next one of its session', () => {
    fc.assert(
      fc.property(
        fc.oneof(histories, withEventTimes(histories, options), withNanoseconds(histories, options)),
        (plain) => {
          const history = fromPlain(plain);
          const { invoked, completed } = placesOf(history);
          expect(new Set([...invoked, ...completed]).size).toBe(2 * history.txnStatus.length);
          for (let t = 0; t < history.txnStatus.length; t++) {
            expect(invoked[t]).toBeLessThan(completed[t]!);
            if (history.txnSession[t] === history.txnSession[t + 1]) expect(completed[t]).toBeLessThan(invoked[t + 1]!);
          }
        },
      ),
    );
  });

  test('the order of events never decreases in time', () => {
    fc.assert(
      fc.property(fc.oneof(withEventTimes(histories, options), withNanoseconds(histories, options)), (plain) => {
        const history = fromPlain(plain);
        expect(timesAreTellable(history)).toBe(true);
        const time = eventOrder(history).time!;
        for (let i = 1; i < time.length; i++) expect(time[i]! >= time[i - 1]!).toBe(true);
      }),
    );
  });

  test('the order of events without times puts a transaction after one of another session only if it is in a later round', () => {
    fc.assert(
      fc.property(histories, (plain) => {
        const history = fromPlain(plain);
        const { txnSession, sessionStart, txnStatus } = history;
        const { invoked, completed } = placesOf(history);
        for (let t = 0; t < txnStatus.length; t++) {
          for (let u = 0; u < txnStatus.length; u++) {
            if (txnSession[t] === txnSession[u] || completed[t]! > invoked[u]!) continue;
            expect(t - sessionStart[txnSession[t]!]!).toBeLessThan(u - sessionStart[txnSession[u]!]!);
          }
        }
      }),
    );
  });

  test('the order of events has invocations first where times are equal', () => {
    expect([...eventOrder(inEvents([committed(1, 2)], [committed(2, 3)])).txn]).toEqual([0, 1, 0, 1]);
  });

  test('the order of events completes unknown operations in the gaps of numbers, the most urgent first', () => {
    const history = inEvents([unknown(1)], [unknown(2), committed(4, 5)], [committed(6, 8)]);
    const { txn, completes, time } = eventOrder(history);
    const events = Array.from(txn, (t, i) => [time![i], t, completes[i] === 1 ? 'completed' : 'invoked']);
    expect(events).toEqual([
      [1n, 0, 'invoked'],
      [2n, 1, 'invoked'],
      [3n, 1, 'completed'],
      [4n, 2, 'invoked'],
      [5n, 2, 'completed'],
      [6n, 3, 'invoked'],
      [7n, 0, 'completed'],
      [8n, 3, 'completed'],
    ]);
  });

  test.each([
    ['a begin is missing', [{ status: 'unknown', operations: [] } as const]],
    ['an end is missing', [{ status: 'committed', operations: [], begin: 1n } as const]],
    ['an end is before its begin', [committed(2, 1)]],
    ['a transaction begins before the one before it ends', [committed(1, 3), committed(2, 4)]],
  ])('the order of events ignores times if %s', (_, transactions) => {
    const history = inEvents(transactions);
    expect(eventOrder(history).time).toBeNull();
    expect(countTimesLeftOut(history)).toBe(
      transactions
        .flatMap((transaction) => [(transaction as PlainTransaction).begin, (transaction as PlainTransaction).end])
        .filter((time) => time !== undefined).length,
    );
  });

  test('the order of events leaves out the end of a transaction of unknown outcome', () => {
    const history = inEvents([{ ...unknown(1), end: 5n }]);
    expect(timesAreTellable(history)).toBe(true);
    expect(countTimesLeftOut(history)).toBe(1);
  });
});
