import { type LevelName, certificateFile } from '@isolab/contract';
import { parseNotation } from '@isolab/formats';
import { type History, NO_TIME } from '@isolab/history';
import { describe, expect, test } from 'vitest';
import { type Allowances, verifyCertificateFile, verifyEvidence } from '../src/index.ts';
import { commits, events, internal } from './support/certificates.ts';

/** Outcome of a certificate of `satisfied`, in a line. */
function resultOf(history: History, level: string, certificate: unknown, allowed: Allowances = {}): string {
  const evidence = { certificate } as Parameters<typeof verifyEvidence>[3];
  const verification = verifyEvidence(history, level as LevelName, 'satisfied', evidence, allowed);
  return verification.ok ? 'accepted' : `${verification.result}: ${verification.problem}`;
}

const cutOff = (history: History): History => ({
  ...history,
  source: { ...history.source, notes: { cutOffAfterLine: 7 } },
});

describe('an aggregate whose rows the certificate does not state', () => {
  const LEVELS = ['cut-isolation', 'read-committed-pl2', 'read-committed', 'read-atomic', 'causal'] as const;
  const BY_AXIOMS = [
    'prefix',
    'snapshot-isolation',
    'plain-prefix',
    'strong-prefix',
    'parallel-snapshot-isolation',
  ] as const;
  const forged = (level: string) => (level === 'cut-isolation' ? { kind: 'inspection' } : commits(0, 1));

  test.each([...LEVELS, ...BY_AXIOMS])(
    'an aggregate without stated rows is refused at %s if no rows give its result',
    (level) => {
      for (const operation of ['count(a, true, 7)', 'sum(a, true, b, 7)', 'max(a, true, b, 7)']) {
        const history = parseNotation(`initial nil a/1={b: 1}\nput(a/2, {b: 4})\n${operation}`);
        expect(resultOf(history, level, forged(level))).toMatch(
          /^rejected: no rows give the (count|sum|max) of operation 1/,
        );
      }
    },
  );

  test.each([...LEVELS, ...BY_AXIOMS])(
    'an aggregate without stated rows is not checked at %s if some rows may give its result',
    (level) => {
      const history = parseNotation(
        'initial nil a/1={b: 1.5}\n! put(a/2, {b: 3.5})\nw(x,1)\nsum(a, true, b, 5) count(a, true, 1)',
      );
      const certificate = level === 'cut-isolation' ? { kind: 'inspection' } : commits(1, 2);
      expect(resultOf(history, level, certificate)).toContain(
        'not checked: the sum of operation 2 and 1 other aggregate: the certificate does not state their rows',
      );
    },
  );

  test('an aggregate without stated rows is checked along an order that states the visible versions of its transaction', () => {
    const history = parseNotation('initial nil a/1={b: 1.5}\nput(a/2, {b: 3.5})\nsum(a, true, b, 5)');
    expect(resultOf(history, 'serializable', commits(0, 1))).toBe('accepted');
    expect(resultOf(history, 'snapshot-isolation', events('b0 c0 b1 c1'))).toBe('accepted');
    expect(resultOf(history, 'serializable', commits(1, 0))).toContain('it is 1.5');
  });

  test('an aggregate without stated rows does not count if its transaction did not happen', () => {
    const history = parseNotation(
      'initial nil a/1={b: 1.5}\nput(a/2, {b: 3.5})\n? sum(a, true, b, 5)\nmax(a, true, b, 1.5)',
    );
    expect(resultOf(history, 'causal', commits(0, 2))).toBe('accepted');
    expect(resultOf(history, 'causal', commits(0, 1, 2))).toContain('the sum of operation 1');
    expect(resultOf(history, 'cut-isolation', { kind: 'inspection' })).toBe('accepted');
  });
});

describe('a certificate that states the rows of an aggregate', () => {
  // The sum reads the row 1 with 40.5 (operation 8), with 50.5 (9) and with anything (10), and the row 2 with 50.5 (11), 60.5 (12)
  // and anything (13).
  const history = (sum: number | string): History =>
    parseNotation(`initial nil a/1={b: 50.5} a/2={b: 50.5}
      put(a/1, {b: 40.5}) put(a/2, {b: 60.5})
      sum(a, true, b, ${sum})`);
  const stating = (...reads: unknown[]) => ({ ...commits(0, 1), rows: [[2, reads]] });
  const at = (level: string, sum: number | string, ...reads: unknown[]): string =>
    resultOf(history(sum), level, stating(...reads));

  test('a certificate that states the rows of an aggregate is accepted if the level allows these reads, and refused if it does not', () => {
    expect(at('read-committed', 101, [8, true], [12, true])).toBe('accepted');
    expect(at('causal', 101, [8, true], [12, true])).toBe('accepted');
    expect(at('causal', 101, [9, true], [11, true])).toBe('accepted');
    expect(at('read-committed', 111, [9, true], [12, true])).toBe('accepted');
    expect(at('read-atomic', 111, [9, true], [12, true])).toContain('the order does not put transaction 0 before');
    expect(at('cut-isolation', 91, [8, true], [11, true])).toBe('accepted');
    expect(
      resultOf(history(91), 'cut-isolation', {
        kind: 'inspection',
        rows: [
          [
            2,
            [
              [8, true],
              [11, true],
            ],
          ],
        ],
      }),
    ).toBe('accepted');
    expect(at('parallel-snapshot-isolation', 101, [8, true], [12, true])).toBe('accepted');
    expect(at('snapshot-isolation', 101, [8, true], [12, true])).toBe('accepted');
    expect(at('snapshot-isolation', 91, [8, true], [11, true])).toMatch(/^rejected/);
    expect(at('serializable', 101, [8, true], [12, true])).toBe('accepted');
    expect(at('serializable', 111, [9, true], [12, true])).toMatch(/^rejected/);
  });

  test.each<[string, unknown[], string]>([
    [
      'other rows',
      [
        [8, true],
        [11, true],
      ],
      'the sum of operation 2 is 101, but its stated rows have another result',
    ],
    ['a row less', [[8, true]], 'the certificate does not state the contribution of a row to the sum of operation 2'],
    [
      'that a row did not match, which it did',
      [
        [8, true],
        [13, false],
      ],
      'the sum of operation 2 is 101',
    ],
    [
      'what says too little',
      [
        [8, true],
        [13, true],
      ],
      'the certificate does not state the contribution of a row to the sum',
    ],
    [
      'a row twice',
      [
        [8, true],
        [9, false],
        [12, true],
      ],
      'several reads state what operation 2 saw of one row',
    ],
    [
      'a read twice',
      [
        [8, true],
        [8, true],
        [12, true],
      ],
      'several reads state what operation 2 saw of one row',
    ],
    ['a read of something else', [[1, true]], 'operation 1 is not a read of a row that the aggregate of operation 2'],
    ['no operation', [[14, true]], 'the read of a row is 14, expected an integer from 0 to 13'],
    ['no word', [[8, 1]], 'whether operation 8 matched is 1'],
    ['no pair', [8], 'a read of a row by operation 2 is 8, expected a list'],
  ])('a certificate that states the rows of an aggregate is refused with %s', (_, reads, problem) => {
    // Cut isolation minds none of these reads by themselves.
    const certificate = { kind: 'inspection', rows: [[2, reads]] };
    expect(resultOf(history(101), 'cut-isolation', certificate)).toContain(problem);
  });

  test.each<[string, unknown, string]>([
    ['no list', {}, 'the field rows is a value of type object, expected a list'],
    ['no pairs', [2], 'entry 1 of the rows is 2, expected a list'],
    ['a write', [[0, []]], 'operation 0 of the history is not a scan'],
    ['no reads', [[2]], 'the reads of entry 1 of the rows is undefined, expected a list'],
    [
      'an aggregate twice',
      [
        [
          2,
          [
            [8, true],
            [12, true],
          ],
        ],
        [2, []],
      ],
      'the rows of operation 2 are listed twice',
    ],
  ])('a certificate that states the rows of an aggregate is refused with rows that are %s', (_, rows, problem) => {
    expect(resultOf(history(101), 'read-committed', { ...commits(0, 1), rows })).toContain(problem);
  });

  test('a certificate that states the rows of an aggregate leaves other aggregates unchecked', () => {
    const two = parseNotation(
      `initial nil a/1={b: 50.5}\nput(a/2, {b: 60.5})\nsum(a, true, b, 111) count(a, b > 0, 1)`,
    );
    expect(resultOf(two, 'causal', { ...commits(0, 1), rows: [] })).toContain('operation 1 and 1 other aggregate');
    // The sum reads 50.5 (operation 3) or anything (4) of row 1, and 60.5 (5) or anything (6) of row 2.
    const stated = {
      ...commits(0, 1),
      rows: [
        [
          1,
          [
            [3, true],
            [5, true],
          ],
        ],
      ],
    };
    expect(resultOf(two, 'causal', stated)).toBe(
      'accepted in part: not checked: the count of operation 2: the certificate does not state their rows',
    );
  });

  test('a certificate that states the rows of an aggregate names the row of a minimum or maximum', () => {
    const greatest = parseNotation('initial nil a/1={b: 5}\nput(a/2, {b: 5})\nmax(a, true, b, 5)');
    // The rows 1 and 2 with 5 are operations 2 and 3.
    const held = (...reads: unknown[]) =>
      resultOf(greatest, 'cut-isolation', { kind: 'inspection', rows: [[1, reads]] });
    expect(held([2, true])).toBe('accepted');
    expect(held([3, true])).toBe('accepted');
    expect(held()).toContain('the certificate does not state which row held the max of operation 1');
    expect(held([2, false])).toContain('the certificate does not state which row held the max of operation 1');
  });
});

describe('a level of real time', () => {
  const timed = parseNotation('w(x,1) @1-2\nr(x,1) @3-4');
  const untimed = parseNotation('w(x,1)\nr(x,1)');
  const half = { ...timed, txnBegin: timed.txnBegin!.map(() => NO_TIME) };

  test.each([
    ['strict-serializable', commits(0, 1)],
    ['linearizable', commits(0, 1)],
    ['strong-snapshot-isolation', events('b0 c0 b1 c1')],
    ['strong-session-snapshot-isolation', events('b0 c0 b1 c1')],
    ['generalized-snapshot-isolation', events('b0 c0 b1 c1')],
    ['regular-sequential-serializable', commits(0, 1)],
    ['strong-prefix', commits(0, 1)],
  ] as const)('%s needs times', (level, certificate) => {
    const why = 'accepted in part: not checked: real time: no two transactions have comparable times';
    expect(resultOf(timed, level, certificate)).toBe('accepted');
    expect(resultOf(untimed, level, certificate)).toBe(why);
    expect(resultOf(untimed, level, certificate, { vacuous: true })).toBe('accepted');
    expect(resultOf(half, level, certificate)).toBe(why);
  });

  test('only a level of real time needs times', () => {
    expect(resultOf(untimed, 'serializable', commits(0, 1))).toBe('accepted');
    expect(resultOf(untimed, 'monotonic-reads', commits(0, 1))).toBe('accepted');
  });
});

test('no level is accepted for a history that was cut off, unless that is allowed', () => {
  const history = cutOff(parseNotation('w(x,1)\nr(x,1)'));
  const why = 'accepted in part: not checked: the missing part, because the history was cut off after line 7';
  expect(resultOf(history, 'serializable', commits(0, 1))).toBe(why);
  expect(resultOf(history, 'causal', commits(0, 1), { cutOff: true })).toBe('accepted');
  const violated = cutOff(parseNotation('r(x,7)'));
  expect(verifyEvidence(violated, 'causal', 'violated', { certificate: internal('thin-air-read', 0) }).ok).toBe(true);
});

test('a contradiction to timestamps proves nothing unless they are trusted', () => {
  const stamps = { txnStartTs: BigInt64Array.of(1n, 3n), txnCommitTs: BigInt64Array.of(2n, 4n) };
  const history: History = { ...parseNotation('w(x,1)\nr(x,0)'), ...stamps };
  const certificate = { kind: 'timestamps', axiom: 'EXT', read: 1, at: 'start' } as const;
  const verify = (allowed: Allowances = {}) =>
    verifyEvidence(history, 'snapshot-isolation', 'violated', { certificate }, allowed);
  expect(verify()).toMatchObject({
    ok: false,
    result: 'accepted in part',
    problem: 'not checked: whether the timestamps that the database states are right',
  });
  expect(verify({ timestamps: true })).toMatchObject({ ok: true });
  // Both verdicts are never accepted: the reads alone satisfy the level.
  expect(resultOf(history, 'snapshot-isolation', events('b1 c1 b0 c0'))).toBe('accepted');
});

describe('a failed compare-and-set at linearizability', () => {
  const history = parseNotation('w(x,1) @1-2\ncas!(x,1,8) @3-4\nw(x,2) @5-6');
  const overlapping = parseNotation('w(x,1) @1-2\ncas!(x,1,8) @3-6\nw(x,2) @4-7');

  test('a failed compare-and-set finds an unexpected value in the order', () => {
    expect(resultOf(history, 'linearizable', commits(0, 1, 2))).toContain(
      'failed, but finds its expected value in the order',
    );
    expect(resultOf(overlapping, 'linearizable', commits(0, 2, 1))).toBe('accepted');
    expect(resultOf(overlapping, 'linearizable', commits(0, 1, 2))).toMatch(/^rejected/);
  });

  test('a failed compare-and-set respects real time like other operations of its key', () => {
    expect(resultOf(history, 'linearizable', commits(1, 0, 2))).toContain('returned before the former was called');
    expect(resultOf(history, 'linearizable', commits(0, 2, 1))).toContain('returned before the former was called');
  });

  test('a failed compare-and-set is left out at all other levels', () => {
    expect(resultOf(history, 'strict-serializable', commits(0, 1, 2))).toBe('accepted');
  });

  test('a failed compare-and-set counts only if its transaction happened', () => {
    const open = parseNotation('w(x,1) @1-2\nr(x,1) @3-4\n? cas!(x,1,8) @3-');
    expect(resultOf(open, 'linearizable', commits(0, 1))).toBe('accepted');
    expect(resultOf(open, 'linearizable', commits(0, 1, 2))).toMatch(/^rejected/);
  });
});

describe('a certificate file', () => {
  const history = parseNotation('w(x,1)\nr(x,1)');
  const file = certificateFile(history, {
    level: 'snapshot-isolation',
    checker: 'by-hand',
    verdict: 'satisfied',
    certificate: events('b0 c0 b1 c1'),
  });

  test('a certificate file lists the checks', () => {
    expect(verifyCertificateFile(history, file)).toEqual({
      ok: true,
      result: 'accepted',
      checked: [
        { what: 'reads', count: 1, text: '1 read' },
        { what: 'sessions', count: 2, text: 'the order of 2 sessions' },
        { what: 'completeness', count: 1, text: 'that the history was not cut off' },
      ],
    });
  });

  test('a certificate file names its level, not an alias', () => {
    expect(verifyCertificateFile(history, { ...file, level: 'si' })).toMatchObject({
      result: 'rejected',
      problem: 'the level is "si", expected its name, "snapshot-isolation"',
    });
  });
});
