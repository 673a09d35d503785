import type { AggregatesCertificate, RowCases } from '@isolab/contract';
import { parseNotation } from '@isolab/formats';
import { type History, UNKNOWN_VALUE, toRegisters } from '@isolab/history';
import { describe, expect, test } from 'vitest';
import { verifyCertificate, verifyEvidence } from '../../src/index.ts';
import { cycle, init, internal, rw, wr } from '../support/certificates.ts';

const aggregates = (cases: unknown, ...ops: unknown[]): AggregatesCertificate =>
  ({ kind: 'aggregates', aggregates: ops, cases }) as AggregatesCertificate;
const rows = (...alternatives: unknown[]): RowCases => ({ kind: 'rows', alternatives }) as RowCases;
const when = (read: unknown, matched: unknown, cases: unknown) => ({ read, matched, cases });
const total = (aggregate: number): RowCases => ({ kind: 'total', aggregate });

function problemOf(history: History, certificate: AggregatesCertificate): string | null {
  const result = verifyEvidence(history, 'serializable', 'violated', { certificate });
  return result.ok ? null : result.problem;
}

describe('a sum', () => {
  // A sum of fractions states nothing by itself. Lowered: 0 to 3 write row 1 and its items, of 40.5, 50.5 and anything; 4 to 7 row 2, of 50.5, 60.5 and anything. The sum reads
  // those of row 1 with 8, 9 and 10, and those of row 2 with 11, 12 and 13.
  const history = parseNotation(`initial nil a/1={b: 50.5} a/2={b: 50.5}
    put(a/1, {b: 40.5}) put(a/2, {b: 60.5})
    sum(a, true, b, 91)`);
  const half = cycle(wr(0, 1, 8), rw(1, 0, 11, 5, init(0)));
  const second = [when(11, true, half), when(12, true, total(2)), when(13, false, total(2))] as const;
  const first = [when(8, true, rows(...second)), when(9, true, total(2)), when(10, false, total(2))] as const;
  const certificate = aggregates(rows(...first), 2);

  test('a sum is accepted as evidence where each alternative is refuted', () => {
    expect(problemOf(history, certificate)).toBeNull();
    expect(problemOf(history, aggregates(rows(...first.toReversed()), 2))).toBeNull();
  });

  test('a sum needs the history with its scans', () => {
    const { history: lowered } = toRegisters(history);
    expect(verifyCertificate(lowered, 'serializable', 'violated', certificate)).toEqual({
      ok: false,
      problem: 'a certificate about aggregates needs the history with its scans',
    });
    expect(problemOf(lowered, aggregates(rows(...first), 1))).toBe('operation 1 of the history is not a scan');
  });

  test.each<[string, AggregatesCertificate, string]>([
    ['nothing', aggregates(null, 2), 'the case is null, expected an object'],
    ['no list', { ...certificate, aggregates: null as never }, 'the list of aggregates is null, expected a list'],
    ['a write', aggregates(rows(...first), 0), 'operation 0 of the history is not a scan'],
    ['beyond the end', aggregates(rows(...first), 3), 'aggregate 1 is 3, expected an integer from 0 to 2'],
    ['no alternative', aggregates(rows(), 2), 'there are no alternatives'],
    ['no total', aggregates(total(2), 2), 'the sum of operation 2 of the history may be 91, with the assumed rows'],
    ['a total of another', aggregates(total(0), 2), 'operation 0 is not in the list of aggregates'],
    ['a total not listed', aggregates(total(2)), 'operation 2 is not in the list of aggregates'],
    [
      'a version left out',
      aggregates(rows(first[0], first[2]), 2),
      'the alternatives leave out a version of the row of operation 8',
    ],
    [
      'absence left out',
      aggregates(rows(first[0], first[1]), 2),
      'the alternatives leave out a version of the row of operation 8',
    ],
    [
      'alternatives of two rows',
      aggregates(rows(first[0], first[1], when(13, false, total(2))), 2),
      'the alternatives leave out a version of the row of operation 8',
    ],
    [
      'a read of something else',
      aggregates(rows(when(1, true, total(2))), 2),
      'operation 1 is not a read of a row that an aggregate in the list may include',
    ],
    [
      'no word',
      aggregates(rows(when(8, 'yes', total(2))), 2),
      'whether operation 8 matched is "yes", expected true or false',
    ],
    [
      'a total that can be',
      aggregates(rows(when(8, true, total(2)), first[1], first[2]), 2),
      'in the case that operation 8 matches: the sum of operation 2 of the history may be 91, with the assumed rows',
    ],
    [
      'the same twice',
      aggregates(rows(when(8, true, rows(...first)), first[1], first[2]), 2),
      'in the case that operation 8 matches: operation 8 is assumed twice',
    ],
    [
      'a contradiction that rests on another case',
      aggregates(rows(when(8, true, half), first[1], first[2]), 2),
      'in the case that operation 8 matches: edge 2, from transaction 1 to transaction 0: operation 11 reads from no transaction',
    ],
    [
      'one in another',
      aggregates(rows(when(8, true, certificate), first[1], first[2]), 2),
      'in the case that operation 8 matches: a certificate about aggregates needs the history with its scans',
    ],
    [
      'timestamps',
      aggregates(rows(when(8, true, { kind: 'timestamps', axiom: 'ORDER', transaction: 0 }), first[1], first[2]), 2),
      'in the case that operation 8 matches: timestamps cannot refute a case of an aggregate',
    ],
  ])('a sum is rejected: %s', (_, forged, problem) => {
    expect(problemOf(history, forged)).toBe(problem);
  });

  test('a sum of a transaction that need not have happened is no evidence', () => {
    const open = parseNotation(`initial nil a/1={b: 50} a/2={b: 50}
      put(a/1, {b: 40}) put(a/2, {b: 60})
      ?sum(a, true, b, 7)`);
    expect(problemOf(open, aggregates(total(2), 2))).toBe('transaction 1, of operation 2, need not have happened');
  });

  test('a sum of fractions may differ by rounding', () => {
    const sum = (result: number): string | null =>
      problemOf(
        parseNotation(`initial nil a/1={b: 0.1} a/2={b: 0.2}\nput(a/1, {b: 0.1})\nsum(a, true, b, ${result})`),
        aggregates(total(1), 1),
      );
    expect(sum(0.3)).toContain('may be');
    expect(sum(0.30000001)).toBeNull();
    expect(sum(0.2)).toContain('may be');
    expect(sum(0)).toBeNull(); // where nothing is added it is null
  });
});

test.each([
  ['count(a, b > 0, 2)', true],
  ['count(a, b > 0, 1)', false],
  ['count(a, b > 50, 2)', true],
  ['min(a, true, b, 45)', true],
  ['min(a, true, b, 40)', false],
  ['max(a, b < 50, b, 60)', true],
  ['sum(a, b < 50, b, 50)', true],
  ['sum(a, b < 50, b, 40)', false],
])('%s: that no versions give this result is %s', (operation, isImpossible) => {
  const history = parseNotation(`initial nil a/1={b: 50}
    put(a/1, {b: 40})
    ${operation}`);
  expect(problemOf(history, aggregates(total(1), 1)) === null).toBe(isImpossible);
});

describe('a maximum', () => {
  const history = parseNotation(`initial nil a/1={b: 5}
    put(a/1, {b: 5}) put(a/2, {b: 7}) put(a/3, {b: 7})
    max(a, true, b, 7) get(a/2, nil) get(a/3, nil)`);
  const { history: lowered } = toRegisters(history, null, new Set([0]));
  const reads = Array.from(lowered.opKind.keys()).filter((op) => lowered.opValue[op] === UNKNOWN_VALUE);

  test('a maximum was the value of one of the rows', () => {
    const [two, three] = reads as [number, number];
    expect(reads).toHaveLength(2);
    const seen = internal('thin-air-read', two);
    const forged = (cases: RowCases) => problemOf(history, aggregates(cases, 3));
    expect(forged(rows(when(two, true, seen)))).toBe(
      'the alternatives leave out a row that may have held the max of operation 3',
    );
    expect(forged(rows(when(two, true, seen), when(three, false, seen)))).toBe(
      'an alternative states that a row does not hold the max',
    );
  });
});
