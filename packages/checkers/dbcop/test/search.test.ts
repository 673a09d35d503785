import { Stop } from '@isolab/contract';
import type { Adjacency } from '@isolab/graph';
import { verifyCertificate } from '@isolab/verifier';
import { describe, expect, test } from 'vitest';
import { TestContext, prepare } from '@isolab/testkit';
import { type Dependencies, DependencyBuilder, happened } from '../src/dependencies/dependencies.ts';
import { LEVELS } from '../src/levels.ts';
import { type Linearization, type SearchOptions, linearize } from '../src/search/linearize.ts';
import { Memo } from '../src/search/memo.ts';
import { SEARCH_LEVELS, type SearchLevel, stepsOf } from '../src/search/steps.ts';
import { sourcesOf } from '../src/dependencies/sources.ts';
import { expectVerified } from './support/certificates.ts';
import { h, historyOf } from './support/notation.ts';
import { check } from './support/run.ts';

describe('the memo', () => {
  const vectors = (count: number, width: number): Int32Array[] =>
    Array.from({ length: count }, (_, i) => Int32Array.from({ length: width }, (__, s) => Math.floor(i / 7 ** s) % 7));

  test.each([
    ['different hashes', (i: number) => Math.imul(i, 0x9e3779b1)],
    ['few hashes', (i: number) => i % 3],
    ['one hash', () => -1],
  ])('the memo distinguishes prefixes of %s', (_, hashOf) => {
    const memo = new Memo(5, 2 ** 30);
    const all = vectors(3000, 5);
    all.forEach((boundary, i) => {
      if (i % 2 === 0) memo.add(boundary, hashOf(i));
    });
    expect(all.filter((boundary, i) => memo.has(boundary, hashOf(i)) !== (i % 2 === 0))).toEqual([]);
    expect(memo.size).toBe(1500);
  });

  test('the memo keeps more prefixes than one block holds, and counts their memory', () => {
    const memo = new Memo(8, 2 ** 30);
    const all = vectors(100_000, 8);
    all.forEach((boundary, i) => memo.add(boundary, Math.imul(i, 0x9e3779b1)));
    expect(all.every((boundary, i) => memo.has(boundary, Math.imul(i, 0x9e3779b1)))).toBe(true);
    // A record is nine numbers.
    expect(memo.bytes).toBeGreaterThan(100_000 * 9 * 4);
    expect(memo.bytes).toBeLessThan(2 * 100_000 * 9 * 4);
  });

  test('the memo stops rather than take more memory than it may', () => {
    const memo = new Memo(8, 1_000_000);
    const add = (): void => vectors(100_000, 8).forEach((boundary, i) => memo.add(boundary, i));
    expect(add).toThrow(/prefixes of the search have failed.*more than maxMemoBytes \(1000000\)/);
    expect(memo.bytes).toBeLessThanOrEqual(1_000_000);
  });
});

const update = (key: string, from: number, to: number) => ({
  status: 'committed' as const,
  operations: [
    { kind: 'read' as const, key, value: BigInt(from) },
    { kind: 'write' as const, key, value: BigInt(to) },
  ],
});

/** Write skew on z and u, beside which k sessions of n blind writes each can be interleaved in any way. */
function hopeless(k: number, n: number) {
  const write = (key: string, value: number) => ({ kind: 'write' as const, key, value: BigInt(value) });
  const skew = (key: string) => [
    {
      status: 'committed' as const,
      operations: [...['z', 'u'].map((k0) => ({ kind: 'read' as const, key: k0, value: 0n })), write(key, 900)],
    },
  ];
  const noise = Array.from({ length: k }, (_, s) =>
    Array.from({ length: n }, (__, i) => ({
      status: 'committed' as const,
      operations: [write('x', 100 * s + i + 1)],
    })),
  );
  return historyOf([...noise, skew('z'), skew('u')]);
}

describe('the search', () => {
  test('the search visits every prefix at most once', () => {
    const context = new TestContext();
    expect(check(hopeless(3, 9), 'serializable', {}, context).status).toBe('violated');
    // 10³ prefixes, with either of the two read, or none: of the writes of the skew neither can ever come.
    expect(context.counters.prefixesStored).toBeLessThanOrEqual(1000);
    expect(context.counters.prefixesExpanded).toBeLessThanOrEqual(3000);
    expect(context.counters.prefixesKnownToFail).toBeGreaterThan(100);
  });

  test('the search reports that its memo exceeds the memory', () => {
    const run = (): unknown => check(hopeless(4, 9), 'serializable', { maxMemoBytes: 100_000 });
    expect(run).toThrow(Stop);
    expect(run).toThrow(/maxMemoBytes \(100000\)/);
  });

  test('the search makes no choice where none is needed', () => {
    // Every transaction updates the keys that it writes, or only reads.
    const history = historyOf([
      ...Array.from({ length: 4 }, (_, s) => Array.from({ length: 20 }, (__, i) => update(`k${s}`, i, i + 1))),
      [0, 7, 20].map((value) => ({
        status: 'committed' as const,
        operations: Array.from({ length: 4 }, (_, s) => ({
          kind: 'read' as const,
          key: `k${s}`,
          value: BigInt(value),
        })),
      })),
    ]);
    for (const level of SEARCH_LEVELS) {
      const [eager, plain] = [new TestContext(), new TestContext()];
      const verdict = check(history, level, {}, eager);
      expectVerified(history, level, verdict);
      expect(check(history, level, { eager: false }, plain).status).toBe(verdict.status);
      expect(eager.counters.prefixesExpanded).toBe(1);
      expect(plain.counters.prefixesExpanded).toBeGreaterThan(40);
    }
  });
});

const NOTHING = (numNodes: number): Adjacency => ({
  numNodes,
  start: new Int32Array(numNodes + 1),
  target: new Int32Array(0),
});

function search(deps: Dependencies, level: SearchLevel, options: Partial<SearchOptions> = {}): Linearization {
  const input = { deps, sources: sourcesOf(deps), saturation: NOTHING(deps.numNodes), initialReads: true };
  const steps = stepsOf({ ...input, level, strictPrefix: false });
  return linearize(steps, { eager: true, maxMemoBytes: 2 ** 30, ...options }, new TestContext());
}

describe('a session of 100,000 transactions', () => {
  const N = 100_000;
  const long = Array.from({ length: N }, (_, i) => update('x', i, i + 1));
  const depsOf = (history: ReturnType<typeof historyOf>): Dependencies =>
    new DependencyBuilder(prepare(history)).build(happened(prepare(history)));

  test.each(SEARCH_LEVELS)('a session of 100,000 transactions is put in order at %s', (level) => {
    const history = historyOf([long, [update('y', 0, 1)]]);
    const { order } = search(depsOf(history), level, { eager: false });
    expect(order).toHaveLength(level === 'serializable' ? N + 1 : 2 * (N + 1));
    const certificate =
      level === 'serializable'
        ? ({ kind: 'commit-order', order: Array.from(order!) } as const)
        : ({ kind: 'event-order', events: Array.from(order!) } as const);
    expect(verifyCertificate(history, level, 'satisfied', certificate)).toEqual({ ok: true });
  });

  test('a session of 100,000 transactions is gone back on at its end', () => {
    // After it, two updates of the same version.
    const history = historyOf([[...long, update('y', 0, 1)], [update('y', 0, 2)]]);
    const { order, stuck } = search(depsOf(history), 'serializable');
    expect(order).toBeNull();
    expect(Array.from(stuck!)).toEqual([N, 0]);
  });
});

describe('the weakest criterion violated', () => {
  test.each([
    [
      'read-committed-dbcop',
      h`w(x,1) w(y,1)
                               r(x,1) r(y,0)`,
    ],
    ['read-atomic', h`r(x,0) w(x,1) | r(x,0)`],
    [
      'causal',
      h`w(x,1)
                 r(x,1) w(y,1)
                 r(x,0) r(y,1)`,
    ],
    [
      'prefix',
      h`w(x,1)
                 w(y,1)
                 r(x,1) r(y,0)
                 r(x,0) r(y,1)`,
    ],
    [
      'snapshot-isolation',
      h`r(x,0) w(x,1)
                             r(x,0) w(x,2)`,
    ],
    [
      'serializable',
      h`r(x,0) r(y,0) w(x,1)
                       r(x,0) r(y,0) w(y,1)`,
    ],
    [
      null,
      h`w(x,1) | r(y,1)
             r(x,1) w(y,1)`,
    ],
  ] as const)('the weakest criterion violated is %s', (expected, history) => {
    const criteria = LEVELS.filter((level) => level !== 'read-committed');
    const verdicts = criteria.map((level) => [level, check(history, level)] as const);
    const violated = verdicts.filter(([, { status }]) => status === 'violated').map(([level]) => level);
    expect(violated).toEqual(expected === null ? [] : criteria.slice(criteria.indexOf(expected)));
    for (const [level, verdict] of verdicts) expectVerified(history, level, verdict);
  });
});
