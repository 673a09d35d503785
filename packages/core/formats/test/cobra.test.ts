import { ReadFrom, TxnStatus, buildReadFrom, fromPlain, locateOperation, sameHistory, toPlain } from '@isolab/history';
import { describe, expect, test } from 'vitest';
import { cobra } from '../src/cobra/cobra.ts';
import { directoryOfBytes } from '../src/files/input.ts';
import { type GeneratedShape, arbitraryHistory } from '../src/conformance/arbitrary-history.ts';
import { choppedDirectory } from './support/chopped-directory.ts';
import { describeFormat, readFiles, writeFiles } from './support/describe-format.ts';
import { ALL_FEATURES } from './support/everything.ts';

const shape: GeneratedShape = {
  key: (n) => BigInt(n - 1) * 10n ** 18n,
  value: (n) => (n % 3 ? (1n << 32n) + BigInt(n) : -BigInt(n)),
  session: (n) => BigInt(5 * n + 2),
  transaction: (n) => BigInt(1013 + n * n),
  initial: null,
  operations: ['read', 'write'],
  statuses: ['committed', 'aborted'],
  emptyTransactions: true,
  emptySessions: true,
  thinAir: true,
  unknownReads: true,
};

await describeFormat(cobra, {
  // A directory of nothing but empty logs is no history.
  expressible: arbitraryHistory(shape).filter(({ sessions }) => sessions.some((s) => s.transactions.length > 0)),
  anything: arbitraryHistory({
    ...shape,
    ...ALL_FEATURES,
    key: (n) => (n % 2 ? `k${n}` : BigInt(-n)),
    value: (n) => (n % 3 ? 0xdeadbeefn + BigInt(n) : 0xdeadbeefn - BigInt(n)),
    session: (n) => (n === 0 ? 'client' : BigInt(-n)),
    transaction: (n) => BigInt(n % 3),
    initial: 0n,
  }),
});

const record = (letter: string, ...numbers: (bigint | number)[]): Buffer => {
  const bytes = Buffer.alloc(1 + 8 * numbers.length, letter);
  numbers.forEach((number, i) => bytes.writeBigInt64BE(BigInt(number), 1 + 8 * i));
  return bytes;
};
const start = (id: number, ...time: number[]): Buffer => record('S', id, ...time);
const commit = (id: number, ...time: number[]): Buffer => record('C', id, ...time);
const abort = (id: number): Buffer => record('A', id);
const write = (id: number, key: number, hash = id): Buffer => record('W', id, key, hash);
const read = (writer: number, id: number, key: number, hash = id): Buffer => record('R', writer, id, key, hash);
const INITIAL = 0xbebeebee;
const NULL = 0xdeadbeef;
const UNIVERSAL = 0xabddefee;

const fenceWrite = (id: number): Buffer => {
  const bytes = write(id, 0);
  bytes.writeBigUInt64BE(0xb8873aa82ef6c6d3n, 9);
  return bytes;
};

const readLogs = (logs: Readonly<Record<string, Buffer[] | string>>) =>
  readFiles(cobra, new Map(Object.entries(logs).map(([file, records]) => [file, bytesOf(records)])));
const bytesOf = (log: Buffer[] | string): Buffer => (typeof log === 'string' ? Buffer.from(log) : Buffer.concat(log));

describe('the Cobra format', () => {
  test('the Cobra format reads each file as a session, in the order of their numbers', async () => {
    const history = await readLogs({
      'T10.log': [start(1), write(5, 7), commit(1)],
      'T2.log': [start(2), read(1, 5, 7), commit(2)],
      'T3.log': [],
      'T3.error': 'Signature is null',
    });
    expect(toPlain(history).sessions).toMatchObject([
      { name: 2n, transactions: [{ name: 2n, operations: [{ kind: 'read', key: 7n, value: 5n }] }] },
      { name: 3n, transactions: [] },
      { name: 10n, transactions: [{ name: 1n, operations: [{ kind: 'write', key: 7n, value: 5n }] }] },
    ]);
    expect(locateOperation(history, 1)).toBe('test/T10.log, byte 9');
  });

  test('the Cobra format finds every operation in its file', async () => {
    const history = await readLogs({
      'T1.log': [start(1), commit(1), start(2), read(INITIAL, INITIAL, 7), write(5, 7), write(6, 8), commit(2)],
    });
    expect([0, 1, 2].map((op) => locateOperation(history, op))).toEqual(
      [27, 60, 85].map((byte) => `test/T1.log, byte ${byte}`),
    );
  });

  test('the Cobra format reads nil where no instrumented write precedes', async () => {
    const history = await readLogs({
      'T1.log': [start(1), read(INITIAL, INITIAL, 7, 99), read(NULL, NULL, 8, 0), read(NULL, NULL, 8, 0), commit(1)],
    });
    expect([...history.opValue]).toEqual([0, 0, 0]);
    expect([...buildReadFrom(history).readFrom]).toEqual([ReadFrom.Initial, ReadFrom.Initial, ReadFrom.Initial]);
    expect(history.source.notes).toEqual({ initReads: 1, nilReads: 2 });
  });

  test('the Cobra format identifies writes by value hashes if all have the universal id, even if reads come first', async () => {
    const history = await readLogs({
      'T1.log': [start(1), read(INITIAL, INITIAL, 7), read(UNIVERSAL, UNIVERSAL, 7, 41), commit(1)],
      'T2.log': [start(2), write(UNIVERSAL, 7, 41), write(UNIVERSAL, 8, 41), commit(2)],
      'T3.log': [start(3), write(UNIVERSAL, 7, 41), commit(3)],
    });
    const { readFrom, repeatedWrites } = buildReadFrom(history);
    expect([...readFrom]).toEqual([ReadFrom.Initial, ReadFrom.Ambiguous, ReadFrom.None, ReadFrom.None, ReadFrom.None]);
    expect(repeatedWrites).toBe(1);
  });

  test('the Cobra format treats a read of a write that is in no log as a thin-air read', async () => {
    const history = await readLogs({ 'T1.log': [start(1), read(0x100016, 0x186a4, 0xa7, 1), commit(1)] });
    expect([...buildReadFrom(history).readFrom]).toEqual([ReadFrom.ThinAir]);
  });

  test('the Cobra format keeps aborted transactions, and treats unfinished transactions as unknown', async () => {
    const history = await readLogs({
      'T1.log': [start(1), write(5, 7), abort(1), start(2)],
      'T2.log': [start(3), commit(3)],
    });
    expect([...history.txnStatus]).toEqual([TxnStatus.Aborted, TxnStatus.Unknown, TxnStatus.Committed]);
    expect([...history.txnStart]).toEqual([0, 1, 1, 1]);
  });

  test('the Cobra format counts fence transactions, and aborts that are only in the debug files', async () => {
    const history = await readFiles(
      cobra,
      new Map<string, Uint8Array>([
        [
          'T1.log',
          Buffer.concat([start(1), fenceWrite(5), fenceWrite(6), commit(1), start(2), write(7, 3), commit(2)]),
        ],
        [
          'T1.debug',
          Buffer.from('[DEBUG] Txn[1] start\n[DEBUG] Txn[1] abort\n[DEBUG] Exception: abort\n[DEBUG] Txn[2] abort\n'),
        ],
        ['notes.debug', Buffer.from('[DEBUG] Txn[1] abort\n')],
      ]),
    );
    expect(history.source.notes).toEqual({ fenceTransactions: 1, abortedSeenInDebugFiles: 2 });
  });

  test('the Cobra format treats a deletion as a write of nil, and knows the other markers', async () => {
    const deleted = 0xabcdefab;
    const history = await readLogs({
      'T1.log': [
        start(1),
        write(deleted, 7, 0),
        read(deleted, deleted, 8, 0),
        read(INITIAL, 0x23332333, 9),
        read(INITIAL, 0x66666666, 9),
        commit(1),
      ],
      'T2.log': [start(2), read(0xadeafbee, 0xadeafbee, 7), write(0x23332333, 9), commit(2)],
    });
    expect(toPlain(history).sessions.flatMap((s) => s.transactions.flatMap((t) => t.operations))).toEqual([
      { kind: 'write', key: 7n, value: null },
      { kind: 'read', key: 8n, value: null },
      { kind: 'read', key: 9n, value: null },
      { kind: 'read', key: 9n, value: null },
      { kind: 'read', key: 7n, value: { type: 'unknown', text: '?' } },
      { kind: 'write', key: 9n, value: 0x23332333n },
    ]);
    expect(history.source.notes).toEqual({
      deletes: 1,
      readsOfDeletedKeys: 1,
      garbageCollectorReads: 2,
      readsOfMissingWrites: 1,
    });
    expect(sameHistory(await readFiles(cobra, await writeFiles(cobra, history)), history)).toBe(true);
  });

  test('the Cobra format reads milliseconds after starts and commits, if the log has them', async () => {
    const history = await readLogs({
      'T1.log': [
        start(1, 1_700_000_000_000),
        write(5, 7),
        commit(1, 1_700_000_000_003),
        start(2, 1_700_000_000_003),
        abort(2),
      ],
      'T2.log': [start(3, 1_700_000_000_001)],
    });
    expect(history.source.timeUnit).toBe('nanoseconds');
    expect(history.txnBegin).toEqual(
      BigInt64Array.of(1_700_000_000_000_000_000n, 1_700_000_000_003_000_000n, 1_700_000_000_001_000_000n),
    );
    expect(toPlain(history).sessions[0]!.transactions[0]).toMatchObject({ end: 1_700_000_000_003_000_000n });
    expect(locateOperation(history, 0)).toBe('test/T1.log, byte 17');
  });

  test.each([1, 7, 100])('the Cobra format reads files that come in chunks of %i bytes', async (chunkBytes) => {
    const bytes = bytesOf([1, 2, 3].flatMap((n) => [start(n), write(5 + n, 7), read(n, 5 + n, 7), commit(n)]));
    const history = await cobra.read(choppedDirectory({ 'T1.log': bytes, 'T2.log': '' }, chunkBytes), {});
    expect(toPlain(history)).toEqual(
      toPlain(
        await readFiles(
          cobra,
          new Map([
            ['T1.log', bytes],
            ['T2.log', Buffer.of()],
          ]),
        ),
      ),
    );
    expect(locateOperation(history, 5)).toBe('test/T1.log, byte 186');
  });

  test('the Cobra format leaves the last transaction of a session open if its outcome is unknown', async () => {
    const plain = fromPlain({
      sessions: [
        {
          name: 0n,
          transactions: [
            { status: 'committed', operations: [] },
            { status: 'unknown', operations: [] },
          ],
        },
      ],
    });
    expect((await cobra.writer!()).losses(plain)).toEqual([]);
    expect(sameHistory(await readFiles(cobra, await writeFiles(cobra, plain)), plain)).toBe(true);
  });

  test.each([
    [
      "test: found the log 'J2.log', expected only logs called T<number>.log",
      { 'T1.log': [start(1), commit(1)], 'J2.log': '' },
    ],
    [
      "test: found both 'T01.log' and 'T1.log', expected one log per session",
      { 'T1.log': [start(1), commit(1)], 'T01.log': '' },
    ],
    ['test: found no log, expected a file T<number>.log for each session', { 'T1.debug': '' }],
    ['test: found only empty logs, expected the records of at least one transaction', { 'T1.log': '', 'T2.log': '' }],
    ['test/T1.log, byte 0: found the byte 0x78, expected the letter of a record: S, C, A, W or R', { 'T1.log': 'x' }],
    [
      'test/T1.log, byte 9: found the byte 0x0a, expected the letter of a record',
      { 'T1.log': [start(1), Buffer.from('\n')] },
    ],
    [
      'test/T1.log, byte 9: found the end after 24 bytes, expected a record of 25 bytes',
      { 'T1.log': [start(1), write(5, 7).subarray(0, 24)] },
    ],
    [
      'test/T1.log, byte 0: found an operation outside of a transaction, expected a start (S) before it',
      { 'T1.log': [write(5, 7)] },
    ],
    [
      'test/T1.log, byte 18: found an operation outside of a transaction',
      { 'T1.log': [start(1), commit(1), read(1, 5, 7)] },
    ],
    [
      'test/T1.log, byte 0: found the end of transaction 1, expected its start (S) before it',
      { 'T1.log': [commit(1)] },
    ],
    [
      'test/T1.log, byte 9: found the end of transaction 2, expected that of transaction 1',
      { 'T1.log': [start(1), abort(2)] },
    ],
    [
      'test/T1.log, byte 9: found the start of transaction 2, expected the end (C or A) of transaction 1',
      { 'T1.log': [start(1), start(2)] },
    ],
    [
      'test/T2.log, byte 18: found transaction 1 for the second time, expected a number that differs from the one at byte 0 of test/T1.log',
      { 'T1.log': [start(1), commit(1)], 'T2.log': [start(2), commit(2), start(1)] },
    ],
    [
      'test/T1.log, byte 9: found a read of write 0x5 of transaction 0xbebeebee, expected markers (0xbebeebee or 0xdeadbeef) in both fields or in neither field',
      { 'T1.log': [start(1), read(INITIAL, 5, 7)] },
    ],
    [
      'found a read of write 0xdeadbeef of transaction 0x5, expected markers',
      { 'T1.log': [start(1), read(5, NULL, 7)] },
    ],
    [
      "test/T1.log, byte 9: found a write with the id 0xdeadbeef, which marks reads, expected the write's own id",
      { 'T1.log': [start(1), write(NULL, 7)] },
    ],
    [
      "test/T1.log, byte 34: found the universal write id, expected a write's own id, as in the earlier records",
      { 'T1.log': [start(1), write(5, 7), write(UNIVERSAL, 8)] },
    ],
    [
      "test/T1.log, byte 34: found a write's own id, expected the universal write id (0xabddefee), as in the earlier records",
      { 'T1.log': [start(1), write(UNIVERSAL, 7), write(5, 8)] },
    ],
    [
      'test/T1.log, byte 26: found the timestamp -1, expected milliseconds between 0 and 9223372036853',
      { 'T1.log': [start(1, 2), commit(1, -1)] },
    ],
  ])('the Cobra format names the mistake %j', async (message, logs) => {
    await expect(readLogs(logs as Record<string, Buffer[] | string>)).rejects.toThrow(message);
  });

  test.each([
    [{ 'T1.log': '', 'T2.debug': '' }, true],
    [{ 'T1.log.gz': '' }, true],
    [{ 'J1.log': '' }, false],
    [{ 'T1.log': '', 'J1.log': '' }, false],
    [{ 'T1.debug': '', 'Tx.log': '' }, false],
    [{}, false],
  ])('the Cobra format recognises a directory by its names: %j', (files, expected) => {
    expect(cobra.matches(directoryOfBytes('test', files))).toBe(expected);
  });
});
