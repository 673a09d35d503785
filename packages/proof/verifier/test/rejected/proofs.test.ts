import { describe, expect, test } from 'vitest';
import type { LevelName, ProofStep } from '@isolab/contract';
import {
  assumed,
  choice,
  cycle,
  init,
  internal,
  learned,
  never,
  problemOf,
  proof,
  rw,
  wr,
} from '../support/certificates.ts';
import { h } from '../support/notation.ts';
import { type Row, accepted, expectProblems } from '../support/problems.ts';
import {
  CYCLES,
  X,
  Y,
  choices,
  firstFirst,
  firstSecond,
  history,
  secondFirst,
  secondSecond,
  twoChoices,
} from '../support/two-choices.ts';

const level = 'serializable';
const at = (certificate: unknown, problem: string, atLevel: LevelName = level): Row => [
  problem,
  atLevel,
  certificate,
  problem,
];
const all = [firstFirst, firstSecond, secondFirst, secondSecond];
const step = (fields: object) => proof(choices, ...all, { ...learned(), ...fields } as never);
const literal = (value: unknown) => proof(choices, ...all, learned(value as number), learned());

describe('clausal proofs', () => {
  test('clausal proofs need not name a key that both writers write', () => {
    const keyless = { ...twoChoices, choices: choices.map(({ first, second }) => ({ first, second })) };
    expect(problemOf(history, level, 'violated', keyless)).toBeNull();
  });

  test('clausal proofs are rejected where a choice is malformed or impossible', () => {
    const chosen = (...list: unknown[]) => proof(list as never, ...all, learned(-1), learned());
    expectProblems(history, 'violated', accepted(level, twoChoices), [
      at({ ...twoChoices, choices: undefined }, 'the list of choices is undefined, expected a list'),
      at({ ...twoChoices, choices: { length: 2 } }, 'the list of choices is a value of type object, expected a list'),
      at(chosen(choices[0], 7), 'choice 2: it is 7, expected an object'),
      at(chosen(choices[0], [2, 3, Y]), 'choice 2: it is a list, expected an object'),
      at(chosen(choices[0]), 'step 1: literal 2 is -2, expected an integer from -1 to 1'),
      at(chosen(), 'step 1: literal 1 is -1, expected an integer from 0 to 0'),
      at(chosen(choices[0], choice(2, 2, Y)), 'choice 2: both writers are transaction 2'),
      at(chosen(choices[0], choice(2, 1, Y)), 'choice 2: transactions 2 and 1 do not write a common key'),
      at(chosen(choices[0], choice(6, 3, Y)), 'choice 2: transactions 6 and 3 do not write a common key'),
      at(chosen(choices[0], choice(-1, 3, Y)), 'choice 2: the first writer is -1, expected an integer from 0 to 7'),
      at(chosen(choices[0], choice(2, 8, Y)), 'choice 2: the second writer is 8, expected an integer from 0 to 7'),
      at(chosen(choices[0], choice(2, 2.5, Y)), 'choice 2: the second writer is 2.5, expected an integer from 0 to 7'),
      at(
        chosen(choices[1], choices[0]),
        'step 2: edge 1, from transaction 4 to transaction 1: order edge 1, from transaction 0 to transaction 1: no enclosing case assumes this edge',
      ),
    ]);
  });

  test('clausal proofs are rejected where a writer did not happen', () => {
    const aborted = h`w(x,1)
      !w(x,2)
      ?w(x,3)
      r(x,1)`;
    const problemWith = (t: number) =>
      problemOf(aborted, level, 'violated', proof([choice(0, t, 0)], never([-1], assumed(0, t), assumed(t, 0))));
    expect(problemWith(1)).toBe('choice 1: the second writer is transaction 1, which did not happen');
    // A writer of unknown outcome may be chosen, for it may have been read from; but only if that is assumed.
    expect(problemWith(2)).toBe('step 1: the field to of edge 1 is transaction 2, which did not happen');
  });

  test('clausal proofs are rejected where a clause does not follow', () => {
    const notImplied = 'the clause does not follow from the clauses before it by unit propagation';
    expectProblems(history, 'violated', accepted(level, twoChoices), [
      at(proof(choices, learned()), `step 1: ${notImplied}`),
      at(proof([], learned()), `step 1: ${notImplied}`),
      at(proof(choices, ...all.slice(1), learned(-1), learned()), `step 4: ${notImplied}`),
      at(proof(choices, firstFirst, learned(-1), firstSecond, learned()), `step 2: ${notImplied}`),
      at(proof(choices, firstFirst, firstSecond, learned(-1), secondFirst, learned()), `step 5: ${notImplied}`),
      at(proof(choices, ...all, learned()), `step 5: ${notImplied}`), // true, but not by unit propagation
      at(proof(choices, firstFirst, firstSecond, learned(1)), `step 3: ${notImplied}`),
      at(proof(choices, firstFirst, firstSecond, learned(-2)), `step 3: ${notImplied}`),
      at(proof(choices, ...all, learned(1, -1), learned()), `step 6: ${notImplied}`), // a tautology is no help
      at(proof(choices, ...all, learned(-1)), 'the last step of the proof is not the empty clause'),
      at(proof(choices, ...all), 'the last step of the proof is not the empty clause'),
      at(
        proof(choices, ...all, learned(-1), learned(), firstFirst),
        'the last step of the proof is not the empty clause',
      ),
      at(proof(choices), 'the proof has no steps'),
      at({ kind: 'proof', choices }, 'the list of steps is undefined, expected a list'),
    ]);
  });

  test('clausal proofs are rejected where a clause is malformed', () => {
    const range = 'expected an integer from -2 to 2';
    expectProblems(history, 'violated', accepted(level, twoChoices), [
      at(literal(0), 'step 5: literal 1 is 0'),
      at(literal(-0), 'step 5: literal 1 is 0'),
      at(literal(3), `step 5: literal 1 is 3, ${range}`),
      at(literal(-3), `step 5: literal 1 is -3, ${range}`),
      at(literal(0.5), `step 5: literal 1 is 0.5, ${range}`),
      at(literal(NaN), `step 5: literal 1 is NaN, ${range}`),
      at(literal(2 ** 32 + 1), `step 5: literal 1 is 4294967297, ${range}`),
      at(literal(-1e300), `step 5: literal 1 is -1e+300, ${range}`),
      at(literal('1'), `step 5: literal 1 is "1", ${range}`),
      at(literal(null), `step 5: literal 1 is null, ${range}`),
      at(literal([1]), `step 5: literal 1 is a list, ${range}`),
      at(step({ clause: 1 }), 'step 5: the clause is 1, expected a list'),
      at(step({ clause: undefined }), 'step 5: the clause is undefined, expected a list'),
      at(step({ clause: Array.from({ length: 2 }) }), `step 5: literal 1 is undefined, ${range}`),
      at(
        step({ kind: 'axiom' }),
        'step 5: it is of kind "axiom", expected "cycle", "candidates", "internal" or "learned"',
      ),
      at(
        step({ kind: undefined }),
        'step 5: it is of kind undefined, expected "cycle", "candidates", "internal" or "learned"',
      ),
      at({ ...twoChoices, steps: [null] }, 'step 1: it is null, expected an object'),
    ]);
  });

  test('clausal proofs are rejected where a cycle does not follow from the orders that its clause denies', () => {
    const nothing = (edge: string, order: string) =>
      `step 1: edge ${edge}: order edge 1, from transaction ${order}: no enclosing case assumes this edge`;
    const one = (clause: number[], edges: (typeof CYCLES)[keyof typeof CYCLES]) =>
      proof(choices, never(clause, ...edges));
    const withEdges = (...steps: ProofStep[]) => proof(choices, ...steps, ...all, learned(-1), learned());
    expectProblems(history, 'violated', accepted(level, withEdges(never([-2, 1, -1, 2], ...CYCLES['1 2']))), [
      at(one([], CYCLES['-1 -2']), nothing('1, from transaction 4 to transaction 1', '0 to transaction 1')),
      at(one([-2], CYCLES['-1 -2']), nothing('1, from transaction 4 to transaction 1', '0 to transaction 1')),
      at(one([-1], CYCLES['-1 -2']), nothing('3, from transaction 6 to transaction 3', '2 to transaction 3')),
      at(one([1, -2], CYCLES['-1 -2']), nothing('1, from transaction 4 to transaction 1', '0 to transaction 1')),
      at(one([-1, 2], CYCLES['-1 -2']), nothing('3, from transaction 6 to transaction 3', '2 to transaction 3')),
      at(
        withEdges(firstFirst, never([], assumed(0, 1), rw(4, 1, 8, 2, assumed(0, 1)))),
        'step 2: edge 1, from transaction 0 to transaction 1: no enclosing case assumes this edge',
      ),
      at(
        withEdges(never([-1, -2], ...CYCLES['-1 -2'].slice(0, 3))),
        'step 1: the cycle does not close: it begins at transaction 4 and ends at transaction 3',
      ),
      at(withEdges(never([-1])), 'step 1: there is no edge'),
      at(
        withEdges({ kind: 'cycle', clause: [-1] } as never),
        'step 1: the list of each edge is undefined, expected a list',
      ),
      at(
        withEdges(never([-1, 1], assumed(0, 1), assumed(1, -1))),
        'step 1: edge 2, from transaction 1 to the initial transaction: no enclosing case assumes this edge',
      ),
      at(
        withEdges(never([-1], rw(4, 1, 8, 2, assumed(0, 1)), wr(1, 4, 8))),
        'step 1: edge 2, from transaction 1 to transaction 4: operation 8 does not read from transaction 1',
      ),
      at(
        twoChoices,
        'step 1: edge 1, from transaction 4 to transaction 1: an overwritten read is not a reason at this level, causal',
        'causal',
      ),
      at(
        twoChoices,
        'cut isolation orders nothing: an internal anomaly is the only evidence against it',
        'cut-isolation',
      ),
    ]);
  });

  test('clausal proofs are rejected at snapshot levels where two anti-dependencies meet', () => {
    // 0 and 1 are no writers of one key, so that the order of 2 and 3 does not help: write skew is allowed.
    const skew = h`r(x,0) w(y,1)
      r(y,0) w(x,1)
      w(z,1)
      w(z,2)`;
    const certificate = proof(
      [choice(2, 3, 2)],
      never([-1], rw(0, 1, 0, 3, init(1)), rw(1, 0, 2, 1, init(0))),
      never([], rw(0, 1, 0, 3, init(1)), rw(1, 0, 2, 1, init(0))),
    );
    expectProblems(skew, 'violated', accepted(level, certificate), [
      at(
        certificate,
        'step 1: edge 1 leads only to the commit of transaction 1, but edge 2 starts from its begin',
        'snapshot-isolation',
      ),
    ]);
  });

  test('clausal proofs are rejected inside other certificates, and contain no other certificates', () => {
    const nested = { kind: 'cases', first: 0, second: 1, key: X, ifFirst: twoChoices, ifSecond: twoChoices };
    expectProblems(history, 'violated', accepted(level, twoChoices), [
      at(
        nested,
        'in the case that transaction 0 precedes transaction 1: a case cannot be a proof: a proof makes its own choices',
      ),
      at({ ...twoChoices, steps: [cycle(init(0))] }, 'step 1: the clause is undefined, expected a list'),
      at(
        { ...twoChoices, steps: [{ ...internal('thin-air-read', 8), clause: [] }] },
        'step 1: operation 8 does not show thin-air-read: a transaction wrote the value',
      ),
    ]);
    expect(problemOf(history, level, 'satisfied', twoChoices)).toBe(
      'the certificate is of kind "proof", but serializable needs kind "commit-order"',
    );
  });

  test('clausal proofs are rejected early where they are nested without end or share their parts', () => {
    let path = [init(0)];
    for (let i = 0; i < 100_000; i++) path = [rw(5, 0, 11, 0, ...path)];
    expect(problemOf(history, level, 'violated', proof(choices, never([1], ...path)))).toContain(
      'it is nested more than 500 deep',
    );

    // From 1 to 0, each twice through the one before.
    let shared = [assumed(1, 0)];
    for (let i = 0; i < 100; i++) {
      const overwrites = rw(5, 0, 11, 0, ...shared);
      shared = [wr(1, 5, 11), overwrites, assumed(0, 1), wr(1, 5, 11), overwrites];
    }
    const certificate = proof(choices, never([1, -1], ...shared, assumed(0, 1)));
    expect(problemOf(history, level, 'violated', certificate)).toContain('it takes more than 4010000 steps to verify');
  });
});
