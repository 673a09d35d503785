import { INITIAL_TXN } from '@isolab/contract';
import { arbitraryHistory, h, historyOf, namedHistory } from '@isolab/testkit';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cobra } from '../src/index.ts';
import { VARIANTS } from '../src/polygraph/options.ts';
import { run } from './support/run.ts';

const COMPLETE = Object.entries(VARIANTS).filter(([name, { needs }]) => name !== 'as-published' && needs === undefined);

describe.each(cobra.info.levels)('at %s', (level) => {
  test.each(COMPLETE)('the variant %s certifies both verdicts', async (_, { options }) => {
    const statuses: string[] = [];
    // Few reads before writes leave much open, so that verdicts come from the solver, too.
    const histories = arbitraryHistory({ transactions: 9, atLeast: 6, sessions: 4, keys: 2, operations: 3 });
    await fc.assert(
      fc.asyncProperty(histories, async (history) => {
        statuses.push((await run(history, level, options)).verdict.status);
      }),
      { numRuns: 50, seed: 11 },
    );
    expect(statuses).toContain('satisfied');
    expect(statuses).toContain('violated');
  });
});

const certificateOf = async (
  ...args: Parameters<typeof run>
): Promise<{ readonly name: string; readonly kind: string }> => {
  const { verdict } = await run(...args);
  if (verdict.status !== 'violated') throw new Error(verdict.status);
  const [{ name, certificate } = { name: '', certificate: undefined }] = verdict.anomalies;
  return { name, kind: certificate!.kind };
};

describe('a violation', () => {
  test('a violation is a cycle where known edges show it', async () => {
    expect(await certificateOf(namedHistory('mtc-m-lost-update').history, 'serializable')).toEqual({
      name: 'lost-update',
      kind: 'cycle',
    });
    expect(await certificateOf(namedHistory('mtc-n-write-skew').history, 'serializable')).toEqual({
      name: 'G2-item',
      kind: 'cycle',
    });
  });

  test('a violation is a proof where it takes the solver', async () => {
    // Both orders of the writers of x leave one of the readers with a cycle.
    const history = h`w(x,1) w(y,1)
                      w(x,2) w(z,1)
                      r(x,1) r(z,1)
                      r(x,2) r(y,1)`;
    expect(await certificateOf(history, 'plain-serializable', { prune: false })).toEqual({
      name: 'G-single',
      kind: 'proof',
    });
    expect((await certificateOf(history, 'plain-serializable')).kind).toBe('cycle');
  });

  test('a violation is a lost update at snapshot levels, too', async () => {
    expect((await certificateOf(namedHistory('mtc-m-lost-update').history, 'snapshot-isolation')).name).toBe(
      'lost-update',
    );
    expect((await certificateOf(namedHistory('mtc-m-lost-update').history, 'adya-snapshot-isolation')).name).toBe(
      'lost-update',
    );
  });

  test('a violation is not named after a transaction that is not in it', async () => {
    const { verdict } = await run(namedHistory('mtc-l-long-fork').history, 'snapshot-isolation');
    if (verdict.status !== 'violated') throw new Error(verdict.status);
    const [{ name, transactions } = { name: '', transactions: [] as readonly number[] }] = verdict.anomalies;
    expect(name).toBe('G-nonadjacent');
    expect(transactions.every((t) => t >= INITIAL_TXN && t < 4)).toBe(true);
  });
});

describe('chains of versions', () => {
  /** A session that counts x up, another one that does with y, and a transaction that writes both in between. */
  const counters = (length: number, last: readonly [number, number]) =>
    historyOf([
      ...['x', 'y'].map((key) =>
        Array.from({ length }, (_, i) => ({
          status: 'committed' as const,
          operations: [
            { kind: 'read' as const, key, value: BigInt(i) },
            { kind: 'write' as const, key, value: BigInt(i + 1) },
          ],
        })),
      ),
      [
        {
          status: 'committed' as const,
          operations: ['x', 'y'].map((key) => ({ kind: 'write' as const, key, value: -1n })),
        },
        {
          status: 'committed' as const,
          operations: ['x', 'y'].map((key, i) => ({ kind: 'read' as const, key, value: BigInt(last[i]!) })),
        },
      ],
    ]);

  test('chains of versions that begin with the initial state come first, however long', async () => {
    expect((await run(counters(300, [-1, -1]), 'serializable')).verdict.status).toBe('satisfied');
    expect((await certificateOf(counters(20, [-1, 20]), 'serializable')).kind).toBe('cycle');
    // Nested reasons would be 300 deep.
    expect((await certificateOf(counters(300, [-1, 300]), 'serializable')).kind).toBe('proof');
  });

  test('chains of versions of blind beginnings are ordered as a whole', async () => {
    const chain = (session: number, length: number) =>
      Array.from({ length }, (_, i) => ({
        status: 'committed' as const,
        operations: [
          ...(i === 0 ? [] : [{ kind: 'read' as const, key: 'x', value: BigInt(1000 * session + i) }]),
          { kind: 'write' as const, key: 'x', value: BigInt(1000 * session + i + 1) },
          ...(i === 0 ? [{ kind: 'write' as const, key: `y${session}`, value: 1n }] : []),
        ],
      }));
    // A transaction that sees the last of a chain sees that the other chain has not begun.
    const reader = (session: number, other: number, length: number) => [
      {
        status: 'committed' as const,
        operations: [
          { kind: 'read' as const, key: 'x', value: BigInt(1000 * session + length) },
          { kind: 'read' as const, key: `y${other}`, value: 1n },
        ],
      },
    ];
    for (const [length, options, kind] of [
      [5, {}, 'cycle'],
      [120, {}, 'proof'],
      [5, { prune: false }, 'proof'],
      [120, { prune: false }, 'proof'],
    ] as const) {
      const history = historyOf([chain(1, length), chain(2, length), reader(1, 2, length), reader(2, 1, length)]);
      expect((await run(history, 'serializable', options)).counters.constraints).toBe(1);
      expect((await certificateOf(history, 'serializable', options)).kind).toBe(kind);
    }
  });
});
