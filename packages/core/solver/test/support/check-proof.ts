import type { Literal, TraceStep } from '../../src/index.ts';
import type { Formula } from './formula.ts';

/**
 * Fault of a proof that a formula has no model in which the literals of `goal` are all false, or null. Shares nothing
 * with the solver, and watches no literals: it examines every clause that has a literal which became false.
 */
export function faultOfProof(
  formula: Formula,
  steps: readonly TraceStep[],
  goal: readonly Literal[] = [],
): string | null {
  const checker = new ClauseSet();
  for (const clause of formula.clauses) checker.add(clause);
  for (const [at, step] of steps.entries()) {
    if (step.kind === 'deleted') {
      if (!checker.delete(step.clause)) return `step ${at} deletes a clause that is not there`;
      continue;
    }
    if (step.kind === 'cycle') {
      const fault = faultOfCycle(formula, step);
      if (fault) return `step ${at}: ${fault}`;
    } else if (!checker.implies(step.clause)) {
      return `step ${at}: ${step.clause.join(' ')} does not follow by unit propagation`;
    }
    checker.add(step.clause);
  }
  return checker.has(goal) ? null : 'the goal is not reached';
}

function faultOfCycle(formula: Formula, step: TraceStep & { kind: 'cycle' }): string | null {
  const edges = step.edges.map((number) => formula.edges[number]!);
  if (edges.length === 0) return 'a cycle without edges';
  let weight = 0;
  for (const [i, { graph, edge }] of edges.entries()) {
    if (graph !== step.graph) return 'an edge of another graph';
    if (edges[(i + 1) % edges.length]!.edge.from !== edge.to) return `edge ${i} does not lead on`;
    if (edge.literal !== undefined && !step.clause.includes(edge.literal ^ 1)) {
      return `the literal of edge ${i} is missing`;
    }
    weight += edge.weight;
  }
  return formula.graphs[step.graph]!.isLight && weight > 1 ? 'the cycle is allowed' : null;
}

interface Clause {
  readonly literals: readonly Literal[];
  count: number; // how often it was added and not deleted
}

class ClauseSet {
  readonly #byKey = new Map<string, Clause>();
  readonly #byLiteral = new Map<Literal, Clause[]>();
  readonly #short: Clause[] = []; // those of at most one literal

  add(clause: readonly Literal[]): void {
    const known = this.#byKey.get(keyOf(clause));
    if (known) {
      known.count++;
      return;
    }
    const added: Clause = { literals: [...new Set(clause)], count: 1 };
    this.#byKey.set(keyOf(clause), added);
    if (added.literals.length < 2) this.#short.push(added);
    for (const p of added.literals) {
      const row = this.#byLiteral.get(p);
      if (row) row.push(added);
      else this.#byLiteral.set(p, [added]);
    }
  }

  delete(clause: readonly Literal[]): boolean {
    const known = this.#byKey.get(keyOf(clause));
    if (!known || known.count === 0) return false;
    known.count--;
    return true;
  }

  has(clause: readonly Literal[]): boolean {
    return (this.#byKey.get(keyOf(clause))?.count ?? 0) > 0;
  }

  /** Returns whether making all literals of the clause false leads to a contradiction by unit propagation. */
  implies(clause: readonly Literal[]): boolean {
    const isTrue = new Set<Literal>();
    let isRefuted = false;
    const makeTrue = (p: Literal) => {
      isRefuted ||= isTrue.has(p ^ 1);
      isTrue.add(p);
    };
    const look = ({ literals, count }: Clause) => {
      if (count === 0 || literals.some((p) => isTrue.has(p))) return;
      const open = literals.filter((p) => !isTrue.has(p ^ 1));
      if (open.length === 0) isRefuted = true;
      else if (open.length === 1) makeTrue(open[0]!);
    };
    for (const p of clause) makeTrue(p ^ 1);
    for (const short of this.#short) look(short);
    // A set is walked in the order in which it grows.
    for (const p of isTrue) {
      if (isRefuted) break;
      for (const met of this.#byLiteral.get(p ^ 1) ?? []) look(met);
    }
    return isRefuted;
  }
}

const keyOf = (clause: readonly Literal[]): string => [...new Set(clause)].toSorted((a, b) => a - b).join(' ');
