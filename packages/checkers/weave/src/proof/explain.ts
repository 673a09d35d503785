import { type Edge, type FoundAnomaly, type ProofCertificate, eachEdge } from '@isolab/contract';
import { clausalProof } from './clausal.ts';
import type { Contradiction } from './contradiction.ts';
import { nameOfCycle, nameOfProof } from './names.ts';
import { smallestCycle } from './smallest.ts';

/** Audience of an explanation: people, who want the smallest cycle, or a search that continues after it. */
export type Audience = 'people' | 'search';

/** Certifies and names a contradiction by the smallest cycle without a choice, or else by the proof that was found. */
export function explainViolation(contradiction: Contradiction, certify: boolean, audience: Audience): FoundAnomaly {
  const proof = clausalProof(contradiction);
  const named = nameOfProof(contradiction, cyclesOf(proof));
  if (audience === 'search') return { ...named, certificate: proof };
  const cycle =
    smallestCycle(contradiction, transactionsNear(contradiction, proof)) ??
    smallestCycle(contradiction, named.transactions);
  const best = cycle === null ? named : nameOfCycle(contradiction, cycle.edges);
  return certify ? { ...best, certificate: cycle ?? proof } : best;
}

/** Returns all transactions of a small history; in a large history, the transactions that a proof names. */
function transactionsNear({ versions, tuning }: Contradiction, proof: ProofCertificate): number[] {
  const { happened, numHappened } = versions;
  if (numHappened <= tuning.smallHistory) return Array.from(happened.keys());
  const named = new Set<number>();
  eachEdge(cyclesOf(proof), ({ from, to }) => {
    for (const t of [from, to]) if (t >= 0) named.add(t);
  });
  return [...named];
}

const cyclesOf = ({ steps }: ProofCertificate): (readonly Edge[])[] =>
  steps.flatMap((step) => (step.kind === 'cycle' ? [step.edges] : []));
