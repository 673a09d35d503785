import { describe, expect, test } from 'vitest';
import { type History, HistoryBuilder, OpKind, TxnStatus, buildReadFrom, countTransactions } from '../src/index.ts';
import { TransactionCursor, orderByKeyGroups, splitKeys } from '../src/history/key-groups.ts';

const KEYS = 60_000;
const TRANSACTIONS = 30_000;
const MANY_BYTES = 1 << 24;

/** Transactions of every kind of operation on keys drawn at random, with few values, so that many are written twice. */
function manyKeys({ withRange = false, withScans = false } = {}): History {
  let state = 1;
  const below = (limit: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
  const builder = new HistoryBuilder({ format: 'made', file: 'made', unit: 'record', initial: 0n });
  const nodes = new Int32Array(KEYS);
  const scan = (): void => void (withScans && builder.scan(builder.scans.table('t'), true));
  for (let t = 0; t < TRANSACTIONS; t++) {
    const txn = builder.begin(builder.session(BigInt(t % 7)), t);
    builder.outcome(txn, [TxnStatus.Committed, TxnStatus.Committed, TxnStatus.Aborted, TxnStatus.Unknown][below(4)]!);
    const recent: number[] = [];
    for (let i = below(12); i > 0; i--) {
      scan();
      const number = recent.length > 0 && below(4) === 0 ? recent[below(recent.length)]! : below(KEYS);
      recent.push(number);
      const key = builder.keys.integer(0, number);
      const value = builder.values.integer(0, below(4));
      const other = builder.values.integer(0, below(4));
      if (number % 10 === 0) {
        if (below(2) === 0) builder.op(OpKind.ListRead, key, nodes[number]!);
        else {
          builder.op(OpKind.Append, key, value);
          nodes[number] = builder.lists.extend(key, nodes[number]!, value);
        }
      } else if (number % 10 === 1) builder.exchange(OpKind.CompareAndSet, key, value, other, below(2));
      else builder.op(below(2) === 0 ? OpKind.Read : OpKind.Write, key, value);
    }
  }
  if (withRange) {
    builder.begin(builder.session(100n), TRANSACTIONS);
    builder.range(0, 1);
  }
  return builder.finish();
}

describe('operations in groups of keys', () => {
  test('operations in groups of keys are those of the history, in its order within each group', () => {
    const history = manyKeys();
    const order = orderByKeyGroups(history, MANY_BYTES)!;
    expect(Uint32Array.from(order.op).toSorted()).toEqual(Uint32Array.from(order.op.keys()));
    expect(order.kind).toEqual(Uint8Array.from(order.op, (op) => history.opKind[op]!));
    expect(order.key).toEqual(Int32Array.from(order.op, (op) => history.opKey[op]!));
    expect(order.value).toEqual(Int32Array.from(order.op, (op) => history.opValue[op]!));
    const latest = new Int32Array(KEYS).fill(-1);
    const isLater = order.op.map((op, i) => {
      const earlier = latest[order.key[i]!]!;
      latest[order.key[i]!] = op;
      return op > earlier ? 1 : 0;
    });
    expect(isLater.includes(0)).toBe(false);
    expect(order.op.findIndex((op, i) => i > 0 && op < order.op[i - 1]!)).toBeGreaterThan(0); // there are groups
  });

  test('operations in groups of keys include no scan', () => {
    const history = manyKeys({ withScans: true });
    const order = orderByKeyGroups(history, MANY_BYTES)!;
    const ofKeys = Uint32Array.from(history.opKey.keys()).filter((op) => history.opKind[op] !== OpKind.Scan);
    expect(Uint32Array.from(order.op).toSorted()).toEqual(ofKeys);
    expect(ofKeys.length).toBe(history.opKind.length / 2);
    const { readFrom } = buildReadFrom(history);
    // There is a scan in front of each operation.
    const ofReads = readFrom.filter((_, op) => op % 2 === 1).map((from) => (from < 0 ? from : (from - 1) / 2));
    expect(ofReads).toEqual(buildReadFrom(manyKeys()).readFrom);
  });

  test('operations in groups of keys are formed only where they are faster, and never with range reads', () => {
    expect(orderByKeyGroups(manyKeys(), 1 << 20)).toBe(null);
    expect(orderByKeyGroups(manyKeys({ withRange: true }), MANY_BYTES)).toBe(null);
  });

  test('operations in groups of keys and in the order of the history give one read-from index', () => {
    const grouped = buildReadFrom(manyKeys());
    const history = manyKeys({ withRange: true });
    const plain = buildReadFrom(history);
    const transactions = countTransactions(history) - 1;
    expect(grouped).toEqual({
      ...plain,
      readFrom: plain.readFrom.slice(0, -1),
      outcome: plain.outcome.slice(0, transactions),
      isOdd: plain.isOdd.slice(0, transactions),
    });
    expect(grouped.ambiguousReads).toBeGreaterThan(100);
    expect(grouped.spoiltReads).toBeGreaterThan(100);
  });
});

test('keys are split into ranges with about equally many operations', () => {
  const history = manyKeys();
  const ranges = splitKeys(history, 3);
  expect(ranges.map(({ first }) => first)).toEqual([0, ...ranges.slice(0, -1).map(({ end }) => end)]);
  expect(ranges.at(-1)!.end).toBe(history.keyInitial.length);
  for (const { first, end } of ranges) {
    const share = history.opKey.filter((key) => key >= first && key < end).length / history.opKey.length;
    expect(share).toBeCloseTo(1 / 3, 1);
  }
  expect(splitKeys(manyKeys({ withRange: true }), 3)).toHaveLength(1);
});

test('a cursor finds the transactions of operations in any order, also after empty transactions', () => {
  const txnStart = Int32Array.of(0, 0, 2, 2, 2, 5, 5);
  const cursor = new TransactionCursor({ txnStart } as History);
  expect([0, 1, 2, 4, 3, 0, 4, 1].map((op) => cursor.of(op))).toEqual([1, 1, 4, 4, 4, 1, 4, 1]);
});
