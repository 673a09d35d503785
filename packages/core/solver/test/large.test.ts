import { Cadical } from 'cadical-wasm';
import { describe, expect, test } from 'vitest';
import { ProofTrace, Solver, toDimacs } from '../src/index.ts';
import { faultOfProof } from './support/check-proof.ts';
import { faultOfModel, Formula } from './support/formula.ts';
import { polygraph, type Polygraph, random3Sat } from './support/generators.ts';

describe('random 3-SAT near the threshold', () => {
  test.each([1, 2, 3, 4, 5, 6, 7, 8])('random 3-SAT near the threshold agrees with CaDiCaL, seed %i', async (seed) => {
    const numVariables = 150;
    const clauses = random3Sat(numVariables, 640, seed);
    const cadical = await Cadical.create();
    for (const clause of clauses) cadical.addClause(clause.map(toDimacs));
    const solver = new Solver({ seed });
    const formula = new Formula();
    formula.addVariables(solver, numVariables);
    for (const clause of clauses) formula.addClause(solver, clause);
    const verdict = solver.solve();
    expect(verdict).toBe(cadical.solve());
    if (verdict === 'satisfiable') expect(faultOfModel(solver, formula)).toBeNull();
    cadical.dispose();
  });
});

test('a proof that forgets clauses on the way can be checked', () => {
  const trace = new ProofTrace();
  const solver = new Solver({ trace });
  const formula = new Formula();
  formula.addVariables(solver, 140);
  for (const clause of random3Sat(140, 600, 6)) formula.addClause(solver, clause);
  expect(solver.solve()).toBe('unsatisfiable');
  expect(solver.statistics.deleted).toBeGreaterThan(0);
  expect(trace.steps.filter((step) => step.kind === 'deleted')).toHaveLength(solver.statistics.deleted);
  expect(trace.steps.at(-1)).toEqual({ kind: 'learned', clause: [] });
  expect(faultOfProof(formula, trace.steps)).toBeNull();
});

describe('polygraphs of a hidden serial order', () => {
  test.each([
    { numNodes: 300, numKeys: 30, seed: 1 },
    { numNodes: 1000, numKeys: 100, seed: 2 },
    { numNodes: 3000, numKeys: 600, seed: 3 },
  ])('$numNodes nodes are put in order', ({ numNodes, numKeys, seed }) => {
    const solver = new Solver();
    const formula = load(solver, polygraph(numNodes, numKeys, 0, seed));
    expect(solver.solve()).toBe('satisfiable');
    expect(faultOfModel(solver, formula)).toBeNull();
  });

  test.each([1, 2, 3, 4])('stale reads are refuted with a proof, seed %i', (seed) => {
    const trace = new ProofTrace();
    const solver = new Solver({ trace, seed });
    const formula = load(solver, polygraph(100, 10, 0.04, seed));
    expect(solver.solve()).toBe('unsatisfiable');
    expect(faultOfProof(formula, trace.steps)).toBeNull();
  });
});

/** One variable for every choice. */
function load(solver: Solver, { numNodes, known, choices }: Polygraph): Formula {
  const formula = new Formula();
  const graph = formula.addGraph(solver, numNodes);
  for (const [from, to] of known) formula.addEdge(solver, graph, { from, to, weight: 0 });
  for (const [variable, { either, or }] of choices.entries()) {
    formula.addVariables(solver, 1);
    for (const [from, to] of either) formula.addEdge(solver, graph, { from, to, literal: 2 * variable, weight: 0 });
    for (const [from, to] of or) formula.addEdge(solver, graph, { from, to, literal: 2 * variable + 1, weight: 0 });
  }
  return formula;
}
