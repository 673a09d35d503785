import { Choice, DependencyType, type Pruning } from '@isolab/polygraph';
import { ProofTrace, Solver, negate, negative, positive } from '@isolab/solver';
import { type Encoding, NeededEdges } from './encoding.ts';
import type { Problem } from './problem.ts';

/**
 * The published encoding (section 4.4): the induced graph itself, Dep ∪ (Dep ; AntiDep), every composed edge
 * materialised. An edge of two possible dependencies hangs on an auxiliary variable that is true if both are, and that
 * the solver does not decide; the artifact has one literal for every edge of a constraint, we have one a constraint.
 */
export function encodeInduced(
  problem: Problem,
  pruning: Pruning,
  { seed, tick }: { readonly seed: number; readonly tick: (steps: number) => void },
): Encoding {
  const { versions, constraints } = problem.polygraph;
  const { numNodes } = versions;
  const { known, choice, reachability } = pruning;
  const trace = new ProofTrace();
  const solver = new Solver({ seed, trace, onTick: tick });
  const graph = solver.addGraph(numNodes);

  const variable = new Int32Array(constraints.count).fill(-1);
  // Dep by target and AntiDep by source; the literal of a known edge is KNOWN.
  const depSource: number[][] = Array.from({ length: numNodes }, () => []);
  const depLiteral: number[][] = Array.from({ length: numNodes }, () => []);
  const antiTarget: number[][] = Array.from({ length: numNodes }, () => []);
  const antiLiteral: number[][] = Array.from({ length: numNodes }, () => []);
  const add = (from: number, to: number, type: number, literal: number): void => {
    if (type === DependencyType.RW) {
      antiTarget[from].push(to);
      antiLiteral[from].push(literal);
    } else {
      depSource[to].push(from);
      depLiteral[to].push(literal);
    }
  };
  for (const e of reachability.needed) add(known.from[e], known.to[e], known.type[e], KNOWN);
  const { from, to, type } = constraints.edges;
  const needed = new NeededEdges(problem);
  for (let c = 0; c < constraints.count; c++) {
    if (choice[c] !== Choice.Open) continue;
    variable[c] = solver.newVariable();
    for (const e of needed.among(constraints.start[c], constraints.middle[c]))
      add(from[e], to[e], type[e], positive(variable[c]));
    for (const e of needed.among(constraints.middle[c], constraints.start[c + 1]))
      add(from[e], to[e], type[e], negative(variable[c]));
  }

  let numEdges = 0;
  const addEdge = (source: number, target: number, literal: number): void => {
    if (literal === KNOWN) solver.addEdge(graph, source, target);
    else solver.addEdge(graph, source, target, literal);
    numEdges++;
  };
  const both = new Map<number, number>(); // auxiliary variables by their two literals
  const conjunction = (a: number, b: number): number => {
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
  for (let middle = 0; middle < numNodes; middle++) {
    tick(1 + depSource[middle].length * (1 + antiTarget[middle].length));
    for (let i = 0; i < depSource[middle].length; i++) {
      const literal = depLiteral[middle][i];
      addEdge(depSource[middle][i], middle, literal);
      for (let j = 0; j < antiTarget[middle].length; j++) {
        const other = antiLiteral[middle][j];
        if (literal !== KNOWN && other === negate(literal)) continue; // never both
        addEdge(depSource[middle][i], antiTarget[middle][j], conjunction(literal, other));
      }
    }
  }
  return { solver, variable, dependency: [], trace, numEdges };
}

const KNOWN = -1;
const PAIRS = 2 ** 26;
