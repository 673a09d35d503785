import { Exchange, TxnStatus, UNKNOWN, fromPlain, locateOperation, toPlain } from '@isolab/history';
import { describe, expect, test } from 'vitest';
import { porcupineEtcd } from '../src/porcupine/porcupine-etcd.ts';
import { type GeneratedShape, arbitraryHistory } from '../src/conformance/arbitrary-history.ts';
import { asCalls, withEventTimes } from './support/call-log.ts';
import { describeFormat, readText, writeFiles } from './support/describe-format.ts';

const shape: GeneratedShape = {
  key: (n) => BigInt(n),
  value: (n) => (n % 3 ? BigInt(n) : -(10n ** 17n) * BigInt(n)),
  session: (n) => BigInt(5 * n),
  initial: null,
  operations: ['read', 'write', 'compare-and-set'],
  statuses: ['committed', 'aborted', 'unknown'],
  thinAir: true,
};

await describeFormat(porcupineEtcd, {
  expressible: withEventTimes(
    arbitraryHistory(shape).map((history) => asCalls(history, () => 'register')),
    { firstNumber: 1n, numbersUnknownEnds: true, sessionsInOrder: true },
  ),
  anything: arbitraryHistory({
    ...shape,
    key: (n) => (n % 2 ? `k${n}` : BigInt(-n)),
    value: (n) => (n % 3 ? BigInt(n - 2) : `v${n}`),
    session: (n) => `client ${n}`,
    transaction: (n) => BigInt(n * n),
    initial: 0n,
    operations: ['read', 'write', 'append', 'list-read', 'compare-and-set', 'range-read', 'insert', 'delete'],
    times: 'some',
    timestamps: true,
    versions: true,
    emptySessions: true,
    emptyTransactions: true,
    unknownReads: true,
  }),
});

const log = (...lines: string[]): string => lines.map((line) => `INFO  jepsen.util - ${line}\n`).join('');

describe('the porcupine-etcd format', () => {
  test('the porcupine-etcd format treats a failed compare-and-set as one that found another value, unless a reason is given', async () => {
    const history = await readText(
      porcupineEtcd,
      log('0 :invoke :cas [1 2]', '1 :invoke :cas [1 3]', '0 :fail :cas [1 2]', '1 :fail :cas :timed-out'),
    );
    expect([...history.txnStatus]).toEqual([TxnStatus.Committed, TxnStatus.Aborted]);
    expect([...history.exchanges.flags]).toEqual([Exchange.Failed, 0]);
  });

  test.each([
    [':fail :read :timed-out', 'aborted'],
    [':info :read :timed-out', 'unknown'],
  ])('the porcupine-etcd format has an unknown result of a read after %s', async (completion, status) => {
    const history = await readText(porcupineEtcd, log('7\t:invoke\t:read\tnil', `7\t${completion}`));
    expect(toPlain(history).sessions[0]!.transactions).toEqual([
      {
        status,
        operations: [{ kind: 'read', key: 'register', value: UNKNOWN }],
        begin: 1n,
        ...(status === 'aborted' && { end: 2n }),
      },
    ]);
  });

  test('the porcupine-etcd format leaves incomplete calls open', async () => {
    const history = await readText(porcupineEtcd, log('0 :invoke :write 4', '1 :invoke :read nil', '1 :ok :read 4'));
    expect([...history.txnStatus]).toEqual([TxnStatus.Unknown, TxnStatus.Committed]);
    expect(toPlain(history).sessions[0]!.transactions[0]).toEqual({
      status: 'unknown',
      operations: [{ kind: 'write', key: 'register', value: 4n }],
      begin: 1n,
    });
  });

  test('the porcupine-etcd format finds a call at the line of its invocation', async () => {
    const history = await readText(
      porcupineEtcd,
      `\n${log('0 :invoke :write 4', '1 :invoke :read nil', '1 :ok :read 4')}`,
    );
    expect(locateOperation(history, 1)).toBe('test, line 3');
    expect(history.txnEnd![1]).toBe(4n);
  });

  test('the porcupine-etcd format counts the faults of the nemesis', async () => {
    const history = await readText(porcupineEtcd, log(':nemesis :info :start nil', '0 :invoke :write 4'));
    expect(history.source.notes).toEqual({ nemesisEvents: 1 });
  });

  test('the porcupine-etcd format writes a log without gaps for unknown outcomes', async () => {
    const original = log('0 :invoke :write 4', '0 :info :write :timed-out', '1 :invoke :read nil', '1 :ok :read nil');
    const files = await writeFiles(porcupineEtcd, await readText(porcupineEtcd, original));
    expect(files.get('')!.toString()).toBe(original.replaceAll(/ (:\w+) (:\w+) /g, '\t$1\t$2\t'));
  });

  test('the porcupine-etcd format invents times for a history that has none, and says so', async () => {
    const read = { status: 'committed', operations: [{ kind: 'read', key: 'register', value: null }] } as const;
    const history = fromPlain({ sessions: [{ name: 0n, transactions: [read, read] }] });
    expect((await porcupineEtcd.writer!()).losses(history)).toEqual([
      { name: 'times', count: 4, fate: 'are invented: sessions advance in step' },
    ]);
  });

  test.each([
    ['', "test: found no call, expected lines such as 'INFO jepsen.util - 0 :invoke :read nil'"],
    [
      'INFO jepsen.core - 0 :invoke :read nil',
      "test, line 1, column 6: found 'jepsen.core - 0 :invoke :read nil', expected 'INFO jepsen.util -'",
    ],
    [
      log('-1 :invoke :read nil'),
      "test, line 1, column 21: found '-1 :invoke :read nil', expected a process: a natural number or a keyword",
    ],
    [
      log('1 :start :read nil'),
      "test, line 1, column 23: found ':start :read nil', expected ':invoke', ':ok', ':fail' or ':info'",
    ],
    [`${log('1 :invoke :read nil')}\0\0`, 'test, line 2, column 1: found'],
    [log('1 :invoke :add 3'), "test, line 1, column 31: found ':add 3', expected ':read', ':write' or ':cas'"],
    [log('1 :invoke :read 3'), "test, line 1, column 37: found '3', expected 'nil'"],
    [log('1 :invoke :write x'), "test, line 1, column 38: found 'x', expected an integer or nil"],
    [log('1 :invoke :write'), 'test, line 1, column 37: found the end of the line, expected a value'],
    [log('1 :invoke :cas [1'), 'test, line 1, column 38: found the end of the line, expected two values in brackets'],
    [log('1 :invoke :cas [1 2'), "test, line 1, column 39: found '2', expected an integer or nil, and ']'"],
    [log('1 :invoke :write 3 4'), "test, line 1, column 40: found '4', expected the end of the line"],
    [
      log('1 :ok :write 3'),
      "test, line 1, column 23: found ':ok :write 3', expected ':invoke', because this process has no open call",
    ],
    [
      log('1 :invoke :write 3', '1 :invoke :write 3'),
      "test, line 2, column 23: found ':invoke :write 3', expected the completion of the open call of this process",
    ],
    [
      log('1 :invoke :write 3', '1 :ok :read 3'),
      "test, line 2, column 27: found ':read 3', expected ':write', as in its invocation",
    ],
    [
      log('1 :invoke :write 3', '1 :ok :write 4'),
      "test, line 2, column 34: found '4', expected the value of its invocation",
    ],
    [
      log('1 :invoke :read nil', '1 :ok :read :timed-out'),
      "test, line 2, column 33: found ':timed-out', expected an integer or nil",
    ],
  ])('the porcupine-etcd format names the mistake in %j', async (input, message) => {
    await expect(readText(porcupineEtcd, input)).rejects.toThrow(message);
  });
});
