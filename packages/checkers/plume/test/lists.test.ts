import { verifyCertificate } from '@isolab/verifier';
import { describe, expect, test } from 'vitest';
import { history } from './support/notation.ts';
import { LEVELS, instances, patterns, run } from './support/run.ts';

describe('Plume-List', () => {
  const [yes, no] = ['satisfied', 'violated'] as const;
  // Levels: cut isolation, read committed, read atomic, causal; then the anomalies found at causal.
  test.each([
    ['reads of prefixes', ['a(x,1)', 'a(x,2)', 'l(x)', 'l(x,1)', 'l(x,1,2)'], [yes, yes, yes, yes], []],
    ['two orders', ['a(x,1)', 'a(x,2)', 'l(x,1,2)', 'l(x,2,1)'], [yes, no, no, no], ['G0', 'incompatible-order']],
    ['two first elements', ['a(x,1)', 'a(x,2)', 'l(x,1)', 'l(x,2)'], [yes, no, no, no], ['incompatible-order']],
    ['an element twice', ['a(x,1)', 'a(x,2)', 'l(x,1,1)'], [yes, no, no, no], ['duplicate-elements']],
    ['an element twice, apart', ['a(x,1)', 'a(x,2)', 'l(x,1,2,1)'], [yes, no, no, no], ['G0', 'duplicate-elements']],
    [
      'a transaction torn apart',
      ['a(x,1) a(x,3)', 'a(x,2)', 'l(x,1,2,3)'],
      [yes, no, no, no],
      ['G0', 'incompatible-order'],
    ],
    ['a transaction torn apart, its end unseen', ['a(x,1) a(x,3)', 'a(x,2)', 'l(x,1,2)'], [yes, no, no, no], ['G0']],
    ['a beginning that is missing', ['a(x,1) a(x,2)', 'l(x,2)'], [yes, no, no, no], ['incompatible-order']],
    ['a session against the list', ['a(x,1) | a(x,2)', 'l(x,2,1)'], [yes, no, no, no], ['G0']],
    ['a read against the list', ['a(x,1) a(y,1)', 'l(y,1) a(x,2)', 'l(x,2,1)'], [yes, no, no, no], ['G1c']],
    [
      'two keys against each other',
      ['a(x,1) a(y,1)', 'a(x,2) a(y,2)', 'l(x,1,2)', 'l(y,2,1)'],
      [yes, no, no, no],
      ['G0'],
    ],
    ['own appends', ['a(x,1)', 'l(x,1) a(x,2) l(x,1,2) a(x,3)'], [yes, yes, yes, yes], []],
    ['an own append where it will not stay', ['a(x,1)', 'a(x,2) l(x,2)', 'l(x,1)'], [yes, yes, yes, yes], []],
    ['an own append that the list misses', ['a(x,1)', 'a(x,2) l(x,1)'], [yes, no, no, no], ['TAP-d']],
    [
      'a prefix that an own session has left',
      ['a(x,1)', 'l(x,1) a(x,2) | l(x,1)'],
      [yes, yes, no, no],
      ['TAP-k', 'TAP-k'],
    ],
    ['an append unseen by its own session', ['a(x,1)', 'a(x,2) | l(x,1)'], [yes, yes, no, no], ['TAP-l']],
    ['the initial state after an own append', ['a(x,1) | l(x)'], [yes, yes, no, no], ['TAP-k']],
    ['a non-monotonic read', ['a(x,1)', 'a(x,2) a(y,2)', 'l(y,2) l(x,1)', 'l(x,1,2)'], [yes, no, no, no], ['TAP-i']],
    ['a fractured read', ['a(x,1)', 'a(x,2) a(y,2)', 'l(x,1) l(y,2)', 'l(x,1,2)'], [yes, yes, no, no], ['TAP-l']],
    ['two lengths', ['a(x,1)', 'a(x,2)', 'l(x,1) l(x,1,2)'], [no, yes, no, no], ['TAP-j', 'TAP-n']],
    ['an aborted element', ['!a(x,1)', 'a(x,2)', 'l(x,1,2)'], [yes, no, no, no], ['TAP-b']],
    ['an aborted element twice', ['!a(x,1)', 'l(x,1,1)'], [yes, no, no, no], ['TAP-b', 'duplicate-elements']],
    [
      'a causal violation',
      ['a(x,1)', 'l(x,1) a(x,2) a(z,1)', 'l(z,1) a(y,2)', 'l(y,2) l(x,1)'],
      [yes, yes, yes, no],
      ['TAP-m'],
    ],
    ['a long fork', ['a(x,1)', 'a(y,1)', 'l(x,1) l(y)', 'l(x) l(y,1)'], [yes, yes, yes, yes], []],
  ] as const)('%s', (_, sessions, expected, found) => {
    const verdicts = LEVELS.map((level) => run(history(...sessions), level).verdict.status);
    expect(verdicts).toEqual(expected);
    expect(patterns(run(history(...sessions), 'causal'))).toEqual([...new Set(found)].toSorted());
    for (const level of LEVELS) {
      const { verdict } = run(history(...sessions), level, {}, { certify: true, findAll: true });
      const certificates =
        verdict.status === 'violated'
          ? verdict.anomalies.map(({ certificate }) => certificate)
          : [verdict.status === 'satisfied' ? verdict.certificate : undefined];
      const involved =
        verdict.status === 'violated' ? verdict.anomalies.flatMap(({ transactions }) => transactions) : [];
      expect(involved.filter((t) => !Number.isInteger(t))).toEqual([]);
      for (const certificate of certificates) {
        const verification = verifyCertificate(history(...sessions), level, verdict.status as 'violated', certificate!);
        expect({ level, certificate, verification }).toEqual({ level, certificate, verification: { ok: true } });
      }
    }
  });

  test.each([
    ['shows what its reader appends only later', ['a(x,2) l(x,1) a(x,1)', 'l(y)']],
    ['ends with what its reader appends only later', ['a(x,4) l(x,1,2,3) a(x,3)', 'a(x,1) | l(x,1) a(x,2)']],
    ['shows twice what its reader appended', ['a(x,1) l(x,1,1)']],
    ['shows one half of what its reader appended', ['a(x,1) a(x,2) l(x,3,1)', 'a(x,3)']],
  ] as const)('Plume-List certifies a list that %s', (_, sessions) => {
    for (const level of ['read-committed', 'read-atomic', 'causal'] as const) {
      const { verdict } = run(history(...sessions), level, {}, { certify: true, findAll: true });
      if (verdict.status !== 'violated') throw new Error(`got ${verdict.status}`);
      for (const { certificate } of verdict.anomalies)
        expect(verifyCertificate(history(...sessions), level, 'violated', certificate!)).toEqual({ ok: true });
    }
  });

  test('the versions of a key order the transactions that append', () => {
    const { counters } = run(history('a(x,1)', 'a(x,2)', 'a(x,3)', 'a(x,4)', 'l(x,1,2,3)'), 'causal');
    expect(counters['listEdges']).toBe(3);
  });

  test('every variant finds the same', () => {
    const lists = history('a(x,1) a(y,1)', 'a(x,2) a(y,2) | l(x,1)', 'l(x,1,2)', 'l(y,2,1)', 'l(y,2) l(x,1)');
    const expected = instances(run(lists, 'causal', {}, { findAll: true }));
    expect(expected.length).toBeGreaterThan(2);
    for (const clocks of ['tree', 'vector', 'none'] as const) {
      for (const order of ['topological', 'round-robin'] as const) {
        expect(instances(run(lists, 'causal', { clocks, order }, { findAll: true }))).toEqual(expected);
      }
    }
  });
});
