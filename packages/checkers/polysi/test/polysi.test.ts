import { verifyCertificate } from '@isolab/verifier';
import { arbitraryHistory, h, parseHistory } from '@isolab/testkit';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anomaly, run } from './support/run.ts';

const longFork = h`
  w(x,1) w(y,1)
  w(x,2) | w(x,3)
  w(y,2)
  r(x,2) r(y,1)
  r(x,1) r(y,2)`;

const lostUpdate = h`
  w(x,1)
  r(x,1) w(x,2)
  r(x,1) w(x,3)`;

describe('polysi', () => {
  test.each([
    ['a lost update', lostUpdate, ['lost-update', 0, 1, 2]],
    ['a long fork (figure 3)', longFork, ['G-nonadjacent']],
    [
      'a causality violation (example 1)',
      h`
      w(x,1)
      r(x,1) w(y,1)
      r(y,1) r(x,0)`,
      ['causality-violation'],
    ],
    [
      'a stale session',
      h`
      w(x,1) | w(x,2) | r(x,1)`,
      ['causality-violation'],
    ],
    [
      'a fractured read',
      h`
      w(x,1) w(y,1)
      r(x,1) r(y,0)`,
      ['fractured-read'],
    ],
    [
      'a cycle of session order and read-from',
      h`
      r(x,1) | w(y,1)
      r(y,1) | w(x,1)`,
      ['G1c'],
    ],
    [
      'write skew',
      h`
      r(x,0) r(y,0) w(x,1)
      r(x,0) r(y,0) w(y,1)`,
      null,
    ],
  ])('polysi judges %s', (_, history, expected) => {
    const found = anomaly(run(history));
    expect(found?.slice(0, expected?.length) ?? null).toEqual(expected);
  });

  test('polysi names its stages as figure 9 does', () => {
    const { stages } = run(lostUpdate, { prune: false }, { certify: true });
    expect(stages).toEqual(['construct', 'prune', 'encode', 'solve', 'interpret', 'certify']);
  });

  test('polysi takes vectors of sessions where rows of bits do not fit', () => {
    const numTxns = 200_000;
    const text = Array.from({ length: 4 }, (_, s) =>
      Array.from({ length: numTxns / 4 }, (__, t) => `w(x${s * numTxns + t},1)`).join(' | '),
    ).join('\n');
    const { verdict, counters } = run(parseHistory(text));
    expect(verdict.status).toBe('satisfied');
    expect(counters).toMatchObject({ sessionVectors: 1 });
  });

  test('polysi counts as Table 3 does', () => {
    expect(run(longFork).counters).toMatchObject({
      constraintsBefore: 8,
      unknownDependenciesBefore: 28,
      constraintsAfter: 1,
    });
  });

  test('polysi encodes nothing where pruning settles everything', () => {
    const { stages, verdict } = run(h`
      w(x,1) | r(x,1) w(x,2)
      r(x,2) w(x,3)`);
    expect(verdict.status).toBe('satisfied');
    expect(stages).toEqual(['construct', 'prune']);
  });

  test('polysi without pruning leaves everything to the solver', () => {
    const { counters } = run(lostUpdate, { prune: false });
    expect(counters).toMatchObject({ rounds: 0, constraintsAfter: 3 });
    expect(counters['conflicts']).toBeGreaterThan(0);
  });

  test('polysi materialises composed edges only on request', () => {
    const edges = (encoding: 'layers' | 'induced'): number =>
      run(longFork, { encoding, prune: false }).counters['edges']!;
    expect(edges('layers')).not.toBe(edges('induced'));
  });

  test('polysi overlooks stale reads of initial states as the artifact does', () => {
    const stale = h`
      w(x,1) | r(x,0)`;
    expect(run(stale).verdict.status).toBe('violated');
    expect(run(stale, { initial: 'writer' }).verdict.status).toBe('satisfied');
  });

  test.each([
    ['cycle', lostUpdate],
    [
      'cases',
      h`
      r(z,0) w(x,1)
      w(z,1)
      r(z,1) w(x,2) | w(y,1)
      r(y,1) r(x,1)`,
    ],
    [
      'proof',
      h`
      r(z,0) | r(z,0) w(x,1) | w(y,2)
      r(z,0) w(x,2)
      w(z,1) | w(y,1) r(y,1) | w(y,3) r(z,3)
      r(y,0) w(z,2) | r(z,2) w(z,3)
      r(z,2) r(x,0)`,
    ],
  ])('polysi certifies a violation by a %s', (kind, history) => {
    for (const options of [{}, { prune: false }, { compact: false }, { encoding: 'induced' as const }]) {
      const { verdict } = run(history, options, { certify: true });
      if (verdict.status !== 'violated') throw new Error(`got ${verdict.status}`);
      const certificate = verdict.anomalies[0]!.certificate!;
      expect(verifyCertificate(history, 'snapshot-isolation', 'violated', certificate)).toEqual({ ok: true });
      if (options.prune !== false) expect(certificate.kind).toBe(kind);
    }
  });

  test('polysi certifies violations of larger histories', () => {
    let seen = 0;
    const bounds = { transactions: 14, atLeast: 10, sessions: 7, operations: 2, stores: ['causal'] as const };
    fc.assert(
      fc.property(arbitraryHistory(bounds), fc.boolean(), (history, prune) => {
        const { verdict } = run(history, { search: 0, prune }, { certify: true });
        if (verdict.status !== 'violated') return;
        seen++;
        const { certificate } = verdict.anomalies[0]!;
        expect(verifyCertificate(history, 'snapshot-isolation', 'violated', certificate!)).toEqual({ ok: true });
      }),
      { numRuns: 200, seed: 1 },
    );
    expect(seen).toBeGreaterThan(50);
  });

  test('polysi gives the same verdict with every option', () => {
    const bounds = {
      transactions: 14,
      atLeast: 10,
      sessions: 7,
      operations: 3,
      stores: ['prefix', 'snapshot-isolation'] as const,
    };
    fc.assert(
      fc.property(arbitraryHistory(bounds), (history) => {
        const expected = run(history, { search: 0 }).verdict.status;
        for (const options of [
          { prune: false },
          { compact: false },
          { stop: 'artifact' as const },
          { seed: 3 },
          { encoding: 'induced' as const },
        ])
          expect(run(history, { search: 0, ...options }).verdict.status).toBe(expected);
      }),
      { numRuns: 150, seed: 1 },
    );
  });
});

describe('PolySI-List', () => {
  test.each([
    [
      'two orders',
      h`
      a(x,1)
      a(x,2)
      r(x,[1 2])
      r(x,[2 1])`,
      'incompatible-order',
    ],
    [
      'a list without its beginning',
      h`
      a(x,1)
      a(x,2)
      r(x,[1])
      r(x,[2])`,
      'incompatible-order',
    ],
    [
      'an element twice',
      h`
      a(x,1)
      r(x,[1 1])`,
      'duplicate-elements',
    ],
    [
      'a transaction torn apart',
      h`
      a(x,1) a(x,3)
      a(x,2)
      r(x,[1 2 3])`,
      'incompatible-order',
    ],
    [
      'a lost update',
      h`
      a(x,1)
      r(x,[1]) a(x,2)
      r(x,[1]) a(x,3)
      r(x,[1 2 3])`,
      'lost-update',
    ],
    [
      'a long fork',
      h`
      a(x,1)
      a(y,1)
      r(x,[1]) r(y,[])
      r(x,[]) r(y,[1])`,
      'G-nonadjacent',
    ],
    [
      'unobserved appends',
      h`
      r(x,[]) a(x,1)
      r(x,[]) a(x,2)`,
      'lost-update',
    ],
    [
      'prefixes',
      h`
      a(x,1)
      r(x,[1]) a(x,2)
      r(x,[1 2]) a(x,3)
      r(x,[])`,
      null,
    ],
  ])('PolySI-List judges %s', (_, history, name) => {
    for (const options of [{}, { prune: false }, { compact: false, prune: false }, { encoding: 'induced' as const }])
      expect(anomaly(run(history, options))?.[0] ?? null).toBe(name);
  });

  test('PolySI-List reports every conflict if asked to', () => {
    const { verdict } = run(
      h`
      a(x,1) a(y,1)
      a(x,2) a(y,2)
      r(x,[1 2]) r(y,[1 2])
      r(x,[2 1]) r(y,[2 1])`,
      {},
      { findAll: true },
    );
    expect(verdict).toMatchObject({ anomalies: [{ name: 'incompatible-order' }, { name: 'incompatible-order' }] });
  });

  test('PolySI-List has constraints only for unread appends', () => {
    const { counters } = run(h`
      a(x,1) | a(x,2) | a(x,3)
      a(x,4)
      r(x,[1 2])`);
    expect(counters['constraintsBefore']).toBe(1);
  });
});

test.each([
  ['nobody', ''],
  ['an aborted transaction', '!a(y,2)\n'],
])('beside a list that shows elements of %s, no other anomaly rests on that', (_, aborted) => {
  const source = parseHistory(`${aborted}a(y,0) | r(y,[2])
    a(y,3) | r(y,[2 3])
    r(y,[])`);
  const { verdict } = run(source, {}, { certify: true, findAll: true });
  if (verdict.status !== 'violated') throw new Error(verdict.status);
  for (const { certificate } of verdict.anomalies)
    expect(verifyCertificate(source, 'snapshot-isolation', 'violated', certificate!)).toEqual({ ok: true });
});
