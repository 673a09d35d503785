import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addCnf, DimacsError, fromDimacs, parseDimacs, printDimacs, Solver, toDimacs } from '../src/index.ts';

const literals = (numbers: number[]) => Int32Array.from(numbers, fromDimacs);

test('reads comments, clauses over several lines and several clauses on one', () => {
  const text = 'c a comment\nc\np cnf 4 3\n1 -2\n  3 0 -4\t0\nc between\n0\r\n';
  expect(parseDimacs(text)).toEqual({
    numVariables: 4,
    clauses: [literals([1, -2, 3]), literals([-4]), literals([])],
  });
});

test('stops at the percent sign of the files of SATLIB', () => {
  expect(parseDimacs('p cnf 1 1\n1 0\n%\n0\n').clauses).toEqual([literals([1])]);
});

test('prints what it reads', () => {
  const cnf = fc.integer({ min: 1, max: 50 }).chain((numVariables) =>
    fc.record({
      numVariables: fc.constant(numVariables),
      clauses: fc.array(fc.array(fc.nat({ max: 2 * numVariables - 1 })).map((clause) => Int32Array.from(clause))),
    }),
  );
  fc.assert(
    fc.property(cnf, fc.array(fc.constantFrom('plain', '', 'p cnf 9 9', 'two\nlines')), (given, comments) => {
      expect(parseDimacs(printDimacs(given, comments))).toEqual(given);
    }),
  );
});

describe('says what is wrong, and where', () => {
  test.each([
    ['', "Line 1: found the end, expected 'p cnf <variables> <clauses>'"],
    ['c only\n\n1 0\n', "Line 3: found '1', expected 'p cnf <variables> <clauses>'"],
    ['p dnf 1 1', "Line 1: found 'dnf', expected 'p cnf <variables> <clauses>'"],
    ['p cnf x 1', "Line 1: found 'x', expected the number of variables"],
    ['p cnf 2', 'Line 1: found the end, expected the number of clauses'],
    ['p cnf 2 2\n1 0\n-3 0\n', "Line 3: found '-3', expected a literal between -2 and 2"],
    ['p cnf 2 1\n1 1.5 0\n', "Line 2: found '1.5', expected a literal between -2 and 2"],
    ['p cnf 2 1\n1 2\n', 'Line 3: found the end, expected 0 to end the clause'],
    ['p cnf 2 2\n1 2 0\n', 'Line 3: found the end after 1 clauses, expected 2 clauses'],
    ['p cnf 2 1\n1 0\n2 0\n', 'Line 3: found one more clause, expected the end after 1 clauses'],
  ])('%j', (text, message) => {
    expect(() => parseDimacs(text)).toThrow(new DimacsError(0, '', '').constructor as typeof DimacsError);
    expect(() => parseDimacs(text)).toThrow(message);
  });
});

test('literals count from 1 and are negative when negated', () => {
  expect([0, 1, 2, 3].map(toDimacs)).toEqual([1, -1, 2, -2]);
  expect([1, -1, 2, -2].map(fromDimacs)).toEqual([0, 1, 2, 3]);
});

test('a formula is added to a solver without variables', () => {
  const solver = new Solver();
  expect(addCnf(solver, parseDimacs('p cnf 2 2\n1 0\n-1 2 0\n'))).toBe(true);
  expect(solver.solve()).toBe('satisfiable');
  expect([solver.value(0), solver.value(1)]).toEqual([true, true]);
  expect(() => addCnf(solver, parseDimacs('p cnf 0 0\n'))).toThrow(
    'Got a solver with 2 variables, expected one without',
  );
  expect(addCnf(new Solver(), parseDimacs('p cnf 1 2\n1 0\n-1 0\n'))).toBe(false);
});
