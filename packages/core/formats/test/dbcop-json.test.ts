import {
  ReadFrom,
  type TransactionId,
  TxnStatus,
  buildReadFrom,
  fromPlain,
  locateOperation,
  locateTransaction,
  toPlain,
} from '@isolab/history';
import { describe, expect, test } from 'vitest';
import { dbcopJson } from '../src/dbcop/dbcop-json.ts';
import { inputOfBytes } from '../src/files/input.ts';
import { type GeneratedShape, arbitraryHistory } from '../src/conformance/arbitrary-history.ts';
import { describeFormat, readText, writeFiles } from './support/describe-format.ts';
import { DBCOP_SHAPE } from './support/dbcop-shape.ts';
import { ALL_FEATURES } from './support/everything.ts';

const shape: GeneratedShape = { ...DBCOP_SHAPE, initial: null };

await describeFormat(dbcopJson, {
  expressible: arbitraryHistory(shape),
  anything: arbitraryHistory({
    ...shape,
    ...ALL_FEATURES,
    key: (n) => (n % 2 ? `key ${n}` : BigInt(-n)),
    value: (n) => (n % 3 ? BigInt(n - 1) : `v${n}`),
    session: (n) => `client ${n}`,
    transaction: (n) => BigInt(n * n),
    initial: 0n,
  }),
});

/** One session with one transaction of these events. */
const withEvents = (events: string): string => `[[{"events": [${events}], "committed": true}]]`;

describe('dbcop-json', () => {
  test('dbcop-json reads both spellings of events, mixed', async () => {
    const events =
      '{"Write": {"variable": 1, "version": 5}}, ["r", 1, 5], ["w", 2, 6], {"Read": {"version": null, "variable": 3}}, ["r", 3, null]';
    const history = await readText(dbcopJson, withEvents(events));
    expect([...buildReadFrom(history).readFrom]).toEqual([
      ReadFrom.None,
      0,
      ReadFrom.None,
      ReadFrom.Initial,
      ReadFrom.Initial,
    ]);
  });

  test('dbcop-json reads the bare array and the wrapped array alike', async () => {
    const sessions = '[[{"committed": false, "events": [["w", 1, 1]]}], [], [{"events": [], "committed": true}]]';
    const bare = await readText(dbcopJson, sessions);
    const wrapped = await readText(
      dbcopJson,
      `{"params": {"id": 0}, "info": "Dgraph", "start": "", "end": null, "data": ${sessions}, "more": [{}]}`,
    );
    expect(toPlain(wrapped)).toEqual({ ...toPlain(bare), database: 'Dgraph' });
    expect([...bare.txnStatus]).toEqual([TxnStatus.Aborted, TxnStatus.Committed]);
    expect([...bare.sessionStart]).toEqual([0, 1, 1, 2]);
  });

  test('dbcop-json treats a read of 0 as a read of the initial state unless 0 is written to the key', async () => {
    const history = await readText(
      dbcopJson,
      '[[{"events": [["r", 1, 0], ["r", 2, 0], {"Read": {"version": 0, "variable": 3}}], "committed": true}], [{"events": [["w", 1, 0], {"Write": {"version": 0, "variable": 2}}], "committed": false}]]',
    );
    expect([...buildReadFrom(history).readFrom].slice(0, 3)).toEqual([3, 4, ReadFrom.Initial]);
  });

  test('dbcop-json keeps all 64 bits, and strings apart from integers', async () => {
    const history = await readText(
      dbcopJson,
      withEvents(
        '["w", 18446744073709551615, 9223372036854775808], ["w", "18446744073709551615", 9223372036854775807]',
      ),
    );
    const [first, second] = toPlain(history).sessions[0]!.transactions[0]!.operations;
    expect([first, second]).toMatchObject([
      { key: 2n ** 64n - 1n, value: 2n ** 63n },
      { key: '18446744073709551615', value: 2n ** 63n - 1n },
    ]);
  });

  test('dbcop-json knows the byte of every transaction and operation', async () => {
    const text =
      '[\n  [{"events": [["w", 1, 1],\n {"Write": {"variable": 1, "version": 2}}], "committed": true},\n {"committed": true, "events": [["r", 1, 2]]}]]';
    const history = await readText(dbcopJson, text);
    expect([0, 1, 2].map((op) => locateOperation(history, op))).toEqual(
      ['["w"', '{"Write"', '["r"'].map((event) => `test, byte ${text.indexOf(event)}`),
    );
    expect(locateTransaction(history, 1 as TransactionId)).toBe(`test, byte ${text.indexOf('{"committed"')}`);
  });

  test('dbcop-json writes the wrapper, with the database and parameters that fit', async () => {
    const history = await readText(
      dbcopJson,
      '{"info": "Dgraph", "data": [[{"events": [["w", 5, 1], ["r", 6, null]], "committed": true}], []]}',
    );
    const written = JSON.parse(Buffer.from((await writeFiles(dbcopJson, history)).get('')!).toString()) as unknown;
    expect(written).toMatchObject({
      params: { id: 0, n_node: 2, n_variable: 2, n_transaction: 1, n_event: 2 },
      info: 'Dgraph',
      data: [
        [
          {
            events: [{ Write: { variable: 5, version: 1 } }, { Read: { variable: 6, version: null } }],
            committed: true,
          },
        ],
        [],
      ],
    });
  });

  test('dbcop-json counts the reads of 0 that would look like reads of the initial state', async () => {
    const read = (key: bigint) => ({ kind: 'read', key, value: 0n }) as const;
    const history = fromPlain({
      sessions: [
        {
          name: 1n,
          transactions: [
            { status: 'committed', operations: [read(1n), read(2n), { kind: 'write', key: 2n, value: 0n }] },
          ],
        },
      ],
    });
    expect((await dbcopJson.writer!()).losses(history)).toEqual([
      { name: 'initial-values', count: 1, fate: 'become indistinguishable from the initial state' },
    ]);
  });

  const event = 'an event such as {"Read": …}, {"Write": …}, ["r", …] or ["w", …]';
  test.each([
    ['', "test: found an empty file, expected an array of sessions or an object with 'data'"],
    [
      ' \n',
      "test, line 2, column 1: found the end of the input, expected an array of sessions or an object with 'data'",
    ],
    ['7', "column 1: found a number, expected an array of sessions or an object with 'data'"],
    [
      '{"info": "x"}',
      "column 1: found an object without 'data', expected an array of sessions or an object with 'data'",
    ],
    ['{"data": [], "data": []}', "found 'data' a second time, expected only one"],
    ['{"data": {}}', "column 10: found an object, expected an array of sessions in 'data'"],
    ['{"info": 7, "data": []}', "column 10: found '7', expected a string"],
    ['[{}]', 'column 2: found an object, expected a session, an array of transactions'],
    ['[[\n[]]]', "line 2, column 1: found an array, expected a transaction, an object with 'events' and 'committed'"],
    [
      '[[{"events": []}]]',
      "column 3: found a transaction without 'committed', expected 'committed' with true or false",
    ],
    ['[[{"committed": true}]]', "column 3: found a transaction without 'events', expected its events"],
    ['[[{"events": [], "events": []}]]', "found 'events' a second time, expected only one"],
    ['[[{"events": [], "committed": 1}]]', "column 31: found '1', expected true or false"],
    ['[[{"events": {}, "committed": 1}]]', "column 14: found '{', expected an array"],
    ['[[]] []', "column 6: found '[', expected the end"],
    ['[[]', "column 4: found the end of the input, expected a comma or ']'"],
    ['[[],]', "column 5: found ']', expected a value"],
    [withEvents('7'), `column 15: found a number, expected ${event}`],
    [withEvents('{}'), `column 15: found an empty object, expected ${event}`],
    [withEvents('{"Append": {}}'), `column 15: found a "Append", expected ${event}`],
    [withEvents('{"Read": {"version": 1}}'), "column 15: found an event without 'variable', expected one"],
    [withEvents('{"Read": {"variable": 1}}'), "column 15: found an event without 'version', expected one"],
    [withEvents('{"Read": {"variable": 1, "variable": 1}}'), "found 'variable' a second time, expected only one"],
    [withEvents('{"Read": {"version": null, "version": 1}}'), "found 'version' a second time, expected only one"],
    [withEvents('{"Read": {"variable": 1, "version": 1}, "Write": {}}'), "column 53: found ',', expected '}'"],
    [withEvents('{"Write": {"variable": 1, "version": null}}'), "column 52: found 'null', expected an integer"],
    [withEvents('["x", 1, 1]'), "column 16: found \"x\", expected 'r' or 'w'"],
    [withEvents('[]'), "column 16: found ']', expected 'r' or 'w'"],
    [withEvents('["r", 1]'), "column 22: found ']', expected a version"],
    [withEvents('["r", 1, 1, 1]'), "column 25: found ',', expected ']'"],
    [withEvents('["r", 1, 1.5]'), "column 24: found '1.5', expected an integer"],
    [withEvents('["r", -1, 1]'), 'column 21: found -1, expected a natural number below 2^64'],
    [
      withEvents('["r", 1, 18446744073709551616]'),
      'column 24: found 18446744073709551616, expected a natural number below 2^64',
    ],
    [withEvents('["r", null, 1]'), "column 21: found 'null', expected an integer"],
    [`${'['.repeat(100_000)}`, 'column 3: found an array, expected a transaction'],
    [`{"x": ${'['.repeat(100_000)}`, 'expected nesting at most 1000 deep'],
  ])('dbcop-json names the mistake in %.80j', async (text, message) => {
    await expect(readText(dbcopJson, text)).rejects.toThrow(message);
  });

  test.each([
    [' [\n[ {"events" : []', true],
    ['[[], [], [{"committed": true', true],
    ['[[], []]', true],
    ['{"params": {', true],
    ['{"data": [', true],
    ['[{"type": "ok"}]', false],
    ['{"value": [', false],
    ['[x:=1]', false],
    ['[[{events: []', false],
  ])('dbcop-json claims %j: %s', (text, expected) => {
    expect(dbcopJson.matches(inputOfBytes('test', text))).toBe(expected);
  });
});
