import { Choice, type Dependencies, DependencyType, type Pruning } from '@isolab/polygraph';
import { ProofTrace, Solver, negate, negative, positive } from '@isolab/solver';
import { type Encoding, NeededEdges } from './encoding.ts';
import type { Problem } from './problem/problem.ts';

/**
 * The published encoding (section 4.4): the induced graph itself, Dep ∪ (Dep ; AntiDep), with every composed edge
 * materialised. An edge of two possible dependencies depends on an auxiliary variable that is true if both dependencies
 * hold, and that the solver does not decide. The artifact has one literal per edge of a constraint, this encoding one
 * per constraint.
 */
export function encodeInduced(
  problem: Problem,
  pruning: Pruning,
  { seed, tick }: { readonly seed: number; readonly tick: (steps: number) => void },
): Encoding {
  const { numNodes } = problem.polygraph.versions;
  const trace = new ProofTrace();
  const solver = new Solver({ seed, trace, onTick: tick });
  const graph = solver.addGraph(numNodes);
  const { variable, into, antiOutOf } = addDependencies(problem, pruning, solver);
  const conjunction = conjunctions(solver);
  let numEdges = 0;
  const addEdge = (source: number, target: number, literal: number): void => {
    solver.addEdge(graph, source, target, literal === KNOWN ? undefined : literal);
    numEdges++;
  };
  for (let middle = 0; middle < numNodes; middle++) {
    tick(1 + into[middle].length * (1 + antiOutOf[middle].length));
    for (const dep of into[middle]) {
      addEdge(dep.node, middle, dep.literal);
      for (const anti of antiOutOf[middle]) {
        if (dep.literal !== KNOWN && anti.literal === negate(dep.literal)) continue; // the two never hold together
        addEdge(dep.node, anti.node, conjunction(dep.literal, anti.literal));
      }
    }
  }
  return { solver, variable, dependency: [], trace, numEdges };
}

/** The other end of a dependency, and its literal, or KNOWN if it holds unconditionally. */
interface End {
  readonly node: number;
  readonly literal: number;
}

/** Makes the variables of open constraints; returns the edges of Dep by target, and the edges of AntiDep by source. */
function addDependencies(problem: Problem, { known, choice, reachability }: Pruning, solver: Solver) {
  const { versions, constraints } = problem.polygraph;
  const variable = new Int32Array(constraints.count).fill(-1);
  const into: End[][] = Array.from({ length: versions.numNodes }, () => []);
  const antiOutOf: End[][] = Array.from({ length: versions.numNodes }, () => []);
  const add = ({ from, to, type }: Dependencies, e: number, literal: number): void => {
    if (type[e] === DependencyType.RW) antiOutOf[from[e]].push({ node: to[e], literal });
    else into[to[e]].push({ node: from[e], literal });
  };
  for (const e of reachability.needed) add(known, e, KNOWN);
  const { edges, start, middle } = constraints;
  const needed = new NeededEdges(problem);
  for (let c = 0; c < constraints.count; c++) {
    if (choice[c] !== Choice.Open) continue;
    variable[c] = solver.newVariable();
    for (const e of needed.among(start[c], middle[c])) add(edges, e, positive(variable[c]));
    for (const e of needed.among(middle[c], start[c + 1])) add(edges, e, negative(variable[c]));
  }
  return { variable, into, antiOutOf };
}

/** Returns a literal that is true if two others are, with an auxiliary variable for every two that need one. */
function conjunctions(solver: Solver): (a: number, b: number) => number {
  const both = new Map<number, number>(); // auxiliary variables by their two literals
  return (a, b) => {
    if (a === KNOWN || a === b) return b;
    if (b === KNOWN) return a;
    const pair = a < b ? a * PAIRS + b : b * PAIRS + a;
    let auxiliary = both.get(pair);
    if (auxiliary === undefined) {
      auxiliary = solver.newVariable({ decision: false });
      solver.addClause([negate(a), negate(b), positive(auxiliary)]);
      both.set(pair, auxiliary);
    }
    return positive(auxiliary);
  };
}

const KNOWN = -1;
const PAIRS = 2 ** 26;
