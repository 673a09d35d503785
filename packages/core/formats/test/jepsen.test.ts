import {
  OpKind,
  type PlainTransaction,
  fromPlain,
  keyword,
  locateOperation,
  sameHistory,
  toPlain,
} from '@isolab/history';
import { describe, expect, test } from 'vitest';
import type { ByteStream } from '../src/files/input.ts';
import { jepsenEdn } from '../src/jepsen/jepsen-edn.ts';
import { jepsenJson } from '../src/jepsen/jepsen-json.ts';
import { readText, writeFiles } from './support/describe-format.ts';
import { edn, readEdn, transactionsOf } from './support/jepsen-events.ts';

describe('a file of completions only', () => {
  test('a file of completions only has transactions without times, in the order of each process', async () => {
    const read = await readEdn('0 ok txn [[:append 1 5]]', '1 fail txn [[:append 1 6]]', '0 ok txn [[:r 1 [5]]]');
    const { sessions } = toPlain(read);
    expect(sessions.map(({ transactions }) => transactions.map(({ status }) => status))).toEqual([
      ['committed', 'committed'],
      ['aborted'],
    ]);
    expect(read.txnBegin ?? read.txnEnd).toBeNull();
  });

  test('a file of completions without processes has a session for each transaction', async () => {
    const text = '{:type :ok, :value [[:append :x 1]]}\n{:type :ok, :value [[:r :x [1]]]}\n';
    expect(toPlain(await readText(jepsenEdn, text)).sessions.length).toBe(2);
  });
});

describe('transactions', () => {
  test('transactions treat a read of nil as the empty list even if the first append comes later', async () => {
    const history = await readEdn('0 invoke txn [[:r 1 nil]]', '0 ok txn [[:r 1 nil]]', '0 invoke txn [[:append 1 5]]');
    expect([...history.opKind]).toEqual([OpKind.ListRead, OpKind.Append]);
    expect(toPlain(history).sessions[0]!.transactions[0]!.operations).toEqual([
      { kind: 'list-read', key: 1n, elements: [] },
    ]);
  });

  test.each([
    ['[[:append 1 5] [:r 2 nil]]', [OpKind.Append, OpKind.ListRead]],
    ['[[:w 1 5] [:r 2 nil]]', [OpKind.Write, OpKind.Read]],
    ['[[:r 1 nil] [:r 2 nil]]', [OpKind.Read, OpKind.Read]],
    ['[[:w 1 5] [:append 2 6] [:r 1 nil] [:r 2 nil]]', [OpKind.Write, OpKind.Append, OpKind.Read, OpKind.ListRead]],
  ])('transactions determine the meaning of nil by their other operations: %s', async (value, kinds) => {
    expect([...(await readEdn(`0 invoke txn ${value}`, `0 ok txn ${value}`)).opKind]).toEqual(kinds);
  });

  test.each([
    ['fail', 'aborted', 4n],
    ['info', 'unknown', undefined],
  ])('transactions have results of reads after %s only if the event states them', async (type, status, end) => {
    const transactions = await transactionsOf(
      '0 invoke txn [[:append 1 5]]',
      '0 ok txn [[:append 1 5]]',
      '1 invoke txn [[:r 1 nil] [:r 1 nil] [:r 1 nil]]',
      `0 invoke txn [[:r 1 nil]]`,
      `1 ${type} txn [[:r 1 [5]] [:r 1 nil] [:r 1 []]]`,
    );
    expect(transactions.find((transaction) => transaction.operations.length === 3)).toEqual({
      status,
      begin: 2n,
      ...(end && { end }),
      operations: [
        { kind: 'list-read', key: 1n, elements: [5n] },
        { kind: 'list-read', key: 1n, elements: null },
        { kind: 'list-read', key: 1n, elements: [] },
      ],
    });
  });

  test('transactions are those of the invocation if the completion is missing or different', async () => {
    const write = { kind: 'write', key: keyword('x'), value: 5n };
    expect(
      await transactionsOf('0 invoke txn [[:w :x 5]]', '1 invoke txn [[:w :x 5]]', '1 fail txn :timed-out'),
    ).toEqual([
      { status: 'unknown', begin: 0n, operations: [write] },
      { status: 'aborted', begin: 1n, end: 2n, operations: [write] },
    ]);
  });

  test('transactions may be empty, may lack a function or have a different function, and may be lists', async () => {
    const history = await readText(
      jepsenEdn,
      `{:process 0 :type :invoke :value ()} {:process 0 :type :ok :value []}
       ${edn('0 invoke read ([:r 1 nil])', '0 ok read ((:r 1 7))')}`,
    );
    expect([...history.txnStart]).toEqual([0, 0, 1]);
  });

  test('transactions are found on the line of their invocation', async () => {
    const history = await readText(
      jepsenEdn,
      `; first\n\n[${edn('0 invoke txn [[:w 1 2]\n [:w 1 3]]', '0 ok txn [[:w 1 2] [:w 1 3]]', '0 invoke txn [[:w 1 4]]')}]`,
    );
    expect([0, 1, 2].map((op) => locateOperation(history, op))).toEqual([
      'test, line 3',
      'test, line 3',
      'test, line 6',
    ]);
  });

  test('transactions have keys and values that are single tokens, exact to the last digit', async () => {
    const value =
      '[[:w x 9223372036854775807] [:w "x" -9223372036854775808] [:w :x/y 123456789012345678901N] [:w true \\a]]';
    const [{ operations }] = (await transactionsOf(`0 invoke txn ${value}`)) as [PlainTransaction];
    expect(
      operations.map((operation) => [(operation as { key: unknown }).key, (operation as { value: unknown }).value]),
    ).toEqual([
      [{ type: 'literal', text: 'x' }, 2n ** 63n - 1n],
      ['x', -(2n ** 63n)],
      [keyword('x/y'), 123456789012345678901n],
      [
        { type: 'literal', text: 'true' },
        { type: 'literal', text: '\\a' },
      ],
    ]);
  });
});

describe('processes', () => {
  test('processes are sessions, and processes that are not numbers are left out, with any values', async () => {
    const history = await readText(
      jepsenEdn,
      `{:process :nemesis, :type :info, :value [["n1" {}] []], :f :partition} #jepsen.history.Op${edn('7 invoke txn [[:w 1 2]]')}`,
    );
    expect(toPlain(history).sessions.map(({ name }) => name)).toEqual([7n]);
    expect(history.source.notes).toEqual({ events: 2, nemesisEvents: 1 });
  });

  test('processes are not needed where events alternate', async () => {
    const event = (type: string, value: string): string => `{:type :${type} :value [[:r 1 ${value}]]}`;
    const history = await readText(
      jepsenEdn,
      event('invoke', 'nil') + event('ok', '5') + event('invoke', 'nil') + event('ok', '6'),
    );
    expect(toPlain(history).sessions.map(({ name, transactions }) => [name, transactions.length])).toEqual([[0n, 2]]);
  });

  test('processes are not needed where functions and values identify the completion', async () => {
    const history = await readText(
      jepsenEdn,
      '{:type :invoke :f :read} {:type :invoke :f :write :value 5} {:type :invoke :f :write :value 6}' +
        '{:type :ok :f :write :value 6} {:type :ok :f :read :value 5} {:type :ok :f :write :value 5} {:type :invoke :f :read}',
    );
    const spans = toPlain(history).sessions.map(({ transactions }) =>
      transactions.map(({ begin, end }) => [begin, end]),
    );
    expect(spans).toEqual([
      [
        [0n, 4n],
        [6n, undefined],
      ],
      [[1n, 5n]],
      [[2n, 3n]],
    ]);
  });
});

describe('times', () => {
  const event = (type: string, more: string): string => `{:process 0, :type :${type}, :value [[:w 1 2]]${more}}\n`;
  const timesOf = async (...events: [string, string][]) => {
    const { source, txnBegin, txnEnd } = await readText(
      jepsenEdn,
      events.map(([type, more]) => event(type, more)).join(''),
    );
    return [source.timeUnit, txnBegin![0], txnEnd![0]];
  };

  test.each([
    [
      'nanoseconds where all events state them',
      [' :time 17 :index 4', ' :time 17 :index 6'],
      ['nanoseconds', 17n, 17n],
    ],
    ['indices where times decrease', [' :time 17 :index 4', ' :time 16 :index 6'], ['events', 4n, 6n]],
    ['indices where a time is missing', [' :time 17 :index 4', ' :time nil :index 6'], ['events', 4n, 6n]],
    [
      'the order of the file where nothing else will do',
      [' :time 17 :index 4', ' :time 16 :index 3'],
      ['events', 0n, 1n],
    ],
    [
      'negative and large nanoseconds',
      [' :time -9223372036854775807', ' :time 4294967296'],
      ['nanoseconds', 1n - 2n ** 63n, 2n ** 32n],
    ],
  ])('times are %s', async (_, [invoked, completed], expected) => {
    expect(await timesOf(['invoke', invoked!], ['ok', completed!])).toEqual(expected);
  });
});

describe('forms', () => {
  const inPieces = (text: string, size: number): ByteStream => {
    const bytes = Buffer.from(text);
    return {
      kind: 'stream',
      name: 'test',
      head: bytes,
      share: () => 0,
      chunks: (async function* () {
        for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
      })(),
    };
  };
  const events = [
    '0 invoke txn [[:append 1 5]]',
    '0 ok txn [[:append 1 5]]',
    '1 invoke txn [[:r "a}\\"" nil]]',
    '1 ok txn [[:r "a}\\"" [1 2]]]',
  ];
  const json = [
    '{"process":0,"type":"invoke","f":"txn","value":[["append",1,5]]}',
    '{"process":0,"type":"ok","f":"txn","value":[["append",1,5]]}',
    '{"process":1,"type":"invoke","f":"txn","value":[["r","a}\\"",null]]}',
    '{"process":1,"type":"ok","f":"txn","value":[["r","a}\\"",[1,2]]]}',
  ];

  test.each([
    ['maps', jepsenEdn, edn(...events)],
    ['a vector', jepsenEdn, `; héllo [\n,[${edn(...events)}]\n; end`],
    ['a list with comments and discarded forms', jepsenEdn, `( #_ {} ${edn(...events)} ;]\n #_ [1 2])`],
    ['an array', jepsenJson, `\n[${json.join(',\n')}]\n`],
    ['lines of JSON', jepsenJson, json.join('\n')],
  ])('forms are read alike in pieces of any size: %s', async (_, format, text) => {
    const whole = await format.read(inPieces(text, text.length), {});
    expect(sameHistory(whole, await readEdn(...events))).toBe(true);
    for (const size of [1, 2, 3, 7, 50]) {
      expect(toPlain(await format.read(inPieces(text, size), {}))).toEqual(toPlain(whole));
    }
    expect(format.matches(inPieces(text, 1))).toBe(true);
  });
});

describe('written histories', () => {
  const read = (value: bigint | null): PlainTransaction => ({
    status: 'committed',
    operations: [{ kind: 'read', key: 1n, value }],
  });

  test('written histories without times state that, and overlap as much as possible', async () => {
    const history = fromPlain({ sessions: [5n, 3n].map((name) => ({ name, transactions: [read(null), read(null)] })) });
    expect((await writeFiles(jepsenEdn, history)).get('')!.toString()).toMatchInlineSnapshot(`
      "{:type :info, :f :untimed, :process :isolab}
      {:type :invoke, :f :txn, :value [[:r 1 nil]], :process 5}
      {:type :invoke, :f :txn, :value [[:r 1 nil]], :process 3}
      {:type :ok, :f :txn, :value [[:r 1 nil]], :process 5}
      {:type :invoke, :f :txn, :value [[:r 1 nil]], :process 5}
      {:type :ok, :f :txn, :value [[:r 1 nil]], :process 3}
      {:type :invoke, :f :txn, :value [[:r 1 nil]], :process 3}
      {:type :ok, :f :txn, :value [[:r 1 nil]], :process 5}
      {:type :ok, :f :txn, :value [[:r 1 nil]], :process 3}
      "
    `);
    expect((await writeFiles(jepsenJson, history)).get('')!.toString()).toMatchInlineSnapshot(`
      "[{"type":"info","f":"untimed","process":"isolab"},
      {"type":"invoke","f":"txn","value":[["r",1,null]],"process":5},
      {"type":"invoke","f":"txn","value":[["r",1,null]],"process":3},
      {"type":"ok","f":"txn","value":[["r",1,null]],"process":5},
      {"type":"invoke","f":"txn","value":[["r",1,null]],"process":5},
      {"type":"ok","f":"txn","value":[["r",1,null]],"process":3},
      {"type":"invoke","f":"txn","value":[["r",1,null]],"process":3},
      {"type":"ok","f":"txn","value":[["r",1,null]],"process":5},
      {"type":"ok","f":"txn","value":[["r",1,null]],"process":3}]
      "
    `);
  });

  test('written histories state the order of their sessions if events do not', async () => {
    const history = fromPlain({
      timeUnit: 'events',
      sessions: [
        { name: 0n, transactions: [{ ...read(null), begin: 7n, end: 9n }] },
        { name: 1n, transactions: [{ ...read(null), begin: 6n, end: 6n }] },
        { name: 2n, transactions: [] },
      ],
    });
    const text = (await writeFiles(jepsenEdn, history)).get('')!.toString();
    expect(text).toMatchInlineSnapshot(`
      "{:type :info, :f :sessions, :value [0 1 2], :process :isolab, :index 5}
      {:type :invoke, :f :txn, :value [[:r 1 nil]], :process 1, :index 6}
      {:type :ok, :f :txn, :value [[:r 1 nil]], :process 1, :index 6}
      {:type :invoke, :f :txn, :value [[:r 1 nil]], :process 0, :index 7}
      {:type :ok, :f :txn, :value [[:r 1 nil]], :process 0, :index 9}
      "
    `);
    expect(sameHistory(await readText(jepsenEdn, text), history)).toBe(true);
  });

  test('written histories leave out times that do not order the transactions of a session', async () => {
    const transactions = [
      { ...read(null), begin: 7n, end: 9n },
      { ...read(null), begin: 8n, end: 10n },
    ];
    const history = fromPlain({ timeUnit: 'events', sessions: [{ name: 0n, transactions }] });
    expect((await jepsenEdn.writer!()).losses(history)).toEqual([{ name: 'times', count: 4, fate: 'are left out' }]);
  });

  test('written histories report a read of nil that becomes a read of a different initial state', async () => {
    const transactions = [read(0n), read(null)];
    const history = fromPlain({ initial: 0n, sessions: [{ name: 0n, transactions }] });
    expect((await jepsenEdn.writer!()).losses(history).map(({ name, count }) => [name, count])).toEqual([
      ['initial-values', 1],
    ]);
  });

  test('written histories turn keywords into strings in JSON', async () => {
    const history = fromPlain({
      sessions: [
        {
          name: 0n,
          transactions: [{ status: 'committed', operations: [{ kind: 'read', key: keyword('x'), value: null }] }],
        },
      ],
    });
    expect((await jepsenJson.writer!()).losses(history)).toEqual([
      { name: 'key-names', count: 1, fate: 'become strings' },
    ]);
    const back = await readText(jepsenJson, (await writeFiles(jepsenJson, history)).get('')!.toString());
    expect(toPlain(back).sessions[0]!.transactions[0]!.operations).toEqual([{ kind: 'read', key: 'x', value: null }]);
  });
});
