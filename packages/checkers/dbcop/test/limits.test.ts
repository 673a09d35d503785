import { Stop, certificateOf } from '@isolab/contract';
import { describe, expect, test } from 'vitest';
import { TestContext } from '@isolab/testkit';
import { LEVELS, isSearched } from '../src/levels.ts';
import { expectCertified } from './support/certificates.ts';
import { h, historyOf } from './support/notation.ts';
import { simulate } from './support/random-histories.ts';
import { check } from './support/run.ts';

const HISTORY = simulate({
  seed: 7,
  sessions: 6,
  txnsPerSession: 40,
  opsPerTxn: 5,
  keysOf: () => [0, 1, 2, 3, 4, 5],
  staleness: 0,
});

const stopOf = (run: () => unknown): Stop => {
  try {
    run();
  } catch (error) {
    if (error instanceof Stop) return error;
    throw error;
  }
  throw new Error('nothing stopped it');
};

test('the checker refuses a causal order that takes more memory than it may', () => {
  const bytes = 240 ** 2 / 16;
  expect(check(HISTORY, 'causal', { maxClosureBytes: bytes }).status).toBe('satisfied');
  const stop = stopOf(() => check(HISTORY, 'causal', { maxClosureBytes: bytes - 1 }));
  expect([stop.reason, stop.message]).toEqual([
    'memory',
    expect.stringContaining(`240 transactions takes ${bytes} bytes`),
  ]);
});

test('the checker needs no causal order below causal', () => {
  expect(check(HISTORY, 'read-atomic', { maxClosureBytes: 0 }).status).toBe('satisfied');
});

describe.each(LEVELS)('at %s', (level) => {
  test('the checker stops when its budget is spent, wherever that is', () => {
    const context = new TestContext();
    check(HISTORY, level, {}, context);
    for (const share of [0, 0.1, 0.5, 0.9]) {
      const maxSteps = Math.floor(share * context.steps);
      expect(stopOf(() => check(HISTORY, level, {}, new TestContext({ maxSteps }))).reason).toBe('steps');
    }
  });

  test('the checker reports its phase and progress', () => {
    const context = new TestContext();
    check(HISTORY, level, {}, context);
    const search = isSearched(level) ? ['construct', 'search'] : [];
    expect(context.stages).toEqual(['construct', 'saturate', 'traverse', ...search, 'certify']);
    const searched = ['prefixesExpanded', 'prefixesKnownToFail', 'prefixesStored', 'memoBytes'];
    const counters = ['parts', 'pairsTried', 'saturationEdges', 'edgesStored', ...(isSearched(level) ? searched : [])];
    expect(Object.keys(context.counters)).toEqual(counters);
    expect(context.counters.pairsTried).toBeGreaterThan(context.counters.saturationEdges!);
    expect(context.counters.saturationEdges).toBeGreaterThan(context.counters.edgesStored!);
  });

  test('the checker gives no unrequested certificate', () => {
    const bare = new TestContext({ certify: false });
    expect(check(HISTORY, level, {}, bare)).toEqual({ status: 'satisfied' });
    const verdict = check(
      h`w(x,1) r(y,1)
                            w(y,1) r(x,1)`,
      level,
      {},
      bare,
    );
    expect(verdict).toMatchObject({ status: 'violated', anomalies: [{ name: 'G1c', transactions: [0, 1] }] });
    expect(certificateOf(verdict)).toBeUndefined();
  });
});

test('the checker counts the pairs and edges of Algorithm 1', () => {
  const history = h`w(x,1)
                    r(x,1) w(x,2)
                    r(x,2) | r(x,2)`;
  const context = new TestContext();
  check(history, 'causal', {}, context);
  // Three reads of x, two writers each; of the second writer's reads the first writer is visible to both, one edge.
  expect(context.counters).toEqual({ parts: 1, pairsTried: 6, saturationEdges: 1, edgesStored: 1 });
});

test('the checker finds all anomalies when asked to, each with a proof', () => {
  const history = h`w(a,1) w(b,1)
                    r(a,1) r(b,0)
                    w(c,1) r(d,1)
                    w(d,1) r(c,1)
                    r(e,9)
                    w(f,1) | w(f,2) | r(f,1)`;
  const verdict = check(history, 'causal', { decompose: true }, new TestContext({ findAll: true }));
  if (verdict.status !== 'violated') throw new Error(verdict.status);
  expect(verdict.anomalies.map(({ name }) => name).toSorted()).toEqual([
    'G1c',
    'non-monotonic-read',
    'session-guarantee-violation',
    'thin-air-read',
  ]);
  expectCertified(history, 'causal', verdict);
  expect(check(history, 'causal')).toMatchObject({ anomalies: [{ name: 'thin-air-read' }] });
});

test('the checker decides a session of 3,000 transactions without recursion, at every level', () => {
  const history = historyOf([
    Array.from({ length: 3000 }, (_, i) => ({
      status: 'committed' as const,
      operations: [
        { kind: 'read' as const, key: 'x', value: BigInt(i) },
        { kind: 'write' as const, key: 'x', value: BigInt(i + 1) },
      ],
    })),
  ]);
  for (const level of LEVELS) expect(check(history, level).status).toBe('satisfied');
});
