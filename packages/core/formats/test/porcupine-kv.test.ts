import {
  type PlainHistory,
  TxnStatus,
  UNKNOWN,
  buildReadFrom,
  ReadFrom,
  fromPlain,
  locateOperation,
  toPlain,
} from '@isolab/history';
import { describe, expect, test } from 'vitest';
import { porcupineKv } from '../src/porcupine/porcupine-kv.ts';
import { type GeneratedShape, arbitraryHistory } from '../src/conformance/arbitrary-history.ts';
import { asCalls, withEventTimes } from './support/call-log.ts';
import { describeFormat, readText, writeFiles } from './support/describe-format.ts';
import { ALL_FEATURES } from './support/everything.ts';

const shape: GeneratedShape = {
  key: (n) => `k "${n}" }`,
  value: (n) => `x ${n} \\ y\nz`,
  session: (n) => BigInt(5 * n),
  initial: '',
  operations: ['read', 'write', 'append'],
  statuses: ['committed', 'unknown'],
  thinAir: true,
};

/** A call that does not return is the last of its session. */
const endingWithUnknown = (history: PlainHistory): PlainHistory => ({
  ...history,
  sessions: history.sessions.map(({ name, transactions }) => ({
    name,
    transactions: transactions.map((transaction, i) => ({
      ...transaction,
      status: i === transactions.length - 1 ? transaction.status : 'committed',
    })),
  })),
});

await describeFormat(porcupineKv, {
  expressible: withEventTimes(
    arbitraryHistory(shape).map((history) =>
      asCalls(endingWithUnknown(history), (operation) => (operation as { key: string }).key),
    ),
    { firstNumber: 1n, numbersUnknownEnds: false, sessionsInOrder: true },
  ),
  anything: arbitraryHistory({
    ...shape,
    ...ALL_FEATURES,
    key: (n) => (n % 2 ? `k${n}` : BigInt(-n)),
    value: (n) => (n % 3 ? `v${n}` : BigInt(n)),
    session: (n) => `client ${n}`,
    transaction: (n) => BigInt(n * n),
    initial: null,
    emptySessions: true,
    emptyTransactions: true,
  }),
});

const event = (process: number, type: string, f: string, key: string, value: string): string =>
  `{:process ${process}, :type :${type}, :f :${f}, :key "${key}", :value ${value}}\n`;
const call = (process: number, f: string, key: string, value: string): string =>
  event(process, 'invoke', f, key, f === 'get' ? 'nil' : value) + event(process, 'ok', f, key, value);

describe('the porcupine-kv format', () => {
  test('the porcupine-kv format treats the empty string, not nil, as the initial state', async () => {
    const history = await readText(
      porcupineKv,
      call(0, 'get', 'a', '""') + call(0, 'put', 'a', '"x"') + call(0, 'get', 'a', '"x"'),
    );
    expect([...buildReadFrom(history).readFrom]).toEqual([ReadFrom.Initial, ReadFrom.None, 1]);
    expect(toPlain(history).initialOf).toEqual([['a', '']]);
  });

  test('the porcupine-kv format leaves calls open that do not return', async () => {
    const history = await readText(porcupineKv, event(0, 'invoke', 'get', 'a', 'nil') + call(1, 'append', 'a', '"x"'));
    expect([...history.txnStatus]).toEqual([TxnStatus.Unknown, TxnStatus.Committed]);
    expect(toPlain(history).sessions[0]!.transactions).toEqual([
      { status: 'unknown', operations: [{ kind: 'read', key: 'a', value: UNKNOWN }], begin: 1n },
    ]);
  });

  test('the porcupine-kv format finds a call at the line of its invocation, and counts events as times', async () => {
    const history = await readText(porcupineKv, `\n\n${call(0, 'get', 'a', '""')}${call(0, 'get', 'b', '""')}`);
    expect(locateOperation(history, 1)).toBe('test, line 5');
    expect([...history.txnEnd!]).toEqual([2n, 4n]);
  });

  test('the porcupine-kv format writes the same file as it read', async () => {
    const original = call(0, 'append', '0', '"x 0 0 y"') + call(1, 'get', '0', '"x 0 0 y"') + call(0, 'get', '7', '""');
    const history = await readText(porcupineKv, original);
    expect((await writeFiles(porcupineKv, history)).get('')!.toString()).toBe(original);
  });

  test('the porcupine-kv format leaves out uncommitted operations', async () => {
    const put = {
      status: 'aborted',
      operations: [{ kind: 'write', key: 'a', value: 'x' }],
      begin: 1n,
      end: 2n,
    } as const;
    const get = { status: 'unknown', operations: [{ kind: 'read', key: 'a', value: UNKNOWN }], begin: 3n } as const;
    const history = fromPlain({
      sessions: [{ name: 0n, transactions: [put, get, { ...get, begin: 4n }] }],
      initial: '',
      timeUnit: 'events',
    });
    expect((await porcupineKv.writer!()).losses(history)).toEqual([
      { name: 'aborted-transactions', count: 1, fate: 'are left out' },
      { name: 'unknown-outcomes', count: 1, fate: 'that are not last in their session are left out' },
      { name: 'times', count: 1, fate: 'become line numbers, in the same order' },
    ]);
  });

  test.each([
    ['', 'test: found no call, expected maps such as {:process 0, :type :invoke, :f :get, :key "3", :value nil}'],
    ['17', "test, line 1, column 1: found '17', expected a map"],
    ['{:process 0, :type :invoke, :f :get, :key "3"', 'test, line 1, column 46: found the end of the input'],
    [
      '{:process 0, :type :invoke, :f :get, :key "3"}',
      'test, line 1, column 47: found no value, expected a value or nil',
    ],
    [event(0, 'fail', 'get', 'a', 'nil'), 'test, line 1, column 25: found :fail, expected :invoke or :ok'],
    [event(0, 'invoke', 'cas', 'a', 'nil'), 'test, line 1, column 36: found :cas, expected :get or :put or :append'],
    [event(0, 'invoke', 'get', 'a', '"x"'), 'test, line 1: found a value, expected nil, because a get has no argument'],
    [event(0, 'invoke', 'put', 'a', 'nil'), 'test, line 1: found nil, expected the string to put'],
    [event(0, 'invoke', 'put', 'a', '5'), "test, line 1, column 55: found '5', expected a string"],
    [
      event(0, 'ok', 'get', 'a', '"x"'),
      'test, line 1: found the return of a call, expected an invocation, because this process has no open call',
    ],
    [
      event(0, 'invoke', 'get', 'a', 'nil').repeat(2),
      'test, line 2: found an invocation, expected the return of the call on line 1, by the same process',
    ],
    [
      event(0, 'invoke', 'get', 'a', 'nil') + event(0, 'ok', 'get', 'b', '""'),
      'test, line 2: found the return of another get, expected that of the get on line 1',
    ],
    [
      event(0, 'invoke', 'put', 'a', '"x"') + event(0, 'ok', 'put', 'a', '"y"'),
      'test, line 2: found another value, expected the value of the put on line 1',
    ],
    [
      event(0, 'invoke', 'get', 'a', 'nil') + event(0, 'ok', 'get', 'a', 'nil'),
      'test, line 2: found nil, expected a string',
    ],
  ])('the porcupine-kv format names the mistake in %j', async (input, message) => {
    await expect(readText(porcupineKv, input)).rejects.toThrow(message);
  });
});
