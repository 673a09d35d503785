import { OpKind, buildReadFrom, fromPlain, toPlain } from '@isolab/history';
import { describe, expect, test } from 'vitest';
import { timekiller } from '../src/timekiller/timekiller.ts';
import { type GeneratedShape, arbitraryHistory } from '../src/conformance/arbitrary-history.ts';
import { describeFormat, readText, writeFiles } from './support/describe-format.ts';

const shape: GeneratedShape = {
  key: (n) => BigInt(n) - 2n ** 63n,
  value: (n) => BigInt(n + 1),
  session: (n) => (n % 2 ? `client ${n}` : BigInt(n * 7)),
  transaction: (n) => (n % 2 ? `T${n}` : BigInt(n)),
  initial: null,
  operations: ['read', 'write'],
  timestamps: true,
  emptyTransactions: true,
  thinAir: true,
};

await describeFormat(timekiller, {
  expressible: arbitraryHistory(shape),
  anything: arbitraryHistory({
    ...shape,
    key: (n) => (n % 2 ? `key ${n}` : BigInt(-n)),
    value: (n) => (n % 3 ? BigInt(n - 1) : `v${n}`),
    initial: 0n,
    statuses: ['committed', 'aborted', 'unknown'],
    operations: ['read', 'write', 'append', 'list-read', 'compare-and-set', 'range-read', 'insert', 'delete'],
    versions: true,
    emptySessions: true,
    unknownReads: true,
  }),
});

describe('timekiller', () => {
  const withOps = (ops: string, rest = ''): string =>
    `[{"tid":1,"sid":1,"sts":{"p":5,"l":1},"cts":{"p":"6","l":3},"ops":[${ops}]${rest}}]`;

  test('timekiller reads fields in any order, long field names, integers in strings, and hybrid timestamps', async () => {
    const text =
      '[{"cts":{"l":3,"p":"6"},"ops":[{"k":1,"t":"READ","v":null},{"v":4,"t":"Write","k":1}],"sid":"a","sts":{"p":5},"tid":"t"}]';
    const history = await readText(timekiller, text);
    expect([...history.txnStartTs!, ...history.txnCommitTs!]).toEqual([5n << 2n, (6n << 2n) | 3n]);
    expect(toPlain(history)).toMatchObject({ sessions: [{ name: 'a' }] });
  });

  test('timekiller reads lists, and treats null and absent lists as empty', async () => {
    const text = withOps(
      '{"t":"a","k":1,"v":7},{"t":"r","k":1,"v":[7]},{"t":"r","k":2,"v":null},{"t":"r","k":3},{"t":"r","k":4,"v":[]}',
    );
    const { opKind, opValue } = await readText(timekiller, text);
    expect([...opKind]).toEqual([OpKind.Append, ...Array<number>(4).fill(OpKind.ListRead)]);
    expect([...opValue.subarray(2)]).toEqual([0, 0, 0]);
  });

  test('timekiller treats null as the initial state of a register, also in a history with lists', async () => {
    const text = withOps(
      '{"t":"a","k":1,"v":7},{"t":"r","k":2,"v":null},{"t":"w","k":2,"v":5},{"t":"r","k":3,"v":null}',
    );
    const { opKind } = await readText(timekiller, text);
    expect([...opKind]).toEqual([OpKind.Append, OpKind.Read, OpKind.Write, OpKind.Read]);
  });

  test('timekiller treats an unwritten 0 as the initial state', async () => {
    const history = await readText(
      timekiller,
      withOps('{"t":"r","k":1,"v":0},{"t":"r","k":2,"v":0},{"t":"w","k":2,"v":0}'),
    );
    expect(buildReadFrom(history).readFrom[0]).toBe(-1);
  });

  test('timekiller writes the same file as it read', async () => {
    const text = withOps('{"t":"r","k":1,"v":null},{"t":"w","k":1,"v":2}').replaceAll(/"l":\d/g, '"l":0');
    const history = await readText(timekiller, text);
    const [[, bytes]] = [...(await writeFiles(timekiller, fromPlain(toPlain(history))))] as [[string, Uint8Array]];
    expect(Buffer.from(bytes).toString()).toBe(
      '[\n{"tid":1,"sid":1,"sts":{"p":5,"l":0},"cts":{"p":6,"l":0},"ops":[{"t":"r","k":1,"v":null},{"t":"w","k":1,"v":2}]}\n]\n',
    );
  });

  test.each([
    ['{}', 'an array'],
    ['[{"sid":1}]', 'a transaction without "ops"'],
    ['[{"ops":[]}]', 'a transaction without "sid"'],
    [withOps('{"t":"x","k":1}'), '"r", "w" or "a"'],
    [withOps('{"t":"w","k":1}'), 'a write without an integer as "v"'],
    [withOps('{"t":"r","v":1}'), 'an operation without "t" or "k"'],
    [withOps('', ',"sid":2'), '"sid" a second time'],
    ['[{"sid":1,"sts":{"l":1},"ops":[]}]', 'a timestamp without "p"'],
    ['[{"sid":1,"sts":{"p":"x"},"ops":[]}]', 'an integer of 64 bits'],
    ['[{"sid":1,"sts":{"p":9223372036854775807,"l":1},"ops":[]}]', 'a timestamp that fits in 64 bits'],
  ])('timekiller refuses %s', async (text, message) => {
    await expect(readText(timekiller, text)).rejects.toThrow(message);
  });
});
