import { describe, expect, test } from 'vitest';
import { type LevelName, certificateFile } from '@isolab/contract';
import { parseNotation } from '@isolab/formats';
import { verifyCertificateFile } from '../src/index.ts';
import { commits } from './support/certificates.ts';
import { h } from './support/notation.ts';

const history = h`cas(x,0,1)
  cas(x,1,2)`;
const file = certificateFile(history, {
  level: 'serializable',
  checker: 'by-hand',
  verdict: 'satisfied',
  certificate: commits(0, 1),
});

describe('a certificate file', () => {
  test('a certificate file for a lowered history is accepted, also after a round trip through JSON', () => {
    expect(verifyCertificateFile(history, file)).toMatchObject({ ok: true });
    expect(verifyCertificateFile(history, JSON.parse(JSON.stringify(file)))).toMatchObject({ ok: true });
    expect(file.history).toEqual({ transactions: 2, operations: 2 });
  });

  test.each<[string, unknown, string]>([
    ['null', null, 'the file is null, expected an object'],
    ['a list', [file], 'the file is a list, expected an object'],
    ['a text', 'certificate', 'the file is "certificate", expected an object'],
    ['another file', { ...file, isolab: 'history' }, 'the field isolab is "history", expected "certificate"'],
    ['another version', { ...file, version: 2 }, 'the version is 2, expected 1'],
    ['a version as a text', { ...file, version: '1' }, 'the version is "1", expected 1'],
    [
      'no level',
      { ...file, level: undefined },
      'undefined is not a known level; for a user-defined level, name its file with --level',
    ],
    [
      'a level that is none',
      { ...file, level: '__proto__' },
      '"__proto__" is not a known level; for a user-defined level, name its file with --level',
    ],
    ['no checker', { ...file, checker: 7 }, 'the checker is 7, expected a name'],
    ['no verdict', { ...file, verdict: 'unknown' }, 'the verdict is "unknown", expected "satisfied" or "violated"'],
    ['no counts', { ...file, history: 2 }, 'the field history is 2, expected an object'],
    [
      'a count as a text',
      { ...file, history: { transactions: '2', operations: 2 } },
      'the number of transactions is "2", expected an integer from 0 to 9007199254740990',
    ],
    [
      'another history',
      { ...file, history: { transactions: 3, operations: 2 } },
      'the certificate belongs to a history of 3 transactions, but this history has 2',
    ],
    [
      'a history of other operations',
      { ...file, history: { transactions: 2, operations: 4 } },
      'the certificate belongs to a history of 4 operations, but this history has 2',
    ],
    ['no certificate', { ...file, certificate: 'none' }, 'the certificate is "none", expected an object'],
    [
      'a wrong certificate',
      { ...file, certificate: commits(1, 0) },
      'operation 2 of transaction 1 does not see the value of the initial transaction, the latest writer of its key in the order',
    ],
    [
      'the other verdict',
      { ...file, verdict: 'violated' },
      'the certificate is of kind "commit-order", which is not evidence of a violation',
    ],
  ])('a certificate file is rejected: %s', (_, json, problem) => {
    expect(verifyCertificateFile(history, json)).toMatchObject({ ok: false, problem });
  });
});

describe('an order of a history with counts and sums', () => {
  const T1 = 'put(a/1, {g: 1, n: 5}) put(a/2, {g: 2, n: 7}) put(a/3, {g: 1}) put(a/5, {g: 2, n: 7})';
  const T2 = 'put(a/2, nil) put(a/5, nil) put(a/4, {g: 1, n: -2.5})';
  const orderOf = (level: LevelName, first: number, second: number, third: number) =>
    level === 'serializable'
      ? commits(first, second, third)
      : ({ kind: 'event-order', events: [first, second, third].flatMap((t) => [2 * t, 2 * t + 1]) } as const);

  // The third transaction sees the rows between the others, and not after them.
  test.each([
    ['count(a, n is null, 1)', null],
    ['count(a, true, 4)', 'is 4, but in the order it is 3'],
    ['count(a, n < 6, 1)', '1, but in the order it is 2'],
    ['sum(a, g in (1, 2), n, 19)', '19, but in the order it is 2.5'],
    ['max(a, true, n, 7)', '7, but in the order it is 5'],
    ['min(a, n > 5, n, 7)', '7, but in the order it is null'],
    ['put(a/9, {g: 1}) count(a, g = 1, 3)', '3, but in the order it is 4'],
    ['put(a/1, nil) count(a, g = 1, 1)', '1, but in the order it is 2'],
  ])('%s', (operations, problem) => {
    const counted = parseNotation(`${T1}\n${T2}\n${operations}`);
    for (const level of ['serializable', 'snapshot-isolation'] as const) {
      const verify = (first: number, second: number, third: number) =>
        verifyCertificateFile(
          counted,
          certificateFile(counted, {
            level,
            checker: 'by-hand',
            verdict: 'satisfied',
            certificate: orderOf(level, first, second, third),
          }),
        );
      expect([operations, verify(0, 2, 1)]).toMatchObject([operations, { ok: true }]);
      if (problem === null) expect(verify(0, 1, 2)).toMatchObject({ ok: true });
      else expect(verify(0, 1, 2)).toMatchObject({ ok: false, problem: expect.stringContaining(problem) });
    }
  });
});

test('no order makes scans linearizable, because a scan reads many rows', () => {
  const scanned = parseNotation('get(t/1, nil) @1-2 | scan(t, true, {}) @3-4');
  const claim = certificateFile(scanned, {
    level: 'linearizable',
    checker: 'by-hand',
    verdict: 'satisfied',
    certificate: commits(0, 1),
  });
  expect(verifyCertificateFile(scanned, claim)).toMatchObject({
    ok: false,
    problem: 'scans read many rows, but linearizable is about operations on one key',
  });
});

describe('a certificate that names the rows which scans passed over', () => {
  const seen = parseNotation(`initial nil a/1={on: false} b/1={on: true}
scan(a, on = true, {}) put(a/1, {on: true})
get(a/1, {on: true}) scan(a, on = true, {})`);
  // T2 sees the row that T1 wrote, and that it does not match, which was so before.
  const edges = [
    { from: 0, to: 1, reason: { kind: 'read-from', read: 2 } },
    {
      from: 1,
      to: 0,
      reason: { kind: 'overwrites', read: 3, write: 1, order: [{ from: -1, to: 0, reason: { kind: 'initial' } }] },
    },
  ] as const;
  const named = {
    ...certificateFile(seen, {
      level: 'serializable',
      checker: 'by-hand',
      verdict: 'violated',
      certificate: { kind: 'cycle', edges },
    }),
    passedOver: [[3, ['a/1']]],
  };

  test('a certificate that names the rows which scans passed over numbers the operations as if scans read only these rows', () => {
    expect(verifyCertificateFile(seen, named)).toMatchObject({ ok: true });
    expect(verifyCertificateFile(seen, { ...named, passedOver: undefined })).toMatchObject({ ok: false });
    expect(verifyCertificateFile(seen, { ...named, passedOver: [] })).toMatchObject({ ok: false });
  });

  test.each<[string, object, string]>([
    ['no list', { passedOver: 3 }, 'the field passedOver is 3, expected a list'],
    [
      'no pair',
      { passedOver: [3] },
      'the field passedOver has 3, expected the number of a scan with a list of names of rows',
    ],
    [
      'no names',
      { passedOver: [[3, [1]]] },
      'the field passedOver has a list, expected the number of a scan with a list of names of rows',
    ],
    [
      'what is no scan',
      { passedOver: [[2, ['a/1']]] },
      'in the field passedOver, operation 2 of the history is not a scan',
    ],
    [
      'no operation',
      { passedOver: [[4.5, ['a/1']]] },
      'in the field passedOver, operation 4.5 of the history is not a scan',
    ],
    [
      'a row that nobody knows',
      { passedOver: [[3, ['a/9']]] },
      'in the field passedOver, "a/9" is not a row of the table that operation 3 scans',
    ],
    [
      'a row of another table',
      { passedOver: [[3, ['b/1']]] },
      'in the field passedOver, "b/1" is not a row of the table that operation 3 scans',
    ],
    [
      'the verdict satisfied',
      { verdict: 'satisfied', certificate: commits(0, 1) },
      'the field passedOver is only for the verdict violated, at a level with built-in rules',
    ],
    [
      'a level of axioms alone',
      { level: 'cursor-stability' },
      'the field passedOver is only for the verdict violated, at a level with built-in rules',
    ],
  ])('a certificate that names the rows which scans passed over is rejected: %s', (_, changes, problem) => {
    expect(verifyCertificateFile(seen, { ...named, ...changes })).toMatchObject({ ok: false, problem });
  });
});
