import { verifyCertificate } from '@isolab/verifier';
import { describe, expect, test } from 'vitest';
import { history } from './support/notation.ts';
import { LEVELS, patterns, run } from './support/run.ts';

// The name, the history, and the patterns that each level reports; at causal, all of them.
const TABLE_1: readonly (readonly [string, readonly string[], readonly (readonly string[])[]])[] = [
  ['a thin-air read', ['r(x,9)'], [['TAP-a'], ['TAP-a'], ['TAP-a']]],
  ['an aborted read', ['!w(x,1)', 'r(x,1)'], [['TAP-b'], ['TAP-b'], ['TAP-b']]],
  ['a future read', ['r(x,1) w(x,1)'], [['TAP-c'], ['TAP-c'], ['TAP-c']]],
  ['not my own write', ['w(x,1)', 'w(x,2) r(x,1)'], [['TAP-d'], ['TAP-d'], ['TAP-d']]],
  ['not my last write', ['w(x,1) w(x,2) r(x,1)'], [['TAP-e'], ['TAP-e'], ['TAP-e']]],
  ['an intermediate read', ['w(x,1) w(x,2)', 'r(x,1)'], [['TAP-f'], ['TAP-f'], ['TAP-f']]],
  ['a cyclic causal order', ['r(x,1) w(y,1)', 'r(y,1) w(x,1)'], [['TAP-g'], ['TAP-g'], ['TAP-g']]],
  ['a non-monotonic read against CO', ['w(x,1) | w(x,2) w(y,2)', 'r(y,2) r(x,1)'], [['TAP-h'], ['TAP-h'], ['TAP-h']]],
  [
    'a non-monotonic read against CM',
    ['w(x,1) w(z,1) w(q,1)', 'w(x,2) w(y,2) w(q,2)', 'r(y,2) r(x,1)', 'r(z,1) r(q,2)'],
    [['TAP-i'], ['TAP-i'], ['TAP-i']],
  ],
  ['a non-repeatable read', ['w(x,1)', 'w(x,2)', 'r(x,1) r(x,2)'], [[], ['TAP-j'], ['TAP-j', 'TAP-n']]],
  ['a fractured read against CO', ['w(x,1) | w(x,2) w(y,2)', 'r(x,1) r(y,2)'], [[], ['TAP-k'], ['TAP-k']]],
  ['a fractured read against CO in a session', ['w(x,1) | w(x,2) | r(x,1)'], [[], ['TAP-k'], ['TAP-k']]],
  [
    'a fractured read against CM',
    ['w(x,1) w(z,1) w(q,1)', 'w(x,2) w(y,2) w(q,2)', 'r(x,1) r(y,2)', 'r(q,2) r(z,1)'],
    [[], ['TAP-l'], ['TAP-l']],
  ],
  ['a causal conflict with CO', ['w(x,1) | w(x,2) w(y,2)', 'r(y,2) w(z,3)', 'r(x,1) r(z,3)'], [[], [], ['TAP-m']]],
  [
    'a causal conflict with CM',
    ['w(x,1) | w(a,1)', 'w(x,2) | w(b,1)', 'r(a,1) r(x,2)', 'r(b,1) r(x,1)'],
    [[], [], ['TAP-n']],
  ],
];

describe('the fourteen patterns of Table 1', () => {
  test.each(TABLE_1)('%s', (_, sessions, expected) => {
    const found = LEVELS.slice(1).map((level) => patterns(run(history(...sessions), level)));
    expect(found).toEqual(expected);
  });

  test.each(TABLE_1)('%s is certified', (_, sessions) => {
    const source = history(...sessions);
    const { verdict } = run(source, 'causal', {}, { certify: true, findAll: true });
    if (verdict.status !== 'violated') return expect.fail('It is violated.');
    for (const { certificate } of verdict.anomalies) {
      expect(verifyCertificate(source, 'causal', 'violated', certificate!)).toEqual({ ok: true });
    }
  });

  test('only a non-repeatable read breaks cut isolation', () => {
    expect(patterns(run(history('w(x,1)', 'w(x,2)', 'r(x,1) r(x,2)'), 'cut-isolation'))).toEqual(['TAP-j']);
    expect(run(history('r(x,9)', 'r(x,1) w(x,1)'), 'cut-isolation').verdict.status).toBe('satisfied');
  });

  test('two patterns that coexist are both found (Figure 4)', () => {
    const figure4 = history('w(x,2) w(y,2)', 'w(x,4) w(y,4)', 'r(x,2) r(y,4) w(z,3)', 'r(x,4) w(q,1) | r(z,3) r(x,4)');
    expect(patterns(run(figure4, 'causal'))).toContain('TAP-n');
    expect(patterns(run(figure4, 'causal'))).toContain('TAP-l');
  });
});

describe('the anomalies of the mini-transactions paper', () => {
  const [yes, no] = ['satisfied', 'violated'] as const;
  // Levels: cut isolation, read committed, read atomic, causal.
  test.each([
    ['ThinAirRead', ['r(x,9)'], [yes, no, no, no]],
    ['AbortedRead', ['! r(x,0) w(x,1)', 'r(x,1)'], [yes, no, no, no]],
    ['FutureRead', ['r(x,1) w(x,1)'], [yes, no, no, no]],
    ['NotMyLastWrite', ['r(x,0) w(x,1) w(x,2) r(x,1)'], [yes, no, no, no]],
    ['NotMyOwnWrite', ['r(x,0) w(x,1) r(x,0)'], [yes, no, no, no]],
    ['IntermediateRead', ['r(x,0) w(x,1) w(x,2)', 'r(x,1)'], [yes, no, no, no]],
    ['NonRepeatableReads', ['r(x,0) w(x,1)', 'r(x,0) r(x,1)'], [no, yes, no, no]],
    ['NonRepeatableReads, newer first', ['r(x,0) w(x,1)', 'r(x,1) r(x,0)'], [no, yes, no, no]],
    ['SessionGuaranteeViolation', ['r(x,0) w(x,1)', 'r(x,1) w(x,2) | r(x,1)'], [yes, yes, no, no]],
    ['NonMonotonicRead', ['r(x,0) w(x,1)', 'r(x,1) r(y,0) w(x,2) w(y,2)', 'r(y,2) r(x,1)'], [yes, no, no, no]],
    ['FracturedRead', ['r(x,0) r(y,0) w(x,1) w(y,1)', 'r(y,0) r(x,1)'], [yes, yes, no, no]],
    ['FracturedRead, newer first', ['r(x,0) r(y,0) w(x,1) w(y,1)', 'r(x,1) r(y,0)'], [yes, no, no, no]],
    ['CausalityViolation', ['r(x,0) w(x,1)', 'r(x,1) r(y,0) w(y,1)', 'r(x,0) r(y,1)'], [yes, yes, yes, no]],
    ['LongFork', ['r(x,0) w(x,1)', 'r(y,0) w(y,1)', 'r(x,1) r(y,0)', 'r(x,0) r(y,1)'], [yes, yes, yes, yes]],
    ['LostUpdate', ['r(x,0) w(x,1)', 'r(x,0) w(x,2)'], [yes, yes, yes, yes]],
    ['WriteSkew', ['r(x,0) r(y,0) w(x,1)', 'r(x,0) r(y,0) w(y,1)'], [yes, yes, yes, yes]],
    ['a stale read of the initial state in a session', ['w(x,1) | r(x,0)'], [yes, yes, no, no]],
    ['read committed against the pseudo-code', ['w(x,1) w(y,1)', 'r(y,0) r(x,1)'], [yes, yes, no, no]],
  ])('%s', (_, sessions, expected) => {
    expect(LEVELS.map((level) => run(history(...sessions), level).verdict.status)).toEqual(expected);
  });
});

describe('the published tool', () => {
  const asPublished = { asPublished: true, order: 'round-robin', writers: 'all' } as const;
  const at = (level: (typeof LEVELS)[number], ...sessions: readonly string[]): string =>
    run(history(...sessions), level, asPublished).verdict.status;

  test('read committed stops before the commit order', () => {
    expect(at('read-committed', 'w(x,1) | w(x,2) w(y,2)', 'r(y,2) r(x,1)')).toBe('satisfied');
    expect(at('read-committed', 'w(x,1) w(y,1)', 'r(x,1) r(y,0)')).toBe('violated');
    expect(at('read-committed', 'r(x,1) w(y,1)', 'r(y,1) w(x,1)')).toBe('violated');
  });

  test('a session that misses its own write for the initial state is read atomic', () => {
    expect(at('read-atomic', 'w(x,1) | r(x,0)')).toBe('satisfied');
    expect(patterns(run(history('w(x,1) | r(x,0)'), 'causal', asPublished))).toEqual(['TAP-m']);
  });

  test('read atomic accepts no order that only the commit order of causal consistency orders', () => {
    const sessions = ['w(x,1) w(a,1)', 'w(x,2) w(y,2)', 'r(x,1) r(y,2)', 'r(a,1) w(c,1)', 'r(c,1) r(x,2)'];
    expect(run(history(...sessions), 'read-atomic').verdict.status).toBe('satisfied');
    expect(at('read-atomic', ...sessions)).toBe('violated');
  });
});
