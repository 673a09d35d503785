import { describe, expect, test } from 'vitest';
import { ProofTrace, Solver, type SolverOptions } from '../src/index.ts';
import { faultOfModel, Formula } from './support/formula.ts';
import { pigeonHole, random3Sat, randomNumbers } from './support/generators.ts';

function solverOf(numVariables: number, clauses: readonly number[][], options: SolverOptions = {}): Solver {
  const solver = new Solver(options);
  for (let v = 0; v < numVariables; v++) solver.newVariable();
  for (const clause of clauses) solver.addClause(clause);
  return solver;
}

describe('clauses', () => {
  test('a formula without clauses is satisfiable, and the empty clause is not', () => {
    const solver = new Solver();
    expect(solver.solve()).toBe('satisfiable');
    expect(solver.addClause([])).toBe(false);
    expect(solver.solve()).toBe('unsatisfiable');
    expect(solver.addClause([])).toBe(false);
  });

  test('a contradiction of facts shows when the clause is added', () => {
    const solver = solverOf(2, [[0], [1, 2]]);
    expect(solver.addClause([1, 3])).toBe(false);
  });

  test('a clause may be long, repeat literals, and be true with any literals', () => {
    const size = 50_000;
    const solver = solverOf(size, []);
    const clause = Array.from({ length: size }, (_, v) => 2 * v);
    expect(solver.addClause([...clause, ...clause])).toBe(true);
    expect(solver.addClause([0, 2, 1])).toBe(true);
    for (let v = 1; v < size; v++) solver.addClause([2 * v + 1]);
    expect(solver.solve()).toBe('satisfiable');
    expect(solver.value(0)).toBe(true);
  });

  test('a long clause implies its last literal, at any place', () => {
    const size = 40;
    const random = randomNumbers(1);
    const clause = Array.from({ length: size }, (_, v) => 2 * v);
    const solver = solverOf(size, [clause]);
    for (let round = 0; round < 200; round++) {
      const shuffled = clause.map((p) => ({ p, key: random() })).toSorted((a, b) => a.key - b.key);
      const [last, ...others] = shuffled.map(({ p }) => p);
      // Some are given back and assumed again, in another order.
      solver.solve(others.slice(round % size).map((p) => p ^ 1));
      expect(solver.solve(others.map((p) => p ^ 1))).toBe('satisfiable');
      expect(solver.value(last! >> 1)).toBe(true);
      expect(solver.solve([...others, last!].map((p) => p ^ 1))).toBe('unsatisfiable');
      expect(solver.failed()).toHaveLength(size);
    }
  });

  test('errors state the range of literals, nodes and graphs', () => {
    const solver = solverOf(1, []);
    const graph = solver.addGraph(2);
    expect(() => solver.addClause([2])).toThrow('Got literal 2, expected one of 1 variables');
    expect(() => solver.solve([-1])).toThrow('Got literal -1, expected one of 1 variables');
    expect(() => solver.addEdge(graph, 0, 2)).toThrow('Got node 2, expected one of 2');
    expect(() => solver.addEdge(1, 0, 1)).toThrow('Got graph 1, expected one of 1');
  });
});

describe('decisions', () => {
  test('a variable is first tried so that its edges lead forward', () => {
    const solver = new Solver();
    const graph = solver.addGraph(4);
    solver.addEdge(graph, 3, 2);
    solver.addEdge(graph, 2, 1);
    solver.addEdge(graph, 1, 0);
    const backward = solver.newVariable();
    solver.addEdge(graph, 0, 3, 2 * backward);
    solver.addEdge(graph, 3, 0, 2 * backward + 1);
    const forward = solver.newVariable();
    solver.addEdge(graph, 3, 1, 2 * forward);
    expect(solver.solve()).toBe('satisfiable');
    expect([solver.value(backward), solver.value(forward)]).toEqual([false, true]);
    expect(solver.statistics.conflicts).toBe(0);
  });

  test('an undecided variable is open, and neither literal has its edges', () => {
    const solver = new Solver();
    const graph = solver.addGraph(2);
    const open = solver.newVariable({ decision: false });
    const follows = solver.newVariable({ decision: false });
    const fact = solver.newVariable();
    for (const literal of [2 * open, 2 * open + 1]) {
      solver.addEdge(graph, 0, 1, literal);
      solver.addEdge(graph, 1, 0, literal);
    }
    solver.addClause([2 * fact]);
    solver.addClause([2 * fact + 1, 2 * follows]);
    expect(solver.solve()).toBe('satisfiable');
    expect([open, follows, fact].map((v) => solver.value(v))).toEqual([false, true, true]);
    expect(solver.solve([2 * open])).toBe('unsatisfiable');
  });
});

describe('assumptions', () => {
  test('only failed assumptions are reported', () => {
    const solver = solverOf(5, [[1, 3, 5]]);
    expect(solver.solve([6, 0, 2, 8, 4])).toBe('unsatisfiable');
    expect(solver.failed().toSorted()).toEqual([0, 2, 4]);
    expect(solver.solve([6, 0, 2, 8])).toBe('satisfiable');
    expect(solver.value(2)).toBe(false);
  });

  test('an assumption contradicts its negation', () => {
    const solver = solverOf(2, []);
    expect(solver.solve([2, 0, 1])).toBe('unsatisfiable');
    expect(solver.failed().toSorted()).toEqual([0, 1]);
  });

  test('no assumption fails if the clauses contradict each other', () => {
    const { numVariables, clauses } = pigeonHole(4);
    const solver = solverOf(numVariables, clauses);
    expect(solver.solve([0])).toBe('unsatisfiable');
    const failed = solver.failed();
    expect(solver.solve()).toBe('unsatisfiable');
    expect(solver.failed()).toEqual([]);
    expect([[], [0]]).toContainEqual(failed);
  });

  test('a cycle makes the assumptions that close it fail', () => {
    const solver = solverOf(4, []);
    const graph = solver.addGraph(3);
    solver.addEdge(graph, 0, 1, 2);
    solver.addEdge(graph, 1, 2);
    solver.addEdge(graph, 2, 0, 6);
    expect(solver.solve([0, 2, 4, 6])).toBe('unsatisfiable');
    expect(solver.failed().toSorted()).toEqual([2, 6]);
  });
});

describe('the model', () => {
  test('the model exists only after the answer satisfiable', () => {
    const solver = solverOf(1, []);
    const graph = solver.addGraph(1);
    expect(() => solver.value(0)).toThrow('There is no model');
    expect(solver.solve()).toBe('satisfiable');
    expect([...solver.order(graph)]).toEqual([0]);
    expect(solver.solve([0, 1])).toBe('unsatisfiable');
    expect(() => solver.order(graph)).toThrow('There is no model');
  });
});

describe('limits', () => {
  const numVariables = 150;
  const clauses = random3Sat(numVariables, 640, 1);

  test('a budget of conflicts ends each search, and the next continues', () => {
    const limit = 300;
    const solver = solverOf(numVariables, clauses);
    let verdict = solver.solve([], limit);
    expect(verdict).toBe('unknown');
    expect(() => solver.value(0)).toThrow('There is no model');
    expect(solver.statistics.conflicts).toBeLessThan(2 * limit);
    let rounds = 1;
    while (verdict === 'unknown' && rounds++ < 200) verdict = solver.solve([], limit);
    expect(verdict).toBe(solverOf(numVariables, clauses).solve());
    expect(rounds).toBeGreaterThan(2);
  });

  test('a formula without conflicts needs no budget', () => {
    expect(solverOf(2, [[0, 2]]).solve([], 0)).toBe('satisfiable');
  });

  test('a tick that throws leaves a solver that can continue', () => {
    const stop = new Error('stop');
    let steps = 0;
    let patience = 3;
    const solver = new Solver({
      onTick: (count) => {
        steps += count;
        if (--patience === 0) throw stop;
      },
    });
    const formula = new Formula();
    formula.addVariables(solver, numVariables);
    for (const clause of random3Sat(numVariables, 600, 5)) formula.addClause(solver, clause);
    const graph = formula.addGraph(solver, 60);
    for (let v = 0; v < numVariables; v++) {
      formula.addEdge(solver, graph, { from: v % 60, to: (v * 7 + 1) % 60, literal: 2 * v, weight: 0 });
    }
    for (let stops = 0; ; stops++) {
      patience = 3 + stops;
      try {
        expect(solver.solve()).toBe('satisfiable');
        expect(stops).toBeGreaterThan(0);
        break;
      } catch (error) {
        if (error !== stop) throw error;
      }
    }
    expect(steps).toBeGreaterThan(3000);
    expect(faultOfModel(solver, formula)).toBeNull();
  });
});

test('the same seed gives the same search, and another seed gives another search', () => {
  const clauses = random3Sat(150, 640, 3);
  const search = (seed: number) => {
    const trace = new ProofTrace();
    const solver = solverOf(150, clauses, { seed, trace });
    solver.solve();
    return { steps: trace.steps, statistics: solver.statistics };
  };
  expect(search(1)).toEqual(search(1));
  expect(search(1).statistics).not.toEqual(search(2).statistics);
});
