import type { Edge, ProofCertificate, ProofStep } from '@isolab/checker';
import type { Contradiction } from './explain.ts';

/** The contradiction as a clausal proof: each step is a cycle that some orders of writers close, or follows by propagation. */
export function clausalProof(contradiction: Contradiction): ProofCertificate {
  const { core, search } = contradiction;
  const { proof, choices } = search;
  const numberOf = new Map<number, number>(); // by variable
  const variables: number[] = [];
  const signed = (literal: number): number => {
    const variable = literal >> 1;
    let number = numberOf.get(variable);
    if (number === undefined) numberOf.set(variable, (number = variables.push(variable)));
    return literal & 1 ? -number : number;
  };
  const assumed = (literal: number): Edge => ({
    from: choices.firstOf(literal),
    to: choices.secondOf(literal),
    reason: { kind: 'assumed' },
  });
  const steps = core.map((number): ProofStep => {
    const step = proof.steps[number]!;
    const clause = step.clause.map(signed);
    return step.cycle === null
      ? { kind: 'learned', clause }
      : { kind: 'cycle', clause, edges: contradiction.edgesOf(step.cycle, assumed) };
  });
  return {
    kind: 'proof',
    choices: variables.map((variable) => ({
      first: choices.lesser[variable]!,
      second: choices.greater[variable]!,
      key: choices.key[variable]!,
    })),
    steps,
  };
}
