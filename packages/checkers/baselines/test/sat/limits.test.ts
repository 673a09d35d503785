import { type RunContext, Stop } from '@isolab/contract';
import { describe, expect, test } from 'vitest';
import { TestContext, polygraphOf } from '@isolab/testkit';
import { Formula, decidePolygraph, encodePolygraph } from '../../src/sat/index.ts';
import { solve } from '../../src/sat/solvers/solve.ts';
import { DEFAULTS } from './support/run.ts';

describe('formulas that are too large', () => {
  const hundred = polygraphOf(100, [], []);

  test.each([
    ['tc3', { maxClauses: 1000 }, /^the formula has \d+ clauses, more than maxClauses \(1000\)$/],
    ['tc1', { maxBytes: 10_000 }, /^the formula takes \d+ bytes, more than maxBytes \(10000\)$/],
    ['axiom', { maxClauses: 900_000 }, /^the formula has 990100 clauses/],
    ['binary-label', { maxClauses: 1000 }, /maxClauses \(1000\)$/],
    ['unary-label', { maxClauses: 1000 }, /maxClauses \(1000\)$/],
  ] as const)('%s is not begun', (encoding, limits, detail) => {
    const encode = () => encodePolygraph(hundred, encoding, { ...DEFAULTS, ...limits });
    expect(encode).toThrow(Stop);
    expect(encode).toThrow(detail);
  });

  test('the limit holds clause by clause, too', () => {
    const formula = new Formula({ maxClauses: 2, maxBytes: 1000 });
    const variable = formula.variables(1);
    formula.clause1(variable);
    formula.clause2(variable, -variable);
    expect(() => formula.clause1(variable)).toThrow(Stop);
    const long = new Formula({ maxClauses: 1000, maxBytes: 4 * 1025 });
    long.clause(Array.from({ length: 1024 }, () => 1));
    expect(() => long.clause1(1)).toThrow(Stop);
  });
});

describe('logic-solver', () => {
  test('logic-solver gets no problem that exceeds its heap', async () => {
    const answer = await decidePolygraph(polygraphOf(120, [], []), 'tc3', 'logic-solver', DEFAULTS, new TestContext());
    expect(answer).toMatchObject({ status: 'unknown', reason: 'memory' });
  });

  test('logic-solver may exhaust its heap', async () => {
    const formula = new Formula(DEFAULTS);
    formula.variables(740_000);
    const answer = await solve({ formula, graph: null }, 'logic-solver', DEFAULTS, new TestContext());
    expect(answer).toMatchObject({ status: 'unknown', reason: 'memory', detail: expect.stringContaining('exhausted') });
  });
});

/** Each pigeon has a hole, and no two have the same: there is one hole too few, which takes very many conflicts. */
function pigeonHole(pigeons: number): Formula {
  const holes = pigeons - 1;
  const formula = new Formula(DEFAULTS);
  const first = formula.variables(pigeons * holes);
  for (let p = 0; p < pigeons; p++) {
    formula.clause(Array.from({ length: holes }, (_, hole) => first + p * holes + hole));
    for (let q = 0; q < p; q++)
      for (let hole = 0; hole < holes; hole++)
        formula.clause2(-(first + p * holes + hole), -(first + q * holes + hole));
  }
  return formula;
}

describe.each(['cadical', 'own'] as const)('%s', (solver) => {
  const hard = { formula: pigeonHole(12), graph: null };

  test('a solver gives up after a number of conflicts', async () => {
    const answer = await solve(hard, solver, { conflicts: 50 }, new TestContext());
    expect(answer).toEqual({
      status: 'unknown',
      reason: 'steps',
      detail: 'the solver reached its limit of 50 conflicts',
    });
  });

  test('a solver stops when asked to, and solves the next formula', async () => {
    let steps = 0;
    const context: RunContext = {
      ...new TestContext(),
      tick(more) {
        steps += more;
        if (steps > 2000) throw new Stop('timeout', 'that is enough');
      },
    };
    await expect(solve(hard, solver, DEFAULTS, context)).rejects.toThrow('that is enough');
    const answer = await solve({ formula: pigeonHole(4), graph: null }, solver, DEFAULTS, new TestContext());
    expect(answer.status).toBe('unsatisfiable');
  });
});

test.each(['cadical', 'logic-solver'] as const)('%s takes no graph', async (solver) => {
  const answer = await decidePolygraph(polygraphOf(3, [], []), 'mono', solver, DEFAULTS, new TestContext());
  expect(answer).toMatchObject({ status: 'unknown', reason: 'unsupported', detail: expect.stringContaining(solver) });
});
