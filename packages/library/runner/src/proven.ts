/** Loaded only for plug-ins, together with the verifier. */
import type { Certified, FoundAnomaly, LevelName, Verdict } from '@isolab/contract';
import { ALL_ALLOWED, type Verification, verifyEvidence, verifyPolygraphFile } from '@isolab/verifier';
import type { PreparedInput } from './prepare.ts';
import { type Proven, believed } from './proof.ts';

/**
 * Returns the verdict of a plug-in after the verification of its certificates. A refused certificate makes the verdict
 * unknown, unless another anomaly is proved. In that case the unproved anomalies are omitted.
 */
export function proven(input: PreparedInput, level: LevelName, verdict: Verdict): Proven {
  if (verdict.status === 'unknown') return believed(verdict);
  if (verdict.status === 'satisfied') {
    const { certificate } = verdict;
    if (certificate === undefined) return believed(verdict);
    const result = verify(input, level, 'satisfied', { certificate });
    return result.ok ? { verdict, proof: 'verified', notes: [] } : refused(verdict.status, result.problem);
  }
  const accepted: FoundAnomaly[] = [];
  let problem: string | null = null;
  for (const anomaly of verdict.anomalies) {
    const { certificate, passedOver } = anomaly;
    if (certificate === undefined) continue;
    const result = verify(input, level, 'violated', { certificate, passedOver });
    if (result.ok) accepted.push(anomaly);
    else problem ??= result.problem;
  }
  if (accepted.length === 0) return problem === null ? believed(verdict) : refused(verdict.status, problem);
  const left = verdict.anomalies.length - accepted.length;
  const notes =
    left === 0 ? [] : [`${left} of ${verdict.anomalies.length} anomalies are left out because they have no proof.`];
  return { verdict: { ...verdict, anomalies: accepted }, proof: 'verified', notes };
}

function refused(claimed: 'satisfied' | 'violated', problem: string): Proven {
  const detail = `its verdict is ${claimed}, but the verifier refuses its certificate: ${problem}`;
  return { verdict: { status: 'unknown', reason: 'certificate-refused', detail }, proof: 'refused', notes: [] };
}

function verify(
  input: PreparedInput,
  level: LevelName,
  claimed: 'satisfied' | 'violated',
  evidence: Pick<Certified, 'certificate' | 'passedOver'>,
): Verification {
  const { certificate } = evidence;
  if (input.kind === 'polygraph')
    return verifyPolygraphFile(input.polygraph, { isolab: 'certificate', verdict: claimed, certificate });
  return verifyEvidence(
    input.kind === 'scans' ? input.withScans : input.history,
    level,
    claimed,
    evidence,
    ALL_ALLOWED,
  );
}
