import {
  type History,
  type PlainOperation,
  ReadFrom,
  type TransactionId,
  TxnStatus,
  buildReadFrom,
  fromPlain,
  locateOperation,
  sameHistory,
  showTransaction,
  toPlain,
} from '@isolab/history';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { directoryOfBytes } from '../src/files/input.ts';
import { viper } from '../src/viper/viper.ts';
import { type GeneratedShape, arbitraryHistory } from '../src/conformance/arbitrary-history.ts';
import { choppedDirectory } from './support/chopped-directory.ts';
import { describeFormat, readFiles, writeFiles } from './support/describe-format.ts';
import { ALL_FEATURES } from './support/everything.ts';

const shape: GeneratedShape = {
  key: (n) => (n % 2 ? `key "${n}"` : BigInt(n - 1) * 10n ** 20n),
  value: (n) => (n % 3 ? -BigInt(n) * 10n ** 18n : `v\n${n}`),
  session: (n) => BigInt(3 * n + 1),
  initial: null,
  operations: ['read', 'write', 'range-read', 'insert', 'delete'],
  emptyTransactions: true,
  emptySessions: true,
  thinAir: true,
};

const allKindsOf = (initial: GeneratedShape['initial']) =>
  fc.oneof(arbitraryHistory({ ...shape, initial }), arbitraryHistory({ ...shape, initial, times: 'all' }));

await describeFormat(viper, {
  // A directory of nothing but empty logs is no history.
  expressible: fc
    .oneof(allKindsOf(null), allKindsOf(0n), allKindsOf('once'))
    .filter(({ sessions }) => sessions.some((session) => session.transactions.length > 0)),
  anything: arbitraryHistory({
    ...shape,
    ...ALL_FEATURES,
    key: (n) => ['nil', 5n, null, 'k'][n]!,
    value: (n) => (n % 3 ? BigInt(n - 2) : 'nil'),
    session: (n) => (n === 0 ? 'client' : BigInt(-n)),
    transaction: (n) => BigInt(n % 3),
    initial: 0n,
  }),
});

const readLogs = (logs: Readonly<Record<string, string>>): Promise<History> =>
  readFiles(viper, new Map(Object.entries(logs).map(([file, text]) => [file, Buffer.from(text)])));
const readLog = (...lines: string[]): Promise<History> => readLogs({ 'J1.log': lines.join('\n') });

const transactions = (history: History): string[] =>
  Array.from(history.txnStatus, (_, t) => showTransaction(history, t as TransactionId));

describe('the Viper format', () => {
  test('the Viper format reads files as sessions and lines as transactions', async () => {
    const history = await readLogs({
      'J10.log': '{"value": [["w", 5, 9223372036854775807, true]]}\n\n  \n{"value": []}\n',
      'J9.log': '{"value": [["r", 5, 9223372036854775807, false], ["w", "five", -9223372036854775808, true]]}',
      'J11.log': '',
    });
    expect(toPlain(history).sessions).toMatchObject([
      { name: 9n, transactions: [{}] },
      { name: 10n, transactions: [{}, {}] },
      { name: 11n, transactions: [] },
    ]);
    expect(transactions(history)).toEqual([
      'r(5, 9223372036854775807) w(five, -9223372036854775808)',
      'w(5, 9223372036854775807)',
      '',
    ]);
    expect(locateOperation(history, 1)).toBe('test/J9.log, line 1');
    expect([...history.txnPosition]).toEqual([1, 1, 4]);
  });

  test('the Viper format keeps integers of any length and reads 0, null and "nil" as nil', async () => {
    const history = await readLog(
      '{"value": [["w", 123456789012345678901234567890, -18446744073709551616, true]]}',
      '{"value": [["r", 1, 0, false], ["r", 2, null, false], ["r", 3, "nil", false], ["r", 4, -0, false]]}',
    );
    expect(transactions(history)).toEqual([
      'w(123456789012345678901234567890, -18446744073709551616)',
      'r(1, nil) r(2, nil) r(3, nil) r(4, nil)',
    ]);
  });

  test('the Viper format reads every form of operation, as array and as object', async () => {
    const arrays = await readLog(
      '{"value": [["i", 1, 11, 0, false, true], ["d", 1, 12, 11, false, true], ["r", 1, 12, true]]}',
      '{"value": [["i", 1, 13, 12, true, true, true, "w"], ["d", 1, 14, 13, true, true, false]]}',
      '{"value": [["range", 1, 3, [{"id": 2, "sk": 2, "val": 0}], [{"id": 1, "sk": 1, "val": 14}]], ["range", "nil", null, [], []]]}',
    );
    const objects = await readLog(
      '{"value": [{"opType": "begin"}, {"opType": "i", "key": 1, "value": 11, "readValue": 0, "reqTS": 5, "resTS": 6}, {"opType": "d", "key": 1, "value": 12, "readValue": 11, "isDead": false, "succ": true}, {"value": 12, "isDead": true, "key": 1, "opType": "r", "forUpdate": false}]}',
      '{"size": 2, "value": [{"opType": "i", "key": 1, "value": 13, "readValue": 12, "isDead": true, "key1": null}, {"opType": "d", "key": 1, "value": 14, "readValue": 13, "isDead": true}, {"opType": "commit"}]}',
      '{"value": [{"opType": "range", "deadKVs": [{"id": 1, "val": 14}], "liveKVs": [{"val": 0, "id": 2}], "key1": 1, "key2": 3}, {"opType": "range"}]}',
    );
    expect(transactions(arrays)).toEqual([
      'insert(1, nil → 11) delete(1, 11 → 12) r(1, 12)',
      'insert(1, 12 → 13) delete(1, 13 → 14)',
      'range(1 to 3: {2: nil, 1: 14}) range(… to …: {})',
    ]);
    expect(toPlain(objects).sessions).toEqual(toPlain(arrays).sessions);
    expect([...arrays.exchanges.flags]).toEqual([0, 0, 2, 2]);
    expect([...arrays.ranges.rowDead]).toEqual([0, 1]);
  });

  test('the Viper format leaves out statements that did not succeed', async () => {
    const history = await readLog(
      '{"value": [["w", 1, 11, false], ["i", 1, 12, 0, false, false], {"opType": "d", "key": 1, "value": 13, "succ": false}]}',
      '{"value": [["r", 1, 11, false]]}',
    );
    expect(transactions(history)).toEqual(['', 'r(1, 11)']);
    expect(history.source.notes).toEqual({ failedStatements: 3 });
    expect([...buildReadFrom(history).readFrom]).toEqual([ReadFrom.ThinAir]);
  });

  test('the Viper format reads an aborted transaction, although clients do not log them', async () => {
    const history = await readLog(
      '{"value": [{"opType": "w", "key": 1, "value": 11}, {"opType": "abort"}]}',
      '{"value": []}',
    );
    expect([...history.txnStatus]).toEqual([TxnStatus.Aborted, TxnStatus.Committed]);
  });

  test('the Viper format reads the first and the last of the four times', async () => {
    const history = await readLog(
      '{"preBeginTS": 1, "postBeginTS": 2, "value": [], "preCommitTS": 3, "postCommitTS": 9007199254740993}',
      '{"value": []}',
    );
    expect(toPlain(history)).toMatchObject({
      timeUnit: 'nanoseconds',
      sessions: [{ transactions: [{ begin: 1n, end: 9007199254740993n }, {}] }],
    });
  });

  describe('files without a line for the initial state', () => {
    test.each([
      [
        'takes the one value of a key that nothing wrote',
        '["r", 1, 5, false], ["r", 1, 5, false], ["w", 1, 6, true]',
        [ReadFrom.Initial, ReadFrom.Initial, ReadFrom.None],
      ],
      [
        'goes by the key',
        '["r", 1, 5, false], ["w", 2, 5, true], ["w", 3, 5, true], ["r", 3, 5, false]',
        [ReadFrom.Initial, ReadFrom.None, ReadFrom.None, 2],
      ],
      [
        'finds it in rows and in what exchanges read',
        '["range", 1, 2, [{"id": 1, "val": 5}], []], ["i", 1, 6, 5, true, true], ["r", 1, 6, false]',
        [ReadFrom.None, ReadFrom.Initial, 1],
      ],
      [
        'leaves several out of thin air',
        '["r", 1, 5, false], ["r", 1, 6, false]',
        [ReadFrom.ThinAir, ReadFrom.ThinAir],
      ],
      [
        'leaves one out of thin air if the key was absent too',
        '["r", 1, 5, false], ["r", 1, 0, false]',
        [ReadFrom.ThinAir, ReadFrom.Initial],
      ],
    ])('%s', async (_, operations, readFrom) => {
      const history = await readLog(`{"value": [${operations}]}`);
      expect([...buildReadFrom(history).readFrom]).toEqual(readFrom);
    });

    test('the number of inferred initial values is noted', async () => {
      const history = await readLog('{"value": [["r", 1, 5, false], ["r", 2, 5, false], ["r", 2, 6, false]]}');
      expect(history.source.notes).toEqual({ inferredInitialValues: 1, keysWithSeveralUnwrittenValues: 1 });
    });
  });

  describe('files with a line for the initial state', () => {
    test.each([
      ['by writes', '["w", 1, 5, true], ["w", 3, 6, false]'],
      ['by a range read', '["range", "nil", "nil", [{"id": 1, "val": 5}], [{"id": 3, "val": 7}]]'],
      ['by reads, inserts and deletes', '["r", 2, 0, false], ["i", 1, 5, 0, false, true], ["d", 3, 7, 5, false, true]'],
      ['the last word counts', '["w", 1, 4, true], ["w", 1, 5, true]'],
    ])('%s', async (_, operations) => {
      const history = await readLogs({
        'J0.log': `{"isInitial": true, "preBeginTS": 7, "value": [${operations}]}\n`,
        'J1.log': '{"value": [["r", 1, 5, false], ["r", 1, 6, false], ["r", 2, 0, false]], "isInitial": false}',
      });
      expect(toPlain(history).sessions).toMatchObject([{ name: 1n, transactions: [{}] }]);
      expect([...buildReadFrom(history).readFrom]).toEqual([ReadFrom.Initial, ReadFrom.ThinAir, ReadFrom.Initial]);
      expect(history.txnBegin).toBeNull();
    });

    test('an initial state may be at the beginning of a client’s log', async () => {
      const history = await readLog(
        '{"value": [["w", 1, 5, true]], "isInitial": true}',
        '{"value": [["r", 1, 5, false]]}',
      );
      expect(transactions(history)).toEqual(['r(1, 5)']);
      expect([...history.txnPosition]).toEqual([2]);
    });
  });

  test('the Viper format keeps and counts the final transaction', async () => {
    const final = '["range", null, null, [{"id": 1, "val": 5}], []';
    for (const line of [`{"value": [${final}]], "isFinal": true}`, `{"value": [${final}, true]]}`]) {
      const history = await readLog('{"value": [["w", 1, 5, true]]}', line);
      expect(transactions(history)).toEqual(['w(1, 5)', 'range(… to …: {1: 5})']);
      expect(history.source.notes).toEqual({ finalTransactions: 1 });
    }
  });

  test('the Viper format writes reads of an initial 0 without a loss, but not a written 0', async () => {
    const readsZero = fromPlain({
      initial: 0n,
      sessions: [
        { name: 0n, transactions: [{ status: 'committed', operations: [{ kind: 'read', key: 1n, value: 0n }] }] },
      ],
    });
    expect((await viper.writer!()).losses(readsZero)).toEqual([]);
    expect(sameHistory(await readFiles(viper, await writeFiles(viper, readsZero)), readsZero)).toBe(true);
    const writesZero = fromPlain({
      sessions: [
        { name: 0n, transactions: [{ status: 'committed', operations: [{ kind: 'write', key: 1n, value: 0n }] }] },
      ],
    });
    expect((await viper.writer!()).losses(writesZero)).toEqual([
      { name: 'value-names', count: 1, fate: 'are renumbered' },
    ]);
  });

  test('the Viper format reports rows of tables that become a part of ranges', async () => {
    const operations: PlainOperation[] = [
      { kind: 'write', key: 't/1', value: '{}' },
      { kind: 'range-read', low: null, high: null, rows: [] },
    ];
    const sessions = [{ name: 0n, transactions: [{ status: 'committed' as const, operations }] }];
    const lossesWith = async (tables: string[]) => (await viper.writer!()).losses(fromPlain({ sessions, tables }));
    expect((await lossesWith(['t'])).map(({ name, count }) => [name, count])).toEqual([['range-reads', 1]]);
    expect(await lossesWith([])).toEqual([]);
  });

  test('the Viper format reports tombstones that move after the live rows', async () => {
    const rows = [1n, 2n].map((key) => ({ key, value: null, dead: key === 1n }));
    const history = fromPlain({
      sessions: [
        {
          name: 0n,
          transactions: [{ status: 'committed', operations: [{ kind: 'range-read', low: null, high: null, rows }] }],
        },
      ],
    });
    expect((await viper.writer!()).losses(history)).toEqual([
      { name: 'range-reads', count: 1, fate: 'have their tombstones moved to the end' },
    ]);
  });

  test.each([1, 7, 100])('the Viper format reads files that come in chunks of %i bytes', async (chunkBytes) => {
    const lines = [1, 2, 3].map((v) => `{"value": [["w", 1, ${v}, true], ["r", 1, ${v}, false]]}`);
    const files = { 'J0.log': `{"value": [], "isInitial": true}`, 'J1.log': lines.join('\r\n'), 'J2.log': '\n\n' };
    const history = await viper.read(choppedDirectory(files, chunkBytes), {});
    expect(toPlain(history)).toEqual(toPlain(await readLogs(files)));
    expect([...history.txnPosition]).toEqual([1, 2, 3]);
  });

  test('the Viper format names the byte that is not UTF-8', async () => {
    const log = Buffer.from('{"value": [["r", "\xff", 1, true]]}', 'latin1');
    await expect(readFiles(viper, new Map([['J1.log', log]]))).rejects.toThrow(
      'test/J1.log, line 1, column 19: found byte 0xff, expected valid UTF-8',
    );
  });

  test.each([
    ['', 'test: found no transaction, expected lines such as {"value": [["r", 1, 0, false]]}'],
    ['[]', "test/J1.log, line 1, column 1: found '[', expected an object"],
    [
      '{"value": []}\n{}',
      'test/J1.log, line 2, column 3: found a transaction without "value", expected its operations in "value"',
    ],
    ['{"value": [], "value": []}', 'line 1, column 23: found "value" a second time, expected one list of operations'],
    ['{"value": {}}', "line 1, column 11: found '{', expected an array"],
    ['{"value": [7]}', "line 1, column 12: found '7', expected an array"],
    ['{"value": [["x", 1, 2, true]]}', 'line 1, column 13: found "x", expected "r", "w", "i", "d" or "range"'],
    ['{"value": [["w", 1, 2]]}', "line 1, column 22: found ']', expected whether it succeeded"],
    ['{"value": [["w", 1, 2, 1]]}', "line 1, column 24: found '1', expected true or false"],
    ['{"value": [["w", 1, 2, true, 5]]}', "line 1, column 28: found ',', expected ']'"],
    ['{"value": [["w", 1.5, 2, true]]}', "line 1, column 18: found '1.5', expected an integer"],
    ['{"value": [["w", null, 2, true]]}', "line 1, column 18: found 'null', expected an integer"],
    [
      '{"value": [["range", 1, 2, [{"id": 3}], []]]}',
      'line 1, column 38: found a row without "id" or "val", expected both',
    ],
    [
      '{"value": [{"opType": "r", "key": 1}]}',
      'line 1, column 37: found an operation without "key" or "value", expected both',
    ],
    [
      '{"value": [{"key": 1}]}',
      'line 1, column 22: found an operation without "opType", expected "r", "w", "i", "d", "range", "begin", "commit" or "abort"',
    ],
    ['{"value": [{"opType": "x"}]}', 'line 1, column 23: found "x", expected "r", "w", "i", "d", "range", "begin"'],
    [
      '{"preBeginTS": 9223372036854775808, "value": []}',
      'line 1, column 35: found the time 9223372036854775808, expected a time of at most 64 bits',
    ],
    [
      '{"value": []}\n{"value": [], "isInitial": true}',
      'line 2, column 1: found an initial transaction after others, expected the initial transaction on the first line of its file',
    ],
    [
      '{"value": [], "isInitial": true, "isInitial": false}',
      'line 1, column 32: found "isInitial" a second time, expected "isInitial" once',
    ],
    [
      '{"value": [{"opType": "abort"}], "isInitial": true}',
      'line 1, column 52: found an initial transaction that aborted, expected an initial transaction that committed',
    ],
    ['{"value": [["r", 1, 2, fal', "line 1, column 24: found 'fal', expected true or false"],
    ['{"value": []} {"value": []}', "line 1, column 15: found '{', expected the end"],
  ])('the Viper format names the mistake in %j', async (log, message) => {
    await expect(readLog(log)).rejects.toThrow(message);
  });

  test.each([
    [{ 'J1.log': '', 'x.log': '' }, "test: found the log 'x.log', expected only logs called J<number>.log"],
    [{ 'J1.txt': '' }, 'test: found no log, expected a file J<number>.log for each session'],
    [
      { 'J1.log': '{"value": [], "isInitial": true}', 'J2.log': '{"value": [], "isInitial": true}' },
      'test/J2.log, line 1, column 1: found a second initial transaction, expected one',
    ],
  ])('the Viper format names the mistake in the directory %j', async (logs, message) => {
    await expect(readLogs(logs as Record<string, string>)).rejects.toThrow(message);
  });

  test.each([
    [{ 'J1.log': '', readme: '' }, true],
    [{ 'T1.log': '' }, false],
    [{ 'T1.log': '', 'J1.log': '' }, false],
  ])('the Viper format recognises a directory by its names: %j', (files, expected) => {
    expect(viper.matches(directoryOfBytes('test', files))).toBe(expected);
  });
});
