import { MessageChannel, receiveMessageOnPort } from 'node:worker_threads';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  HistoryBuilder,
  ListTree,
  OpKind,
  type PlainOperation,
  TxnStatus,
  checkShape,
  buildReadFrom,
  computeStatistics,
  countOperations,
  countTransactions,
  findInvalid,
  foldInitialTransaction,
  fromPlain,
  listElements,
  locateOperation,
  locateTransaction,
  memoryOf,
  nameTransaction,
  sameHistory,
  showTransaction,
  slice,
  toPlain,
  toRegisters,
  transactionOf,
  transactionOfOperations,
  type IdColumn,
  type KeyId,
  type TransactionId,
} from '../src/index.ts';
import { h } from './support/notation.ts';

const small = (): HistoryBuilder =>
  new HistoryBuilder({ format: 'test', file: 'f', unit: 'line', opStride: 1, initial: 0n });

describe('the builder', () => {
  test('the builder arranges interleaved sessions and interrupted transactions', () => {
    const builder = small();
    const [a, b] = [builder.session('a'), builder.session('b')];
    const put = (value: number): number =>
      builder.op(OpKind.Write, builder.keys.integer(0, 1), builder.values.integer(0, value));
    const first = builder.begin(b, 1);
    put(1);
    const second = builder.begin(a, 2);
    put(2);
    builder.resume(first);
    put(3);
    builder.opAt(9);
    builder.begin(b, 4);
    builder.outcome(second, TxnStatus.Unknown);
    builder.name(first, 'first');
    const history = builder.finish();
    expect(findInvalid(history)).toBeNull();
    expect([...history.sessionStart]).toEqual([0, 1, 3]);
    expect([...history.txnStart]).toEqual([0, 1, 3, 3]);
    expect([...history.txnStatus]).toEqual([TxnStatus.Unknown, TxnStatus.Committed, TxnStatus.Committed]);
    expect([0, 1, 2].map((op) => locateOperation(history, op))).toEqual(['f, line 2', 'f, line 1', 'f, line 10']);
    expect([0, 1, 2].map((t) => nameTransaction(history, t as TransactionId))).toEqual([
      'transaction 1 of session a',
      'transaction first',
      'transaction 2 of session b',
    ]);
    expect(showTransaction(history, 1 as TransactionId)).toBe('w(1, 1) w(1, 3)');
    expect(locateTransaction(history, 2 as TransactionId)).toBe('f, line 4');
  });

  test('the builder puts any interleaving of sessions into the same columns', () => {
    const step = fc.record({ session: fc.nat({ max: 4 }), operations: fc.nat({ max: 3 }) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const interleaved = small();
        const grouped = small();
        for (let s = 0; s <= 4; s++) [interleaved, grouped].forEach((builder) => builder.session(BigInt(s)));
        const add = (builder: HistoryBuilder, at: number): void => {
          builder.begin(steps[at]!.session, at);
          for (let i = 0; i < steps[at]!.operations; i++) {
            builder.op(OpKind.Write, builder.keys.atom(BigInt(at)), builder.values.atom(BigInt(10 * at + i)));
          }
        };
        steps.forEach((_, at) => add(interleaved, at));
        const order = steps.map((_, at) => at).toSorted((x, y) => steps[x]!.session - steps[y]!.session || x - y);
        for (const at of order) add(grouped, at);
        const [one, other] = [interleaved.finish(), grouped.finish()];
        expect(findInvalid(one)).toBeNull();
        expect([...one.txnPosition]).toEqual([...other.txnPosition]);
        expect(sameHistory(one, other)).toBe(true);
      }),
    );
  });
});

describe('a history', () => {
  const history = h`w(x,1) a(y,2) | cas(x,1,3) | !ins(z,nil,4)
    r(x,3) r(y,[2]) range(a,z,x=3 y=2) | ?del(x,3,5)`;

  test('a history comes back from its plain form', () => {
    expect(toPlain(fromPlain(toPlain(history)))).toEqual(toPlain(history));
  });

  test('a history moves to another thread without a copy', () => {
    const sent = fromPlain(toPlain(history));
    const { port1, port2 } = new MessageChannel();
    port1.postMessage(sent, [sent.opKind.buffer as ArrayBuffer]);
    const received = receiveMessageOnPort(port2)!.message as typeof sent;
    expect(toPlain(received)).toEqual(toPlain(history));
    expect(findInvalid(received)).toBeNull();
    expect(sent.opKind.length).toBe(0);
    port1.close();
  });

  test('a history finds the transaction of an operation, also between empty transactions', () => {
    const sparse = h`w(x,1) w(x,2) | | | r(x,2)`;
    expect([0, 1, 2].map((op) => transactionOf(sparse, op))).toEqual([...transactionOfOperations(sparse)]);
  });

  test('a history names its invalid parts', () => {
    expect(findInvalid(history)).toBeNull();
    expect(findInvalid({ ...history, opKey: history.opKey.slice(1) as IdColumn<KeyId> })).toBe(
      'opKey has 7 entries, expected 8',
    );
    expect(findInvalid({ ...history, txnStart: history.txnStart.map((x) => x + 1) })).toBe(
      'txnStart must begin with 0',
    );
    expect(findInvalid({ ...history, opValue: history.opValue.map(() => 99) })).toBe(
      'opValue[0] is 99, expected 0 to 7',
    );
    expect(findInvalid({ ...history, txnSession: history.txnSession.map(() => 0) })).toBe(
      'txnSession[3] is 0, expected 1',
    );
    expect(findInvalid({ ...history, opKind: history.opKind.map(() => 9) })).toBe(
      'opKind[0] is 9, which is not a kind of operation',
    );
  });

  test('a history is sliced by transactions and operations, with a map back', () => {
    const whole = h`w(x,1) w(y,1) | w(x,2)
      r(x,1) r(y,1) | r(x,2)`;
    const txns = Uint8Array.from([1, 0, 1, 1]);
    const ops = Uint8Array.from([1, 0, 1, 0, 1, 1]);
    const part = slice(whole, { txns, ops });
    expect(findInvalid(part.history)).toBeNull();
    expect([...part.txnOf]).toEqual([0, 2, 3]);
    expect([...part.opOf]).toEqual([0, 4, 5]);
    expect([0, 1, 2].map((t) => showTransaction(part.history, t as TransactionId))).toEqual([
      'w(x, 1)',
      'r(y, 1)',
      'r(x, 2)',
    ]);
    expect([...part.opOf].map((op) => locateOperation(whole, op))).toEqual(
      [0, 1, 2].map((op) => locateOperation(part.history, op)),
    );
  });

  test('a history is unchanged by a slice that keeps everything', () => {
    expect(toPlain(slice(history, {}).history)).toEqual(toPlain(history));
  });

  test('an explicit initial transaction is folded into the initial state', () => {
    const explicit = h`w(x,7) w(y,8)
      r(x,7) | r(y,8)`;
    const { history: folded } = foldInitialTransaction(explicit, 0 as TransactionId);
    expect(countTransactions(folded)).toBe(2);
    expect([...buildReadFrom(folded).readFrom]).toEqual([-1, -1]);
    expect(() => foldInitialTransaction(explicit, 1 as TransactionId)).toThrow('does more than write');
  });
});

describe('lowering to registers', () => {
  test('lowering to registers spells exchanges and range reads as reads and writes', () => {
    const { history, opOf } = toRegisters(h`initial nil
      w(b,1) w(c,2) w(d,3)
      range(b,c,b=1) cas(b,1,4) | cas!(b,7,8) | ins(c,nil,5) | del(d,3,6)`);
    expect(findInvalid(history)).toBeNull();
    expect(
      Array.from({ length: countTransactions(history) }, (_, t) => showTransaction(history, t as TransactionId)),
    ).toEqual([
      'w(b, 1) w(c, 2) w(d, 3)',
      'r(b, 1) r(c, nil) r(b, 1) w(b, 4)',
      '',
      'r(c, nil) w(c, 5)',
      'r(d, 3) w(d, 6)',
    ]);
    expect([...opOf]).toEqual([0, 1, 2, 3, 3, 4, 4, 6, 6, 7, 7]);
  });

  test('lowering to registers leaves lists and rows of tables out of ranges', () => {
    const operations: PlainOperation[] = [
      { kind: 'write', key: 'a', value: 1n },
      { kind: 'append', key: 'b', value: 1n },
      { kind: 'write', key: 't/1', value: null },
      { kind: 'range-read', low: null, high: null, rows: [] },
    ];
    const sessions = [{ name: 0n, transactions: [{ status: 'committed' as const, operations }] }];
    const ofTable = fromPlain({ sessions, tables: ['t'] });
    expect(showTransaction(toRegisters(ofTable).history, 0 as TransactionId)).toBe(
      'w(a, 1) append(b, 1) w(t/1, nil) r(a, nil)',
    );
  });

  test('lowering to registers compares bounds as numbers when keys are numbers', () => {
    const plain = fromPlain({
      sessions: [
        {
          name: 0n,
          transactions: [
            {
              status: 'committed',
              operations: [
                ...[1n, 2n, 10n].map((key) => ({ kind: 'write' as const, key, value: key })),
                { kind: 'range-read', low: 2n, high: null, rows: [] },
              ],
            },
          ],
        },
      ],
    });
    expect(showTransaction(toRegisters(plain).history, 0 as TransactionId)).toBe(
      'w(1, 1) w(2, 2) w(10, 10) r(2, nil) r(10, nil)',
    );
  });
});

describe('rows of tables', () => {
  test.each<[string, PlainOperation]>([
    ['exchanged', { kind: 'insert', key: 't/1', observed: null, written: '{}', foundTombstone: false }],
    ['appended to', { kind: 'append', key: 't/1', value: 1n }],
    [
      'returned by a range read',
      { kind: 'range-read', low: null, high: null, rows: [{ key: 't/1', value: null, dead: false }] },
    ],
    ['plain values', { kind: 'write', key: 't/1', value: 5n }],
  ])('rows of tables may not be %s', (_, operation) => {
    const sessions = [{ name: 0n, transactions: [{ status: 'committed' as const, operations: [operation] }] }];
    expect(findInvalid(fromPlain({ sessions, tables: ['t'] }))).toMatch(
      /^operation 0 uses a row of a table as a plain key/,
    );
    expect(findInvalid(fromPlain({ sessions }))).toBeNull();
  });
});

describe('lists of values', () => {
  test('lists of values share their prefixes and are separate for each key', () => {
    const tree = new ListTree();
    const list = (key: number, ...elements: number[]): number =>
      elements.reduce((node, element) => tree.extend(key, node, element), 0);
    expect(list(1, 5, 6, 7)).toBe(list(1, 5, 6, 7));
    expect(list(1, 5, 6)).not.toBe(list(1, 5, 7));
    expect(list(1, 5)).not.toBe(list(2, 5));
    const node = list(1, 5, 6, 7);
    expect([...listElements(tree.finish(), node)]).toEqual([5, 6, 7]);
  });

  test('lists of values agree with arrays on random lists', () => {
    const lists = fc.array(fc.tuple(fc.nat({ max: 2 }), fc.array(fc.nat({ max: 3 }), { maxLength: 6 })), {
      maxLength: 200,
    });
    fc.assert(
      fc.property(lists, (cases) => {
        const tree = new ListTree();
        const nodes = cases.map(([key, elements]) =>
          elements.reduce((node, element) => tree.extend(key, node, element), 0),
        );
        const name = ([key, elements]: [number, number[]]): string =>
          elements.length === 0 ? 'empty' : `${key}:${elements.join()}`;
        const nodeOf = new Map<string, number>();
        cases.forEach((c, i) => {
          expect(nodes[i]).toBe(nodeOf.get(name(c)) ?? nodes[i]);
          nodeOf.set(name(c), nodes[i]!);
        });
        expect(new Set(nodeOf.values()).size).toBe(nodeOf.size);
        const table = tree.finish();
        cases.forEach(([, elements], i) => expect([...listElements(table, nodes[i]!)]).toEqual(elements));
      }),
    );
  });
});

describe('statistics', () => {
  test('statistics count the parts of a history and its evidence', () => {
    const { reads, coverage, ...rest } = computeStatistics(h`w(x,1) r(x,1) | !w(x,2) | r(y,0)
      r(x,1) w(z,3) | ?w(x,4) | ?w(x,5)
      r(x,5) r(x,9) r(z,?)`);
    expect(reads).toEqual({ external: 2, initial: 1, own: 1, thinAir: 1, ambiguous: 0, unknown: 1 });
    expect(coverage).toEqual({ resolvedReads: 0.6, contendedKeys: 1, sharedKeys: 2, isolatedTransactions: 1 });
    expect(rest).toMatchObject({
      sessions: 3,
      transactions: 7,
      committed: 4,
      aborted: 1,
      unknown: 2,
      unknownObserved: 1,
      operations: 11,
      committedOperations: 8,
      keys: 3,
      longestTransaction: 3,
      operationKinds: { read: 6, write: 5 },
      timed: 0,
      timeSpan: null,
      initialTransaction: null,
    });
  });

  test('an explicit initial transaction is recognised', () => {
    expect(
      computeStatistics(h`r(x,1)
      w(x,1) w(y,1)`).initialTransaction,
    ).toBe(1);
    expect(
      computeStatistics(h`r(x,1)
      w(x,1) r(y,0)`).initialTransaction,
    ).toBeNull();
  });
});

describe('shapes', () => {
  const shapeOf = (history: ReturnType<typeof h>, shape: Parameters<typeof checkShape>[2]) =>
    checkShape(history, buildReadFrom(history), shape);

  test('shapes name the first operation that violates them', () => {
    const history = h`r(x,0) w(x,1) | w(y,2)
      !w(z,3) | r(x,1) r(x,1) r(x,1)`;
    expect(shapeOf(history, 'mini-transactions')).toEqual({ holds: false, broken: 2, firstOp: 2, firstTxn: 1 });
    expect(shapeOf(history, 'read-modify-write')).toEqual({ holds: false, broken: 1, firstOp: 2, firstTxn: 1 });
    expect(shapeOf(history, 'no-aborted')).toEqual({ holds: false, broken: 1, firstOp: -1, firstTxn: 2 });
    expect(shapeOf(history, 'registers').holds).toBe(true);
    expect(shapeOf(history, 'real-times')).toEqual({ holds: false, broken: 3, firstOp: -1, firstTxn: 0 });
  });

  test.each<[Parameters<typeof checkShape>[2], string, boolean]>([
    ['mini-transactions', 'r(x,0) r(y,0) w(y,1) w(x,2)', true],
    ['mini-transactions', 'r(x,0) w(x,1) r(x,1) w(x,2)', true],
    ['mini-transactions', 'w(x,1)', false],
    ['mini-transactions', 'r(x,0) w(y,1)', false],
    ['mini-transactions', 'r(x,0) r(y,0) r(z,0)', false],
    ['mini-transactions', 'r(x,0) w(x,1) w(x,2) w(x,3)', false],
    ['mini-transactions', 'cas(x,0,1)', true],
    ['registers', 'r(x,0) | !w(x,1)', true],
    ['registers', 'r(x,0) | !a(y,1)', false],
    ['registers', 'r(x,0) | !cas(x,0,1)', false],
    ['list-append', 'r(x,[]) | !a(x,1)', true],
    ['list-append', 'r(x,[]) | !w(y,1)', false],
    ['registers-and-lists', 'r(x,0) w(y,1)', true],
    ['registers-and-lists', 'a(x,1) r(x,[1])', true],
    ['registers-and-lists', 'a(x,1) w(y,1) | r(x,[1]) r(y,1)', true],
    ['registers-and-lists', 'a(x,1) | r(x,1)', false],
    ['registers-and-lists', 'r(x,[]) | !w(x,1)', false],
    ['registers-and-lists', 'range(x,x,x=0)', false],
    ['registers-and-lists', 'cas(x,0,1)', false],
    ['single-keys', 'r(x,0) w(x,1)', true],
    ['single-keys', 'r(x,0) w(y,1)', false],
    ['single-keys', 'range(x,x,x=0)', false],
    ['single-keys', '!r(x,0) r(y,0)', true],
    ['no-scans', 'r(x,0) cas(y,0,1)', true],
    ['no-scans', 'range(x,x,x=0)', false],
    ['no-scans', '!range(x,x,x=0)', false],
  ])('%s holds of %s: %s', (shape, transactions, expected) => {
    const raw = Object.assign([transactions], { raw: [transactions] }) as unknown as TemplateStringsArray;
    expect(shapeOf(h(raw), shape).holds).toBe(expected);
  });

  test('a scan has many keys, whether it committed or not', () => {
    for (const status of ['committed', 'aborted'] as const) {
      const scan = { kind: 'scan', table: 't', where: true, rows: [], aggregate: null } as const;
      const transactions = [{ status, operations: [scan] }];
      const history = fromPlain({ sessions: [{ name: 0n, transactions }] });
      expect(shapeOf(history, 'single-keys')).toEqual({ holds: false, broken: 1, firstOp: 0, firstTxn: 0 });
    }
  });

  test('unique values mean that no read has several possible writers', () => {
    expect(
      shapeOf(
        h`w(x,1)
      w(x,1)`,
        'unique-values',
      ).holds,
    ).toBe(true);
    expect(
      shapeOf(
        h`w(x,1)
      w(x,1)
      r(x,1)`,
        'unique-values',
      ),
    ).toMatchObject({ holds: false, firstOp: 2, firstTxn: 2 });
  });
});

test('a transaction and an operation need no more memory than promised', () => {
  const builder = small();
  for (let t = 0; t < 10_000; t++) {
    const txn = builder.begin(builder.sessions.integer(0, t % 50), t);
    builder.nameInteger(txn, 0, t);
    builder.time(txn, 'begin', BigInt(t));
    builder.time(txn, 'end', BigInt(t + 1));
    for (let i = 0; i < 20; i++)
      builder.op(OpKind.Write, builder.keys.integer(0, i), builder.values.integer(0, 20 * t + i));
  }
  const history = builder.finish();
  const index = buildReadFrom(history).readFrom.byteLength;
  const { columns } = memoryOf(history);
  expect(columns + index).toBeLessThan(16 * countOperations(history) + 48 * countTransactions(history));
});
