/** Turns contradictory clauses into a proof: a core of the clauses, and the steps of the solver from them. */
import type { ProofCertificate, ProofChoice, ProofStep } from '@isolab/contract';
import { ProofTrace, Solver } from '@isolab/solver';
import type { Choices, GroundedClause } from './choices.ts';

/** Returns a subset of the clauses that is contradictory. */
export function contradictoryClauses(choices: Choices): GroundedClause[] {
  const clauses = choices.clauses();
  const { sightings } = choices;
  const solver = new Solver();
  for (let i = 0; i < sightings.length; i++) solver.newVariable();
  const holds = clauses.map(({ clause }) => {
    const literal = 2 * solver.newVariable({ decision: false });
    solver.addClause([...clause, literal + 1]);
    return literal;
  });
  solver.solve(holds);
  const failed = new Set(solver.failed());
  return clauses.filter((_, i) => failed.has(holds[i]!));
}

/** Returns the proof that no choice is left. */
export function refutation({ sightings }: Choices, clauses: readonly GroundedClause[]): ProofCertificate {
  const trace = new ProofTrace();
  const solver = new Solver({ trace });
  for (let i = 0; i < sightings.length; i++) solver.newVariable();
  for (const { clause } of clauses) solver.addClause(clause);
  solver.solve();

  const choices: ProofChoice[] = [];
  const numbers = new Map<number, number>();
  const signed = (literal: number): number => {
    const variable = literal >> 1;
    let number = numbers.get(variable);
    if (number === undefined) {
      const { read, writer } = sightings[variable]!;
      number = choices.push({ read: read.operations[0]!, writer });
      numbers.set(variable, number);
    }
    return literal & 1 ? -number : number;
  };
  const steps: ProofStep[] = clauses.map(({ clause, ground }) => ({ ...ground, clause: clause.map(signed) }));
  for (const step of trace.steps) {
    if (step.kind !== 'learned') continue;
    steps.push({ kind: 'learned', clause: step.clause.map(signed) });
    if (step.clause.length === 0) break;
  }
  if (steps.at(-1)!.clause.length > 0) steps.push({ kind: 'learned', clause: [] });
  return { kind: 'proof', choices, steps };
}
