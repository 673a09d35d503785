import { describe, expect, test } from 'vitest';
import { assumed, cases, cycle, init, internal, problemOf, rw, ww } from '../support/certificates.ts';
import { h } from '../support/notation.ts';
import { accepted, expectProblems, type Row } from '../support/problems.ts';

describe('cases', () => {
  // Operations: 0 r(x,0), 1 w(x,1); 2 r(x,0), 3 w(x,2); 4 w(y,1).
  const history = h`r(x,0) w(x,1)
    r(x,0) w(x,2)
    w(y,1)`;
  const ifFirst = cycle(ww(0, -1, 1, 2, assumed(0, 1)), init(0));
  const ifSecond = cycle(ww(1, -1, 3, 0, assumed(1, 0)), init(1));
  const level = 'serializable';
  const at = (certificate: unknown, problem: string): Row => [problem, level, certificate, problem];

  test('cases are rejected where a case is not closed, or uses an absent assumption', () => {
    const swapped =
      'in the case that transaction 0 precedes transaction 1: edge 1, from transaction 1 to the initial transaction: visible edge 1, from transaction 1 to transaction 0: no enclosing case assumes this edge';
    expectProblems(history, 'violated', accepted(level, cases(0, 1, 0, ifFirst, ifSecond)), [
      at(
        ifFirst,
        'edge 1, from transaction 0 to the initial transaction: visible edge 1, from transaction 0 to transaction 1: no enclosing case assumes this edge',
      ),
      at(cases(0, 1, 0, ifSecond, ifFirst), swapped),
      at(
        cases(0, 1, 0, ifFirst, ifFirst),
        'in the case that transaction 1 precedes transaction 0: edge 1, from transaction 0 to the initial transaction: visible edge 1, from transaction 0 to transaction 1: no enclosing case assumes this edge',
      ),
      at(cases(0, 0, 0, ifFirst, ifSecond), 'both writers are transaction 0'),
      at(cases(0, 2, 0, ifFirst, ifSecond), 'transactions 0 and 2 do not write a common key'),
      at(cases(-1, 1, 0, ifFirst, ifSecond), 'the first writer is -1, expected an integer from 0 to 2'),
      at(
        cases(0, 1, 0, ifFirst, null as never),
        'in the case that transaction 1 precedes transaction 0: the certificate is null, expected an object',
      ),
      at(
        cases(0, 1, 0, ifFirst, internal('thin-air-read', 0)),
        'in the case that transaction 1 precedes transaction 0: a case cannot be an internal certificate: that proves a violation by itself',
      ),
    ]);
  });

  test('cases are rejected early where they are nested without end', () => {
    const deepCases: Record<string, unknown> = { kind: 'cases', first: 0, second: 1, key: 0, ifSecond };
    deepCases['ifFirst'] = deepCases; // no JSON can say so, but a program can
    expect(problemOf(history, level, 'violated', deepCases)).toContain('it is nested more than 500 deep');

    let path = [init(0)];
    for (let i = 0; i < 100_000; i++) path = [rw(1, 0, 2, 1, ...path)];
    expect(problemOf(history, level, 'violated', cycle(path[0]!))).toContain('it is nested more than 500 deep');
  });

  test('cases are rejected where shared parts make them too long to verify', () => {
    let [to0, to1] = [[init(0)], [init(1)]];
    for (let i = 0; i < 100; i++) {
      const [first, second] = [rw(0, 1, 0, 3, ...to1), rw(1, 0, 2, 1, ...to0)];
      [to0, to1] = [
        [init(1), second, first, second],
        [init(0), first, second, first],
      ];
    }
    expect(problemOf(history, level, 'violated', cycle(...to0))).toContain(
      'it takes more than 4000000 steps to verify',
    );
  });
});
