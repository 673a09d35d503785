import { verifyCertificate } from '@isolab/verifier';
import { arbitraryHistory, parseHistory } from '@isolab/testkit';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { certificateOf, check } from './support/check.ts';

const LEVEL = 'adya-snapshot-isolation';

/** An execution of a database that keeps snapshot isolation, with writes to few keys. */
const execution = (transactions: number, keys: number) =>
  fc.sample(
    arbitraryHistory({
      transactions,
      atLeast: transactions,
      sessions: 20,
      keys,
      operations: 4,
      disturbances: 0,
      stores: ['snapshot-isolation'],
    }),
    { numRuns: 1, seed: 5 },
  )[0]!;

describe('heuristic pruning', () => {
  const history = execution(300, 12);

  test.each(['doubling', 'steps'] as const)(
    'heuristic pruning settles most constraints of an execution, with %s',
    (growth) => {
      const { verdict, counters, input } = check(history, LEVEL, { growth });
      expect(verdict.status).toBe('satisfied');
      expect(counters['settled constraints']!).toBeGreaterThan(counters['constraints']! / 4);
      expect(counters['variables']!).toBeLessThan(check(history, LEVEL, { prune: false }).counters['variables']!);
      expect(verifyCertificate(input.history, LEVEL, 'satisfied', certificateOf(verdict)!)).toEqual({ ok: true });
    },
  );

  test('heuristic pruning takes back wrong guesses, in more rounds the slower k grows', () => {
    // The whole long session is likely to come after the first transactions of the others; here it is the reverse.
    const late = Array.from({ length: 30 }, (_, i) => `w(a,${i + 1})`).join(' | ');
    const misleading = parseHistory(`${late} | w(x,1) w(y,1)\nw(x,2)\nw(y,2)\nr(x,2) r(y,2)\nr(x,1) r(y,1) w(z,1)
      r(z,1) | r(x,2) r(y,2)`);
    const doubling = check(misleading, LEVEL, { k: 1 });
    const steps = check(misleading, LEVEL, { k: 1, growth: 'steps' });
    expect([doubling.verdict.status, steps.verdict.status]).toEqual(['satisfied', 'satisfied']);
    expect(doubling.counters['rounds']).toBeGreaterThan(1);
    expect(steps.counters['rounds']).toBeGreaterThan(doubling.counters['rounds']!);
  });
});

test('combining leaves no constraint, and nothing to solve, where every write follows a read', () => {
  const history = parseHistory('r(x,0) w(x,1) | r(x,1) r(y,2) w(y,3)\nr(y,0) w(y,2) | r(x,1) w(x,2)');
  const combined = check(history, LEVEL);
  expect(combined.counters['constraints']).toBe(0);
  expect(combined.stages).not.toContain('solve');
  const plain = check(history, LEVEL, { optimise: false, prune: false });
  expect(plain.counters['constraints']).toBe(3); // a pair of writers of either key, and a reader of x that is none of them
  expect(plain.stages).toContain('solve');
});

test('solvers take turns until one of them has an answer', () => {
  const history = execution(1200, 12);
  const alone = check(history, LEVEL, { prune: false });
  expect(alone.counters['conflicts']!).toBeGreaterThan(200); // so that the first turns are not enough
  const inTurns = check(history, LEVEL, { prune: false, seeds: 2 });
  expect(inTurns.verdict.status).toBe('satisfied');
  const certificate = certificateOf(inTurns.verdict)!;
  expect(verifyCertificate(inTurns.input.history, LEVEL, 'satisfied', certificate)).toEqual({ ok: true });
});

describe('clock drift', () => {
  const stale = parseHistory('w(x,1) @1-2\nr(x,0) @5-6');

  test.each([
    [0, 'violated'],
    [2, 'violated'],
    [3, 'satisfied'], // 2 + 3 is not before 5
  ] as const)('a stale read with a drift of %i is %s', (drift, status) => {
    expect(check(stale, 'strong-snapshot-isolation', { drift }).verdict.status).toBe(status);
  });

  test('a verdict about a weaker level has no certificate', () => {
    const { verdict } = check(stale, 'strong-snapshot-isolation', { drift: 3 });
    expect(verdict).toEqual({ status: 'satisfied', uncertified: 'weaker' });
    expect(check(stale, 'strong-snapshot-isolation').verdict).toMatchObject({
      anomalies: [{ name: 'stale-read', certificate: { kind: 'cycle' } }],
    });
  });

  test('clock drift does not matter where real time does not', () => {
    expect(certificateOf(check(stale, 'snapshot-isolation', { drift: 3 }).verdict)).toBeDefined();
  });
});

test('a transaction that returned before it was called is refused where that would matter', () => {
  const history = parseHistory('w(x,1) @5-2');
  for (const level of ['strong-snapshot-isolation', 'generalized-snapshot-isolation'] as const)
    expect(check(history, level).verdict).toMatchObject({ status: 'unknown', reason: 'unsupported' });
  expect(check(history, 'adya-snapshot-isolation').verdict.status).toBe('satisfied');
});

describe('the published tool', () => {
  // Measurements of the published tool on histories without an explicit initial transaction.
  test.each([
    ['intermediate-read', 'w(x,1) w(x,2)\nr(x,1)', 'satisfied'],
    ['aborted-read', '!w(x,1)\nr(x,1)', 'satisfied'],
    ['thin-air', 'w(x,1)\nr(x,9)', 'satisfied'],
    ['stale-init', 'w(x,1) | r(x,0)', 'violated'],
    ['lost-update', 'w(x,1)\nr(x,1) w(x,2)\nr(x,1) w(x,3)', 'violated'],
    ['write-skew', 'r(x,0) r(y,0) w(x,1)\nr(x,0) r(y,0) w(y,1)', 'satisfied'],
    ['long-fork', 'w(x,1)\nw(y,1)\nr(x,1) r(y,0)\nr(x,0) r(y,1)', 'violated'],
    ['future-read', 'r(x,1) w(x,1)', 'violated'],
    ['non-repeatable', 'w(x,1)\nr(x,0) r(x,1)', 'violated'],
    ['int read own write mismatch', 'w(x,1)\nw(x,2) r(x,1)', 'violated'],
  ])('%s', (_, text, status) => {
    const { verdict } = check(parseHistory(text), 'snapshot-isolation', { asPublished: true });
    expect(verdict.status).toBe(status);
  });

  test('the published tool has no certificate for a missed anomaly', () => {
    expect(check(parseHistory('w(x,1)\nr(x,9)'), LEVEL, { asPublished: true }).verdict).toEqual({
      status: 'satisfied',
      uncertified: 'as-published',
    });
    expect(certificateOf(check(parseHistory('w(x,1)\nr(x,1)'), LEVEL, { asPublished: true }).verdict)).toBeDefined();
    const stale = parseHistory('r(x,0) w(x,2) | r(x,1)\nr(x,9)');
    const { verdict } = check(stale, 'snapshot-isolation', { asPublished: true });
    expect(verdict).toMatchObject({ status: 'violated', uncertified: 'as-published' });
    expect(certificateOf(verdict)).toBeUndefined();
  });
});
