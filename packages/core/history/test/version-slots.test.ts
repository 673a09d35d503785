import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type History, buildReadFrom } from '../src/index.ts';
import { emptyColumns } from '../src/history/build-read-from.ts';
import { ChunkIndexer, chunkedIndex } from '../src/history/index-chunks.ts';
import { TASKS } from '../src/history/thread-tasks.ts';
import type { ThreadTask, Threads } from '../src/threads/threads.ts';
import { type PlainHistory, type PlainOperation, type PlainSession, fromPlain } from '../src/history/plain.ts';
import { SlotsByValue, slotsByKey } from '../src/history/version-slots.ts';

const operation = fc.record({
  kind: fc.constantFrom('read' as const, 'write' as const),
  key: fc.constantFrom('x', 'y'),
  value: fc.bigInt({ min: 0n, max: 4n }),
});
type Operation = typeof operation extends fc.Arbitrary<infer One> ? One : never;

const sessions = fc.array(
  fc.array(
    fc.record({
      status: fc.constantFrom('committed' as const, 'committed' as const, 'aborted' as const, 'unknown' as const),
      operations: fc.array(operation, { maxLength: 4 }),
    }),
    { maxLength: 3 },
  ),
  { maxLength: 4 },
);
type Sessions = typeof sessions extends fc.Arbitrary<infer All> ? All : never;

/** Reads of thin-air values, so that those that are written get numbers far from each other. */
const padding: PlainSession = {
  name: 'padding',
  transactions: [
    {
      status: 'aborted',
      operations: Array.from({ length: 401 }, (_, i): PlainOperation => ({ kind: 'read', key: 'z', value: BigInt(i) })),
    },
  ],
};

function spelled(all: Sessions, spell: (one: Operation) => bigint, before: readonly PlainSession[] = []): PlainHistory {
  const respell = (one: Operation): Operation => ({ ...one, value: one.value === 0n ? 0n : spell(one) });
  return {
    initial: 0n,
    sessions: [
      ...before,
      ...all.map((transactions, s) => ({
        name: BigInt(s),
        transactions: transactions.map(({ status, operations }) => ({ status, operations: operations.map(respell) })),
      })),
    ],
  };
}

/** Stands for three threads, which perform their tasks when they receive them, when their results are requested, or never. */
const threads = (when: 'at once' | 'late' | 'never', onGiven?: (data: object) => void): Threads => ({
  count: 3,
  leastOperations: 0,
  begin: <Data, Result>(task: string): ThreadTask<Data, Result> => {
    let given: Data;
    let done: Result | null = null;
    const perform = (): Result => TASKS[task]!(given as never) as Result;
    return {
      give: (data) => {
        given = data;
        onGiven?.(data as object);
        if (when === 'at once') done = perform();
      },
      result: () => (when === 'late' ? perform() : done),
      cancel: () => {},
    };
  },
});

test.each(['at once', 'late', 'never'] as const)('the index is the same with threads that work %s', (when) => {
  fc.assert(
    fc.property(sessions, fc.boolean(), (all, isUnique) => {
      let written = 9n;
      const spell = ({ kind, value }: Operation): bigint => (isUnique && kind === 'write' ? ++written : value);
      const history = fromPlain(spelled(all, spell));
      expect(buildReadFrom(history, threads(when))).toEqual(buildReadFrom(history));
    }),
    { numRuns: 100 },
  );
});

/** Transactions in a chain: each one reads the value of the one before and writes the next value. */
const chain = (length: number): History =>
  fromPlain({
    initial: 0n,
    sessions: Array.from({ length }, (_, i) => ({
      name: BigInt(i),
      transactions: [
        {
          status: 'committed',
          operations: [
            { kind: 'read', key: 'x', value: BigInt(i) },
            { kind: 'write', key: 'x', value: BigInt(i + 1) },
          ],
        },
      ],
    })),
  });

test('threads share the transactions if every value is written once, and the keys otherwise', () => {
  const shared: string[] = [];
  const note = (given: object): void => void shared.push('keys' in given ? 'keys' : 'transactions');
  buildReadFrom(chain(30), threads('late', note));
  expect(shared).toEqual(['transactions', 'transactions']);
  buildReadFrom(writes(['x', 1n], ['y', 1n]), threads('late', note));
  expect(shared.slice(2)).toContain('keys');
});

test('threads share the chunks of transactions', () => {
  const history = chain(30);
  const index = chunkedIndex(history, emptyColumns(history), 2);
  const [one, other] = [new ChunkIndexer(index), new ChunkIndexer(index)];
  for (let chunk = 0; chunk < 4; chunk++) expect([one.enterNext(), other.enterNext()]).toEqual([true, true]);
  expect(one.run()).toEqual({
    ambiguousReads: 0,
    spoiltReads: 0,
    someNodeAmbiguous: false,
    repeatedWrites: 0,
    firstRepeated: -1,
  });
  expect(other.run()).toEqual(one.run());
  expect(index.columns.readFrom).toEqual(buildReadFrom(history).readFrom);
});

test('a write that another thread overwrote in its slot is found', () => {
  const history = chain(30);
  const index = chunkedIndex(history, emptyColumns(history), 2);
  const indexer = new ChunkIndexer(index);
  while (indexer.enterNext());
  index.versions.numbers[2 * history.opValue[1]! + 1] = 0;
  expect(indexer.run()).toBe(null);
});

test('the index is the same with slots by value, by key and by hashing', () => {
  fc.assert(
    fc.property(sessions, (all) => {
      const index = buildReadFrom(fromPlain(spelled(all, ({ value }) => value)));
      const ofOneKey = buildReadFrom(fromPlain(spelled(all, ({ key, value }) => 2n * value + (key === 'x' ? 0n : 1n))));
      expect(ofOneKey).toEqual(index);

      const farApart = buildReadFrom(fromPlain(spelled(all, ({ value }) => 100n * value, [padding])));
      const shift = padding.transactions[0]!.operations.length;
      const shifted = (from: number): number => (from < 0 ? from : from - shift);
      expect(Array.from(farApart.readFrom.subarray(shift), shifted)).toEqual([...index.readFrom]);
      expect([...farApart.outcome.subarray(1)]).toEqual([...index.outcome]);
      expect(farApart.repeatedWrites).toBe(index.repeatedWrites);
      expect(shifted(farApart.firstRepeated)).toBe(index.firstRepeated);
      expect(farApart.ambiguousReads).toBe(index.ambiguousReads);
    }),
    { numRuns: 300 },
  );
});

const writes = (...pairs: readonly (readonly [key: 'x' | 'y', value: bigint])[]): History =>
  fromPlain(
    spelled(
      [[{ status: 'committed', operations: pairs.map(([key, value]) => ({ kind: 'write', key, value })) }]],
      ({ value }) => value,
      [padding],
    ),
  );

test('values are slots until a value is written to two keys', () => {
  const history = writes(['x', 1n], ['x', 2n], ['y', 2n]);
  const [x, y] = [history.opKey[401]!, history.opKey[403]!];
  const [one, two] = [history.opValue[401]!, history.opValue[402]!];
  const slots = new SlotsByValue(history);
  slots.numbers[slots.place(x, one)] = 7;
  expect(slots.find(x, one)).toBe(7);
  expect(slots.find(y, one)).toBe(0);
  expect(slots.find(x, two)).toBe(0);
  slots.numbers[slots.place(x, two)] = 8;
  expect(slots.place(x, two)).toBe(slots.place(x, two));
  expect(slots.place(y, two)).toBe(-1);
});

test.each([
  ['close to each other', writes(['x', 10n], ['x', 11n], ['y', 11n], ['y', 12n], ['x', 13n])],
  ['far from each other', writes(['x', 10n], ['x', 310n], ['y', 310n], ['y', 1n], ['x', 400n])],
])('a table for each key holds values that are %s', (_, history) => {
  const slots = slotsByKey(history, null);
  const written = [401, 402, 403, 404, 405].map((op) => [history.opKey[op]!, history.opValue[op]!] as const);
  for (const [i, [key, value]] of written.entries()) slots.numbers[slots.place(key, value)] = i + 1;
  expect(written.map(([key, value]) => slots.find(key, value))).toEqual([1, 2, 3, 4, 5]);
  for (let key = 0; key < 3; key++) {
    const found = Array.from(history.values.type, (__, value) => slots.find(key, value)).filter((number) => number > 0);
    expect(found).toHaveLength(written.filter(([of]) => of === key).length);
  }
});
