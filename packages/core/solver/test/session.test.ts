import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Literal, ProofTrace, Solver, type SolverOptions } from '../src/index.ts';
import { faultOfProof } from './support/check-proof.ts';
import { type Edge, faultOfModel, Formula, isSatisfiable } from './support/formula.ts';
import { randomNumbers, solverOptions } from './support/generators.ts';

const MAX_VARIABLES = 9;
const MAX_NODES = 7;

// Every command is taken modulo the current sizes, so all sequences of commands are valid, shrunk ones too.
type Command =
  | { readonly do: 'variable' }
  | { readonly do: 'clause'; readonly literals: readonly number[] }
  | { readonly do: 'graph'; readonly numNodes: number; readonly isLight: boolean }
  | { readonly do: 'edge'; readonly graph: number; readonly edge: Edge }
  | { readonly do: 'solve'; readonly assumptions: readonly number[] };

const literal = fc.nat({ max: 2 * MAX_VARIABLES - 1 });
const node = fc.nat({ max: MAX_NODES - 1 });
const weight = fc.constantFrom<0 | 1>(0, 1);
const looseEdge = fc.record({ from: node, to: node, literal, weight });
const knownEdge = fc.record({ from: node, to: node, weight });
const edgeCommand = (edge: fc.Arbitrary<Edge>) =>
  fc.record({ do: fc.constant('edge' as const), graph: fc.nat({ max: 2 }), edge });
const command: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('variable' as const) }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('clause' as const),
      literals: fc.array(literal, { minLength: 1, maxLength: 4 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('graph' as const),
      numNodes: fc.integer({ min: 2, max: MAX_NODES }),
      isLight: fc.boolean(),
    }),
  },
  { weight: 12, arbitrary: edgeCommand(looseEdge) },
  { weight: 1, arbitrary: edgeCommand(knownEdge) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('solve' as const), assumptions: fc.array(literal, { maxLength: 3 }) }),
  },
);

function replay(commands: readonly Command[], options: SolverOptions): void {
  const trace = new ProofTrace();
  const solver = new Solver({ ...options, trace });
  const formula = new Formula();
  for (const step of commands) {
    const known = (p: Literal) => p % (2 * formula.numVariables);
    if (step.do === 'variable') {
      if (formula.numVariables < MAX_VARIABLES) formula.addVariables(solver, 1);
    } else if (step.do === 'clause') {
      if (formula.numVariables > 0) formula.addClause(solver, step.literals.map(known));
    } else if (step.do === 'graph') {
      formula.addGraph(solver, step.numNodes, step.isLight);
    } else if (step.do === 'edge') {
      if (formula.graphs.length === 0 || formula.numVariables === 0) continue;
      const graph = step.graph % formula.graphs.length;
      const { numNodes, isLight } = formula.graphs[graph]!;
      formula.addEdge(solver, graph, {
        from: step.edge.from % numNodes,
        to: step.edge.to % numNodes,
        weight: isLight ? step.edge.weight : 0,
        ...(step.edge.literal === undefined ? {} : { literal: known(step.edge.literal) }),
      });
    } else {
      solve(solver, formula, trace, formula.numVariables === 0 ? [] : step.assumptions.map(known));
    }
  }
}

function solve(solver: Solver, formula: Formula, trace: ProofTrace, assumptions: readonly Literal[]): void {
  const verdict = solver.solve(assumptions);
  expect(verdict).toBe(isSatisfiable(formula, assumptions) ? 'satisfiable' : 'unsatisfiable');
  if (verdict === 'satisfiable') {
    expect(faultOfModel(solver, formula, assumptions)).toBeNull();
    return;
  }
  const failed = solver.failed();
  expect(assumptions).toEqual(expect.arrayContaining(failed));
  expect(isSatisfiable(formula, failed)).toBe(false);
  expect(
    faultOfProof(
      formula,
      trace.steps,
      failed.map((p) => p ^ 1),
    ),
  ).toBeNull();
}

test('the solver agrees with brute force in models, orders, cores and proofs, while the formula grows', () => {
  fc.assert(
    fc.property(
      fc.array(command, { minLength: 30, maxLength: 90, size: 'max' }),
      solverOptions,
      (commands, options) => {
        replay([...commands, { do: 'solve', assumptions: [] }], options);
      },
    ),
    { numRuns: 400 },
  );
});

/** Few variables, and as many clauses and edges as leave some formulas satisfiable: most searches have conflicts. */
function replayDense(seed: number, options: SolverOptions): void {
  const random = randomNumbers(seed);
  const below = (count: number) => Math.floor(random() * count);
  const trace = new ProofTrace();
  const solver = new Solver({ ...options, trace });
  const formula = new Formula();
  formula.addVariables(solver, 3 + below(6));
  const anyLiteral = () => below(2 * formula.numVariables);
  const numClauses = below(2 * formula.numVariables);
  for (let round = 0; round < 3; round++) {
    for (let i = 0; i < numClauses; i++) {
      formula.addClause(solver, Array.from({ length: 1 + below(4) }, anyLiteral));
    }
    const isLight = random() < 0.5;
    const graph = formula.addGraph(solver, 3 + below(6), isLight);
    const { numNodes } = formula.graphs[graph]!;
    for (let i = below(24); i > 0; i--) {
      const from = below(numNodes);
      const to = (from + 1 + below(numNodes - 1)) % numNodes;
      formula.addEdge(solver, graph, {
        from,
        to,
        weight: isLight && random() < 0.5 ? 1 : 0,
        ...(random() < 0.1 ? {} : { literal: anyLiteral() }),
      });
    }
    for (const count of [0, 1, 3]) solve(solver, formula, trace, Array.from({ length: count }, anyLiteral));
  }
}

test('the solver agrees with brute force on small formulas with many edges', () => {
  fc.assert(fc.property(fc.nat(), solverOptions, replayDense), { numRuns: 2000 });
});

test('the solver agrees with brute force on formulas without graphs', () => {
  const numVariables = 10;
  const clauses = fc.array(fc.array(fc.nat({ max: 2 * numVariables - 1 }), { maxLength: 4, minLength: 1 }), {
    maxLength: 50,
    size: 'max',
  });
  fc.assert(
    fc.property(clauses, solverOptions, (given, options) => {
      const trace = new ProofTrace();
      const solver = new Solver({ ...options, trace });
      const formula = new Formula();
      formula.addVariables(solver, numVariables);
      for (const clause of given) formula.addClause(solver, clause);
      solve(solver, formula, trace, []);
    }),
    { numRuns: 150 },
  );
});
