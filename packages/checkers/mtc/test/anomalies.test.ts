import { type LevelName, type Verdict, findAnomaly } from '@isolab/contract';
import { verifyCertificate } from '@isolab/verifier';
import type { History, PlainTransaction } from '@isolab/history';
import { h, historyOf, inputFor, namedHistory, observeForTest, parseHistory } from '@isolab/testkit';
import { describe, expect, test } from 'vitest';
import { mtc } from '../src/index.ts';

const check = async (history: History, level: LevelName, run = {}): Promise<Verdict> =>
  (await observeForTest(mtc, inputFor(mtc, history), level, { certify: true, ...run })).verdict;

async function firstAnomaly(history: History, level: LevelName, run = {}) {
  const verdict = await check(history, level, run);
  if (verdict.status !== 'violated') throw new Error(`got ${verdict.status}`);
  const [anomaly] = verdict.anomalies;
  const lowered = inputFor(mtc, history).history;
  expect(verifyCertificate(lowered, level, 'violated', anomaly!.certificate!)).toEqual({ ok: true });
  return anomaly!;
}

/** The paper's Table I; the last column is the weakest level of mtc that forbids it. */
const TABLE = [
  ['mtc-a-thin-air-read', 'ThinAirRead', 'snapshot-isolation', [0]],
  ['mtc-b-aborted-read', 'AbortedRead', 'snapshot-isolation', [0, 1]],
  ['mtc-c-future-read', 'FutureRead', 'snapshot-isolation', [0]],
  ['mtc-d-not-my-last-write', 'NotMyLastWrite', 'snapshot-isolation', [0]],
  ['mtc-e-not-my-own-write', 'NotMyOwnWrite', 'snapshot-isolation', [0]],
  ['mtc-f-intermediate-read', 'IntermediateRead', 'snapshot-isolation', [0, 1]],
  ['mtc-g-non-repeatable-reads', 'NonRepeatableReads', 'snapshot-isolation', [1]],
  ['mtc-h-session-guarantee-violation', 'SessionGuaranteeViolation', 'snapshot-isolation', [2, 1]],
  ['mtc-i-non-monotonic-read', 'NonMonotonicRead', 'snapshot-isolation', [2, 1]],
  ['mtc-j-fractured-read', 'FracturedRead', 'snapshot-isolation', [1, 0]],
  ['mtc-k-causality-violation', 'CausalityViolation', 'snapshot-isolation', [2, 0, 1]],
  ['mtc-l-long-fork', 'LongFork', 'snapshot-isolation', [2, 1, 3, 0]],
  ['mtc-m-lost-update', 'LostUpdate', 'snapshot-isolation', [-1, 0, 1]],
  ['mtc-n-write-skew', 'WriteSkew', 'serializable', [0, 1]],
] as const;

describe.each(['snapshot-isolation', 'serializable', 'strict-serializable'] as const)('at %s', (level) => {
  test.each(TABLE)('%s is a %s', async (name, pattern, weakest, transactions) => {
    const { history } = namedHistory(name);
    if (weakest === 'serializable' && level === 'snapshot-isolation') {
      expect((await check(history, level)).status).toBe('satisfied');
      return;
    }
    const anomaly = await firstAnomaly(history, level);
    expect(anomaly).toMatchObject({ pattern, transactions });
    // The paper's own name is an alias of the registry's, up to the plural of the seventh.
    expect(findAnomaly(pattern.replace('Reads', 'Read'))!.name).toBe(anomaly.name);
  });
});

test('MTC reports the worst anomaly of a history: a write skew only where it is nothing else', async () => {
  const history = parseHistory(
    `${namedHistory('mtc-n-write-skew').text}\n${'r(a,0) w(a,1)\nr(b,0) w(b,1)\nr(a,1) r(b,0)\nr(a,0) r(b,1)'}`,
  );
  expect((await firstAnomaly(history, 'serializable')).pattern).toBe('LongFork');
  const verdict = await check(history, 'serializable', { findAll: true });
  if (verdict.status !== 'violated') throw new Error(verdict.status);
  expect(verdict.anomalies.map(({ pattern }) => pattern)).toEqual(['LongFork', 'WriteSkew']);
});

test('an overwriter is as far down the versions as the cycle needs', async () => {
  // T4 reads x as it was before T1, and y from T3, which saw all of T1, T2 and T3 itself.
  const history = h`r(x,0) w(x,1)
                    r(x,1) w(x,2)
                    r(x,2) r(y,0) w(x,3) w(y,1)
                    r(y,1) r(x,0)`;
  expect(await firstAnomaly(history, 'snapshot-isolation')).toMatchObject({
    pattern: 'NonMonotonicRead',
    transactions: [3, 2],
  });
});

describe('real time', () => {
  const stale = h`r(x,0) w(x,1) @1-2
                  r(y,0) @3-4 | r(y,0) w(y,1) @5-6
                  r(x,0) r(y,1) @7-8`;

  test('real time makes a read stale that serializability allows', async () => {
    expect((await check(stale, 'serializable')).status).toBe('satisfied');
    for (const variant of [null, 'all-pairs'])
      expect(await firstAnomaly(stale, 'strict-serializable', { variant })).toMatchObject({
        name: 'stale-read',
        transactions: [3, 0],
      });
  });

  test('real time of touching times orders nothing', async () => {
    expect((await check(parseHistory('r(x,0) w(x,1) @1-3\nr(x,0) @3-4'), 'strict-serializable')).status).toBe(
      'satisfied',
    );
  });

  test('real time of negative and of large times is compared as it is', async () => {
    const at = (begin: bigint, end: bigint, value: bigint): PlainTransaction => ({
      status: 'committed',
      operations: [
        { kind: 'read', key: 'x', value },
        ...(value === 0n && begin < 0n ? [{ kind: 'write' as const, key: 'x', value: 1n }] : []),
      ],
      begin,
      end,
    });
    const big = 2n ** 62n;
    expect((await check(historyOf([[at(-big, -1n, 0n)], [at(big, big + 1n, 1n)]]), 'strict-serializable')).status).toBe(
      'satisfied',
    );
    expect((await check(historyOf([[at(-big, -1n, 0n)], [at(big, big + 1n, 0n)]]), 'strict-serializable')).status).toBe(
      'violated',
    );
  });
});

describe('lightweight transactions', () => {
  test('the chain of compare-and-sets is a proof', async () => {
    const history = h`cas(x,0,1) @1-9 | cas(x,2,3) @10-12
                      cas(x,1,2) @5-6 | r(x,2) @7-11`;
    expect((await check(history, 'linearizable')).status).toBe('satisfied');
  });

  test.each([
    ['a lost update', 'cas(x,0,1)\ncas(x,0,2)', 'lost-update', [-1, 0, 1]],
    ['a transaction that a later one on the chain preceded', 'cas(x,0,1) @5-6\ncas(x,1,2) @1-2', 'stale-read', [0, 1]],
    ['a reader that was called too late', 'cas(x,0,1) @1-2\ncas(x,1,2) @3-4\nr(x,1) @5-6', 'stale-read', [2, 1]],
    ['a session that goes back', 'cas(x,0,1) | cas(x,1,2)| r(x,1)', 'session-guarantee-violation', [2, 1]],
    ['a chain without a beginning', 'cas(x,1,2)\ncas(x,2,1)', 'G1c', [0, 1]],
  ] as const)('%s', async (_, text, name, transactions) => {
    const anomaly = await firstAnomaly(parseHistory(text), 'linearizable');
    expect([anomaly.name, anomaly.transactions.toSorted()]).toEqual([name, transactions.toSorted()]);
  });

  test('a conflicting pair is reported with as little between as can be', async () => {
    // Ten exchanges, one after the other; then the first again, called after all had returned.
    const chain = Array.from({ length: 10 }, (_, i) => `cas(x,${i},${i + 1}) @${10 * i}-${10 * i + 5}`);
    const history = parseHistory([...chain, 'r(x,1) @200-201'].join('\n'));
    expect((await firstAnomaly(history, 'linearizable')).transactions.toSorted((a, b) => a - b)).toEqual([1, 10]);
  });
});

describe('MTC refuses, and says why,', () => {
  test.each([
    ['what is no mini-transaction', 'w(x,1)', 'snapshot-isolation', /mini-transactions/],
    ['operations on two keys as linearizable', 'r(x,0) r(y,0)', 'linearizable', /single-keys/],
    ['a read without a result as linearizable', 'r(y,?)', 'linearizable', /operations on one key with known results/],
    [
      'scans as linearizable',
      'get(t/1, nil) @3-4 | scan(t, x = 1, {}) @1-2\nget(t/1, nil) get(t/2, {x: 1})',
      'linearizable',
      /single-keys/,
    ],
    [
      'a write after a read that was never answered',
      '?r(x,?) w(x,1)\nr(x,1)',
      'serializable',
      /The version that w\(x, 1\) in transaction 1 .* overwrote is unknown/,
    ],
    [
      'times that run backwards',
      'r(x,0) @4-2',
      'strict-serializable',
      /transaction 1 of session 0 returned before it was called/,
    ],
  ] as const)('%s', async (_, text, level, detail) => {
    expect(await check(parseHistory(text), level)).toMatchObject({
      status: 'unknown',
      reason: 'unsupported',
      detail: expect.stringMatching(detail),
    });
  });
});

describe('large and hostile histories', () => {
  const update = (from: number, to: number, begin = 0): PlainTransaction => ({
    status: 'committed',
    operations: [
      { kind: 'read', key: 'x', value: BigInt(from) },
      { kind: 'write', key: 'x', value: BigInt(to) },
    ],
    begin: BigInt(begin),
    end: BigInt(begin + 1),
  });

  test.each(mtc.info.levels)('a chain of 20,000 over two sessions is satisfied at %s', async (level) => {
    const updates = Array.from({ length: 20_000 }, (_, i) => update(i, i + 1, 2 * i));
    const history = historyOf([updates.filter((_, i) => i % 2 === 0), updates.filter((_, i) => i % 2 === 1)]);
    expect((await check(history, level)).status).toBe('satisfied');
  });

  test.each(mtc.info.levels)('20,000 that overwrite one version take no quadratic time at %s', async (level) => {
    const history = historyOf(Array.from({ length: 20_000 }, (_, i) => [update(0, i + 1)]));
    expect((await firstAnomaly(history, level)).transactions).toEqual([-1, 0, 1]);
    expect(await check(history, level, { findAll: true })).toMatchObject({ status: 'violated' });
  });

  test('a long way back to the beginning of a cycle overflows nothing', async () => {
    const size = 5000;
    const sessions = Array.from({ length: size }, (_, i): PlainTransaction[] => [
      {
        status: 'committed',
        operations: [
          { kind: 'read', key: `k${i}`, value: 1n },
          { kind: 'read', key: `k${(i + 1) % size}`, value: 0n },
          { kind: 'write', key: `k${(i + 1) % size}`, value: 1n },
        ],
      },
    ]);
    const anomaly = await firstAnomaly(historyOf(sessions), 'snapshot-isolation');
    expect([anomaly.name, anomaly.transactions.length]).toEqual(['G1c', size]);
  });
});
