import type { Edge, FoundAnomaly, ProofCertificate, ViolationCertificate } from '@isolab/contract';
import { BLIND } from '@isolab/polygraph';
import type { PolygraphOutcome } from '../polygraph/decide.ts';
import type { Problem } from '../polygraph/problem.ts';
import type { Subject } from './edges.ts';
import { nestedCycle } from './nested.ts';
import { proofOfCycle, proofOfRefutation } from './proof.ts';
import { RefutedSides } from './refuted-sides.ts';

/** The anomaly of an unsatisfiable polygraph, with its certificate. */
export function anomalyOf(problem: Problem, outcome: Exclude<PolygraphOutcome, { status: 'satisfied' }>): FoundAnomaly {
  const subject: Subject = { ...problem, polygraph: outcome.polygraph };
  const refuted = new RefutedSides(subject);
  if (outcome.status === 'cyclic') {
    const nested = nestedCycle(subject, outcome.cycle, refuted);
    if (nested) return named(subject, [nested], { kind: 'cycle', edges: nested });
    return ofProof(subject, proofOfCycle(subject, outcome.cycle, refuted));
  }
  return ofProof(subject, proofOfRefutation(subject, outcome.refutation, refuted));
}

function ofProof(subject: Subject, proof: ProofCertificate): FoundAnomaly {
  const lost = lostUpdate(subject, proof);
  if (lost) return { name: 'lost-update', transactions: lost, certificate: proof };
  const cycles = proof.steps.flatMap((step) => (step.kind === 'cycle' ? [step.edges] : []));
  return named(subject, cycles, proof);
}

/** Two transactions of the proof that overwrite the same version, or null. */
function lostUpdate({ versions }: Subject, { choices }: ProofCertificate): readonly number[] | null {
  const overwriters = new Map<number, number>(); // by row
  const writers = new Set(choices.flatMap((choice) => ('first' in choice ? [choice.first, choice.second] : [])));
  for (let v = 0; v < versions.write.length; v++) {
    const row = versions.overwrites[v];
    const t = versions.txnOf[versions.node[v]];
    if (row === BLIND || !writers.has(t)) continue;
    const other = overwriters.get(row);
    if (other !== undefined) return [other, t];
    overwriters.set(row, t);
  }
  return null;
}

/** Names the mildest anomaly among the cycles, because every order of the versions has one of these cycles. */
function named(
  { split, versions }: Subject,
  cycles: readonly (readonly Edge[])[],
  certificate: ViolationCertificate,
): FoundAnomaly {
  const ranked = cycles.map((edges) => rankOf(edges, versions.history.opKey));
  const worst = ranked.indexOf(Math.max(...ranked));
  const name = NAMES[ranked[worst]!]!;
  return {
    name: split && name === 'G2-item' ? 'G-nonadjacent' : name,
    transactions: [...new Set(cycles[worst]!.map(({ from }) => from))],
    certificate,
  };
}

const NAMES = ['G0', 'G1c', 'G-single', 'lost-update', 'G2-item'] as const;

function rankOf(edges: readonly Edge[], opKey: Int32Array): number {
  const overwrites = edges.flatMap(({ reason }) => (reason.kind === 'overwrites' ? [reason] : []));
  if (overwrites.length > 1) {
    const [one, other] = overwrites;
    const isLostUpdate = edges.length === 2 && opKey[one!.read] === opKey[other!.read];
    return isLostUpdate ? 3 : 4;
  }
  if (overwrites.length === 1) return 2;
  return edges.some(({ reason }) => reason.kind === 'session' || reason.kind === 'read-from') ? 1 : 0;
}
