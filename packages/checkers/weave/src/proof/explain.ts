import type { CycleCertificate, Edge, FoundAnomaly, ProofCertificate } from '@isolab/contract';
import { clausalProof } from './clausal.ts';
import type { Contradiction } from './contradiction.ts';
import { eachEdge } from './each-edge.ts';
import { nameOfCycle, nameOfProof } from './names.ts';
import { nestedCycle } from './nested.ts';
import { smallestCycle } from './smallest.ts';

/** Audience of an explanation: people, who want the smallest cycle, or a search that continues after it. */
export type Audience = 'people' | 'search';

/** Certifies and names a contradiction, by the smallest cycle without a choice, or else by the proof that was found. */
export function explainViolation(contradiction: Contradiction, certify: boolean, audience: Audience): FoundAnomaly {
  const proven = nestedCycle(contradiction) ?? clausalProof(contradiction);
  if (audience === 'search') return { ...nameOfProof(contradiction, cyclesOf(proven)), certificate: proven };
  let cycle = smallestCycle(contradiction, transactionsNear(contradiction, proven));
  let named = cycle === null ? nameOfProof(contradiction, cyclesOf(proven)) : nameOfCycle(contradiction, cycle.edges);
  if (cycle === null) {
    cycle = smallestCycle(contradiction, named.transactions);
    if (cycle !== null) named = nameOfCycle(contradiction, cycle.edges);
  }
  return certify ? { ...named, certificate: cycle ?? proven } : named;
}

/** Returns all transactions of a small history; in a large history, the transactions that a certificate names. */
function transactionsNear(
  { versions, tuning }: Contradiction,
  certificate: CycleCertificate | ProofCertificate,
): number[] {
  const { happened, numHappened } = versions;
  if (numHappened <= tuning.smallHistory) return Array.from(happened.keys());
  const named = new Set<number>();
  eachEdge(cyclesOf(certificate), ({ from, to }) => {
    for (const t of [from, to]) if (t >= 0) named.add(t);
  });
  return [...named];
}

const cyclesOf = (certificate: CycleCertificate | ProofCertificate): (readonly Edge[])[] =>
  certificate.kind === 'cycle'
    ? [certificate.edges]
    : certificate.steps.flatMap((step) => (step.kind === 'cycle' ? [step.edges] : []));
