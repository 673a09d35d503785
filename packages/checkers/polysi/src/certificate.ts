import type { Edge, ProofStep, ReadsCertificate } from '@isolab/contract';
import { DependencyType, transactionOfNode } from '@isolab/polygraph';
import { ProofTrace, Solver, fromDimacs, toDimacs } from '@isolab/solver';
import type { Clause } from './problem/core.ts';
import type { Problem } from './problem/problem.ts';
import type { Reasons } from './reasons.ts';

const { WW, RW } = DependencyType;

/**
 * Evidence of a violation from a core of cycles: one cycle, if every choice in it follows directly from reads; two, if
 * they rule out the two sides of one constraint; otherwise a clausal proof, in which every cycle is a step.
 */
export function certificateOf(problem: Problem, core: readonly Clause[], reasons: Reasons): ReadsCertificate {
  const edges = directCycle(problem, core, reasons);
  if (edges !== null) return { kind: 'cycle', edges };
  return core.length === 2 ? casesOf(problem, core, reasons) : proofOf(problem, core, reasons);
}

/** The edges of a cycle whose choices the other cycles of the core force, one after the other; null if they do not. */
function directCycle(problem: Problem, core: readonly Clause[], reasons: Reasons): Edge[] | null {
  const forcedBy = new Map<number, Clause>(); // by literal
  const isFalse = (literal: number): boolean => forcedBy.has(-literal);
  const left = new Set(core);
  let last: Clause | undefined;
  while (last === undefined) {
    const before = left.size;
    for (const clause of left) {
      const open = clause.literals.filter((literal) => !isFalse(literal));
      if (open.length > 1) continue;
      left.delete(clause);
      if (open.length === 0) last = clause;
      else if (!forcedBy.has(open[0])) forcedBy.set(open[0], clause);
    }
    if (left.size === before) return null;
  }
  const direct = new DirectReasons(problem, reasons, forcedBy);
  return direct.path(last.cycle, last.cycle[0]);
}

/**
 * Spells out why forced choices hold; gives up if no axiom justifies a choice, or if the explanation would become too
 * long.
 */
class DirectReasons {
  readonly #problem: Problem;
  readonly #reasons: Reasons;
  readonly #forcedBy: ReadonlyMap<number, Clause>;
  #left = 2000; // number of edges that may still be made

  constructor(problem: Problem, reasons: Reasons, forcedBy: ReadonlyMap<number, Clause>) {
    this.#problem = problem;
    this.#reasons = reasons;
    this.#forcedBy = forcedBy;
  }

  /** The edges of consecutive dependencies, followed by `end` if it is not −1. */
  path(path: readonly number[], end: number): Edge[] | null {
    const edges: Edge[] = [];
    for (let i = 0; i < path.length; i++) {
      const part = this.#edges(path[i]);
      if (part === null) return null;
      // A path instead of an edge between writers leads only to the commit of the second writer if it ends in an
      // anti-dependency, and no second anti-dependency can follow.
      const isOpen = part.length > 1 && part[part.length - 1].reason.kind === 'overwrites';
      const next = i + 1 < path.length ? path[i + 1] : end;
      if (isOpen && next >= 0 && this.#problem.type(next) === RW) return null;
      edges.push(...part);
    }
    return edges;
  }

  #edges(d: number): readonly Edge[] | null {
    if (this.#left-- <= 0) return null;
    const literal = this.#problem.literal(d);
    if (literal === 0) return [this.#reasons.edge(d, () => [])];
    const order = this.#order(literal);
    if (order === null) return null;
    return this.#problem.type(d) === WW ? order : [this.#reasons.edge(d, () => order)];
  }

  /** Edges from the commit of one writer to the writer that the literal puts after it. */
  #order(literal: number): readonly Edge[] | null {
    const clause = this.#forcedBy.get(literal);
    if (clause === undefined) return null;
    const problem = this.#problem;
    // The cycle that forces the literal: one or more dependencies of the other side, and a path back.
    const at = clause.cycle.findIndex((d) => problem.literal(d) === -literal);
    const denied = clause.cycle[at];
    const back = [...clause.cycle.slice(at + 1), ...clause.cycle.slice(0, at)];
    if (back.some((d) => problem.literal(d) === -literal)) return null;
    if (problem.type(denied) === WW) {
      // The path has to leave the commit of the first writer, as a single edge between writers of a key does.
      return problem.type(back[0]) === RW && back.length > 1 ? null : this.path(back, -1);
    }
    const path = this.path(back, denied);
    if (path === null) return null;
    // The writer is visible to a reader of the other writer's version, so it precedes the other writer.
    const key = problem.key(denied);
    const from = transactionOfNode(problem.to(denied));
    const reader = transactionOfNode(problem.from(denied));
    const to = transactionOfNode(problem.writerRead(denied));
    const read = this.#reasons.readOf(to, reader, key);
    return [
      { from, to, reason: { kind: 'overwritten', write: this.#reasons.writeOf(from, key), read, visible: path } },
    ];
  }
}

/** Two clauses that leave no choice concern one constraint. */
function casesOf(problem: Problem, core: readonly Clause[], reasons: Reasons): ReadsCertificate {
  const { first, second, edges, start } = problem.polygraph.constraints;
  const c = Math.abs(core[0].literals[0]) - 1;
  const without = (literal: number): ReadsCertificate => {
    const { cycle } = core.find(({ literals }) => literals.includes(-literal))!;
    return { kind: 'cycle', edges: cycle.map((d) => reasons.edge(d, assumed)) };
  };
  return {
    kind: 'cases',
    first: transactionOfNode(first[c]),
    second: transactionOfNode(second[c]),
    key: edges.key[start[c]],
    ifFirst: without(c + 1),
    ifSecond: without(-(c + 1)),
  };
}

const assumed = (from: number, to: number): Edge[] => [{ from, to, reason: { kind: 'assumed' } }];

function proofOf(problem: Problem, core: readonly Clause[], reasons: Reasons): ReadsCertificate {
  const { constraints } = problem.polygraph;
  const trace = new ProofTrace();
  const solver = new Solver({ trace });
  const variableOf = new Map<number, number>(); // by constraint
  const choices: { first: number; second: number; key: number }[] = [];
  const choose = (literal: number): number => {
    const c = Math.abs(literal) - 1;
    let variable = variableOf.get(c);
    if (variable === undefined) {
      variableOf.set(c, (variable = solver.newVariable()));
      choices.push({
        first: transactionOfNode(constraints.first[c]),
        second: transactionOfNode(constraints.second[c]),
        key: constraints.edges.key[constraints.start[c]],
      });
    }
    return literal > 0 ? variable + 1 : -(variable + 1);
  };
  const steps: ProofStep[] = core.map(({ cycle, literals }) => ({
    kind: 'cycle',
    clause: literals.map(choose),
    edges: cycle.map((d) => reasons.edge(d, assumed)),
  }));
  for (const { clause } of steps) solver.addClause(clause.map(fromDimacs));
  if (solver.solve() !== 'unsatisfiable') throw new Error('The cycles of the core leave a choice.');
  for (const step of trace.steps) {
    if (step.kind === 'learned') steps.push({ kind: 'learned', clause: step.clause.map(toDimacs) });
  }
  return { kind: 'proof', choices, steps };
}
