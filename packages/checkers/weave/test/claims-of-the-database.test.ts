import { type History, type PlainHistory, fromPlain } from '@isolab/history';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findAnomaly } from '@isolab/contract';
import { prepare } from '@isolab/testkit';
import { contradictedClaims } from '../src/hints/contradicted-claims.ts';

function warningsOf(history: History, fromSnapshots: boolean, findAll = true) {
  return contradictedClaims(prepare(history), { fromSnapshots, findAll });
}

interface Draft {
  readonly start: number | null;
  readonly commit: number | null;
  readonly reads: readonly (readonly [key: string, value: number, version?: number])[];
  readonly writes: readonly (readonly [key: string, value: number, version?: number])[];
}

/** Every transaction in a session of its own; reads come first. */
const historyOf = (drafts: readonly Draft[]): History => fromPlain(plainOf(drafts));

function plainOf(drafts: readonly Draft[]): PlainHistory {
  const stated = (version: number | undefined) => (version === undefined ? {} : { version: BigInt(version) });
  return {
    initial: 0n,
    sessions: drafts.map(({ start, commit, reads, writes }, s) => ({
      name: BigInt(s),
      transactions: [
        {
          status: 'committed' as const,
          operations: [
            ...reads.map(([key, value, v]) => ({ kind: 'read' as const, key, value: BigInt(value), ...stated(v) })),
            ...writes.map(([key, value, v]) => ({ kind: 'write' as const, key, value: BigInt(value), ...stated(v) })),
          ],
          ...(start !== null && { startTs: BigInt(start) }),
          ...(commit !== null && { commitTs: BigInt(commit) }),
        },
      ],
    })),
  };
}

const txn = (
  start: number | null,
  commit: number | null,
  reads: Draft['reads'],
  writes: Draft['writes'] = [],
): Draft => ({
  start,
  commit,
  reads,
  writes,
});

describe('claims of the database', () => {
  const writer = txn(1, 10, [], [['x', 1]]);
  const second = txn(11, 20, [], [['x', 2]]);

  test.each([
    ['a read of the future', [writer, txn(2, 9, [['x', 1]])], 1, 1],
    [
      'a read of what was committed after the start, which only snapshots forbid',
      [writer, txn(5, 15, [['x', 1]])],
      1,
      0,
    ],
    ['a read of the latest version', [writer, second, txn(21, 22, [['x', 2]])], 0, 0],
    ['a stale read', [writer, second, txn(21, 22, [['x', 1]])], 1, 1],
    ['a stale read of the initial state', [writer, txn(11, 12, [['x', 0]])], 1, 1],
    ['a read as old as its snapshot', [writer, second, txn(15, 25, [['x', 1]])], 0, 0],
    ['equal times, which say nothing', [writer, txn(10, 10, [['x', 0]]), txn(10, 10, [['x', 1]])], 0, 0],
    ['no times', [txn(null, null, [], [['x', 1]]), txn(null, null, [['x', 0]])], 0, 0],
    ['a reader without a start', [writer, txn(null, 5, [['x', 1]])], 1, 1],
  ] as const)('claims of the database are judged by the reads: %s', (_, drafts, bySnapshots, bySerial) => {
    expect(warningsOf(historyOf(drafts), true)).toHaveLength(bySnapshots);
    expect(warningsOf(historyOf(drafts), false)).toHaveLength(bySerial);
  });

  test('claims of the database are reported in a sentence, with a name that is registered', () => {
    const [warning] = warningsOf(historyOf([writer, second, txn(21, 22, [['x', 1]])]), false);
    expect(warning).toEqual({
      name: 'contradicted-timestamp',
      transactions: [0, 1, 2],
      text: 'What r(x, 1) of transaction 1 of session 2 saw was overwritten by w(x, 2) of transaction 1 of session 1, which claims to have committed at 20; the reader claims to have started at 21.',
    });
    expect(findAnomaly('contradicted-timestamp')?.title).toContain('timestamp');
    expect(findAnomaly('contradicted-version')?.title).toContain('version');
  });

  test('claims of the database of versions: one number for one version, one version with one number', () => {
    const noTimes = (reads: Draft['reads'], writes: Draft['writes'] = []): Draft => txn(null, null, reads, writes);
    const two = historyOf([noTimes([], [['x', 1, 7]]), noTimes([], [['x', 2, 7]])]);
    expect(warningsOf(two, true)).toMatchObject([
      { name: 'contradicted-version', transactions: [0, 1], text: expect.stringContaining('one version number, 7,') },
    ]);
    const other = historyOf([noTimes([], [['x', 1, 7]]), noTimes([['x', 1, 8]])]);
    expect(warningsOf(other, true)).toMatchObject([
      { text: expect.stringContaining('numbers 7 and 8 for one version') },
    ]);
    const right = historyOf([
      noTimes(
        [],
        [
          ['x', 1, 7],
          ['y', 1, 7],
        ],
      ),
      noTimes([
        ['x', 1, 7],
        ['y', 1, 7],
        ['z', 0, 7],
      ]),
    ]);
    expect(warningsOf(right, true)).toEqual([]);
  });

  test('claims of the database are found all or one', () => {
    const drafts = [writer, txn(2, 9, [['x', 1]]), txn(3, 8, [['x', 1]])];
    expect(warningsOf(historyOf(drafts), true, true)).toHaveLength(2);
    expect(warningsOf(historyOf(drafts), true, false)).toHaveLength(1);
  });

  test('claims of the database agree with a store that goes by them', () => {
    const draft = fc.record({
      times: fc.tuple(fc.nat(9), fc.nat(9)),
      reads: fc.array(fc.tuple(fc.constantFrom('x', 'y'), fc.nat(6)), { maxLength: 2 }),
      keys: fc.uniqueArray(fc.constantFrom('x', 'y'), { maxLength: 2 }),
    });
    const counts = { contradicted: 0, fine: 0 };
    fc.assert(
      fc.property(fc.array(draft, { minLength: 2, maxLength: 4 }), fc.boolean(), (all, fromSnapshots) => {
        let value = 0;
        const written: (readonly [string, number])[][] = all.map(({ keys }) =>
          keys.map((key) => [key, ++value] as const),
        );
        const drafts = all.map(({ times, reads }, t): Draft => {
          const [start, commit] = times.toSorted((a, b) => a - b);
          const seen = reads.map(([key, pick]): [string, number] => {
            const values = [
              0,
              ...written.flatMap((one, u) => (u === t ? [] : one.filter(([k]) => k === key).map(([, v]) => v))),
            ];
            return [key, values[pick % values.length]!];
          });
          return txn(start!, commit!, seen, written[t]);
        });
        // A read is fine if some state of the key, between start and commit (or at the start), has its value; with equal
        // times in any order.
        const expected = drafts.flatMap(({ start, commit, reads }, t) =>
          reads.filter(([key, seen]) => {
            const until = fromSnapshots ? start! : commit!;
            const writers = drafts.flatMap((one, u) =>
              u === t ? [] : one.writes.map(([k, v]) => ({ k, v, at: one.commit! })),
            );
            const own = writers.filter(({ k }) => k === key);
            const at = own.find(({ v }) => v === seen)?.at ?? -Infinity;
            return at > until || own.some((one) => one.at > at && one.at < start!);
          }),
        );
        counts[expected.length > 0 ? 'contradicted' : 'fine']++;
        expect(warningsOf(historyOf(drafts), fromSnapshots)).toHaveLength(expected.length);
      }),
      { numRuns: 500, seed: 5 },
    );
    expect(Math.min(counts.contradicted, counts.fine)).toBeGreaterThan(50);
  });
});
