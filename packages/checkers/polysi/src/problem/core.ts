import { Solver, negative, positive } from '@isolab/solver';
import type { Problem } from './problem.ts';

/** Cycles, with the clauses over constraints that they imply. */
export interface Clause {
  readonly cycle: readonly number[];
  readonly literals: readonly number[];
}

/**
 * A minimal subset of cycles that leaves no choice, found by deletion from the solver's cores; prefers short cycles.
 */
export function minimalCore(
  problem: Problem,
  cycles: readonly (readonly number[])[],
  tick: (steps: number) => void,
): Clause[] {
  const clauses = distinct(cycles.map((cycle) => ({ cycle, literals: problem.clauseOf(cycle) })));
  const unconditional = clauses.filter(({ literals }) => literals.length === 0);
  if (unconditional.length > 0) return [shortest(unconditional)];

  const conflict = conflictFinder(clauses, tick);
  let core = conflict(clauses.map((_, i) => i))!;
  for (let size = Infinity; core.length < size;) {
    size = core.length;
    core = conflict(core)!;
  }
  // The longest cycles are tried first.
  const candidates = core.toSorted((a, b) => clauses[b].cycle.length - clauses[a].cycle.length);
  for (const candidate of candidates) {
    if (!core.includes(candidate)) continue;
    core = conflict(core.filter((i) => i !== candidate)) ?? core;
  }
  return core.toSorted((a, b) => a - b).map((i) => clauses[i]);
}

/** Finds clauses among the given ones that contradict one another; null if there are none. */
function conflictFinder(clauses: readonly Clause[], tick: (steps: number) => void) {
  const solver = new Solver({ onTick: tick });
  const variableOf = new Map<number, number>();
  const literalOf = (literal: number): number => {
    const c = Math.abs(literal);
    let variable = variableOf.get(c);
    if (variable === undefined) variableOf.set(c, (variable = solver.newVariable()));
    return literal > 0 ? positive(variable) : negative(variable);
  };
  const active = clauses.map(({ literals }) => {
    const variable = solver.newVariable();
    solver.addClause([negative(variable), ...literals.map(literalOf)]);
    return variable;
  });
  const clauseOf = new Map(active.map((variable, i) => [positive(variable), i]));
  return (chosen: readonly number[]): number[] | null => {
    tick(chosen.length);
    if (solver.solve(chosen.map((i) => positive(active[i]))) !== 'unsatisfiable') return null;
    return solver.failed().map((literal) => clauseOf.get(literal)!);
  };
}

/** Keeps the shortest of the cycles with equal clauses. */
function distinct(clauses: readonly Clause[]): Clause[] {
  const byLiterals = new Map<string, Clause>();
  for (const clause of clauses.toSorted((a, b) => a.cycle.length - b.cycle.length)) {
    const literals = clause.literals.toSorted((a, b) => a - b).join();
    if (!byLiterals.has(literals)) byLiterals.set(literals, clause);
  }
  return [...byLiterals.values()];
}

export const shortest = (clauses: readonly Clause[]): Clause =>
  clauses.reduce((best, clause) => (clause.cycle.length < best.cycle.length ? clause : best));
