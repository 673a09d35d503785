import { describe, expect, test } from 'vitest';
import { type TraceStep, ProofTrace, Solver } from '../src/index.ts';
import { faultOfProof } from './support/check-proof.ts';
import { type Edge, Formula } from './support/formula.ts';
import { pigeonHole } from './support/generators.ts';

/** Three nodes in a ring over literals 0, 2 and 4, which the clauses make true; and the proof that this fails. */
function ring(isLight = false, weights: readonly (0 | 1)[] = [0, 0, 0]) {
  const trace = new ProofTrace();
  const solver = new Solver({ trace });
  const formula = new Formula();
  formula.addVariables(solver, 3);
  const graph = formula.addGraph(solver, 3, isLight);
  const edges: Edge[] = weights.map((weight, i) => ({ from: i, to: (i + 1) % 3, literal: 2 * i, weight }));
  for (const edge of edges) formula.addEdge(solver, graph, edge);
  formula.addClause(solver, [0, 2]);
  formula.addClause(solver, [1, 2]);
  formula.addClause(solver, [0, 3]);
  formula.addClause(solver, [4]);
  return { verdict: solver.solve(), formula, steps: trace.steps, solver };
}

test('a cycle of chosen edges is refuted', () => {
  const { verdict, formula, steps } = ring();
  expect(verdict).toBe('unsatisfiable');
  expect(faultOfProof(formula, steps)).toBeNull();
  const cycle = steps.find((step) => step.kind === 'cycle')!;
  expect(cycle.clause.toSorted()).toEqual([1, 3, 5]);
  expect(cycle.edges.toSorted()).toEqual([0, 1, 2]);
});

describe('proofs with weights', () => {
  test.each([
    { weights: [0, 0, 0] as const, verdict: 'unsatisfiable' },
    { weights: [0, 1, 0] as const, verdict: 'unsatisfiable' },
    { weights: [1, 1, 0] as const, verdict: 'satisfiable' },
    { weights: [1, 1, 1] as const, verdict: 'satisfiable' },
  ])('a cycle of weights $weights is $verdict', ({ weights, verdict }) => {
    const found = ring(true, weights);
    expect(found.verdict).toBe(verdict);
    if (verdict === 'unsatisfiable') expect(faultOfProof(found.formula, found.steps)).toBeNull();
  });
});

test('known edges alone are refuted by an empty clause', () => {
  // Few edges that lead backward are put in one by one, many by sorting all nodes.
  for (const numNodes of [3, 1000]) {
    const trace = new ProofTrace();
    const solver = new Solver({ trace });
    const formula = new Formula();
    const graph = formula.addGraph(solver, numNodes);
    for (let i = 1; i < numNodes; i++) formula.addEdge(solver, graph, { from: i, to: i - 1, weight: 0 });
    expect(solver.solve()).toBe('satisfiable');
    formula.addEdge(solver, graph, { from: 0, to: numNodes - 1, weight: 0 });
    for (let i = 1; i < numNodes; i++) formula.addEdge(solver, graph, { from: i, to: i - 1, weight: 0 });
    expect(solver.solve()).toBe('unsatisfiable');
    expect(trace.steps.map((step) => [step.kind, step.clause])).toEqual([
      ['cycle', []],
      ['learned', []],
    ]);
    expect(faultOfProof(formula, trace.steps)).toBeNull();
  }
});

test('the cycle with fewest literals is preferred, however long it is', () => {
  const trace = new ProofTrace();
  const solver = new Solver({ trace });
  const formula = new Formula();
  formula.addVariables(solver, 3);
  const graph = formula.addGraph(solver, 6);
  for (const [from, to] of [
    [0, 1],
    [1, 2],
    [2, 3],
    [3, 4],
  ])
    formula.addEdge(solver, graph, { from: from!, to: to!, weight: 0 });
  formula.addEdge(solver, graph, { from: 0, to: 5, literal: 0, weight: 0 });
  formula.addEdge(solver, graph, { from: 5, to: 4, literal: 2, weight: 0 });
  formula.addEdge(solver, graph, { from: 4, to: 0, literal: 4, weight: 0 });
  expect(solver.solve([0, 2, 4])).toBe('unsatisfiable');
  expect(solver.failed()).toEqual([4]);
  expect(trace.steps).toContainEqual({ kind: 'cycle', graph, edges: [6, 0, 1, 2, 3], clause: [5] });
});

describe('the checker rejects', () => {
  const { formula, steps } = ring();
  const cycleAt = steps.findIndex((step) => step.kind === 'cycle');
  const cycle = steps[cycleAt] as TraceStep & { kind: 'cycle' };
  const withCycle = (changed: Partial<typeof cycle>) => steps.with(cycleAt, { ...cycle, ...changed });

  test('a cycle without the literal of one of its edges', () => {
    expect(faultOfProof(formula, withCycle({ clause: cycle.clause.slice(1) }))).toMatch(
      /literal of edge \d is missing/,
    );
  });

  test('edges that close no cycle', () => {
    expect(faultOfProof(formula, withCycle({ edges: cycle.edges.slice(1) }))).toMatch(/does not lead on/);
    expect(faultOfProof(formula, withCycle({ edges: cycle.edges.toReversed() }))).toMatch(/does not lead on/);
    expect(faultOfProof(formula, withCycle({ edges: [] }))).toMatch(/without edges/);
    expect(faultOfProof(formula, withCycle({ graph: 1 }))).toMatch(/another graph/);
  });

  test('a clause that does not follow', () => {
    expect(faultOfProof(formula, [{ kind: 'learned', clause: [] }])).toMatch(/does not follow/);
    expect(faultOfProof(formula, [{ kind: 'learned', clause: [5] }, ...steps])).toMatch(/does not follow/);
    expect(faultOfProof(formula, steps.toSpliced(cycleAt, 1))).toMatch(/does not follow/);
  });

  test('a proof that ends early, or uses a deleted clause', () => {
    expect(faultOfProof(formula, steps.slice(0, -1))).toBe('the goal is not reached');
    expect(faultOfProof(formula, [{ kind: 'deleted', clause: [0] }])).toMatch(/not there/);
    const given = formula.clauses.map((clause): TraceStep => ({ kind: 'deleted', clause }));
    expect(faultOfProof(formula, [...given, ...steps])).toMatch(/does not follow/);
  });

  test('every learned clause without a literal, if the clause is not implied', () => {
    const trace = new ProofTrace();
    const solver = new Solver({ trace });
    const pigeons = new Formula();
    const { numVariables, clauses } = pigeonHole(4);
    pigeons.addVariables(solver, numVariables);
    for (const clause of clauses) pigeons.addClause(solver, clause);
    expect(solver.solve()).toBe('unsatisfiable');
    expect(faultOfProof(pigeons, trace.steps)).toBeNull();
    const first = trace.steps.findIndex((step) => step.kind === 'learned' && step.clause.length > 1);
    const stronger = { kind: 'learned' as const, clause: trace.steps[first]!.clause.slice(0, 1) };
    expect(faultOfProof(pigeons, trace.steps.with(first, stronger))).toMatch(/does not follow/);
  });
});
