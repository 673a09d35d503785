import {
  ALL_ANOMALIES,
  CLAIM_ANOMALIES,
  type Certification,
  type Checker,
  INITIAL_TXN,
  type LevelName,
  UNCERTIFIED,
  type Verdict,
  certificateOf,
} from '@isolab/contract';
import { ALL_ALLOWED, verifyEvidence } from '@isolab/verifier';
import { checkShape } from '@isolab/history';
import { type TestInput, missingShape } from './run.ts';

/** Promises of a checker or variant that its violated, or its satisfied, is always right. */
export interface Claims {
  readonly sound: boolean;
  readonly complete: boolean;
}

/** Describes a problem with a verdict, given the truth (null: unknown); null if there is none. */
export function verdictProblem<Options>(
  checker: Checker<Options>,
  input: TestInput,
  level: LevelName,
  verdict: Verdict,
  truth: boolean | null,
  claims: Claims = checker.info,
): string | null {
  const malformed = malformation(verdict, input.history.txnStatus.length);
  if (malformed !== null) return malformed;
  if (verdict.status === 'unknown') return unknownProblem(checker, input, level, verdict.reason, claims);
  if (truth === null) return null;
  if (verdict.status === 'satisfied' && !truth && claims.complete) return 'got satisfied, expected violated';
  if (verdict.status === 'violated' && truth && claims.sound) {
    return `got violated (${verdict.anomalies.map(({ name }) => name).join(', ')}), expected satisfied`;
  }
  return null;
}

function unknownProblem<Options>(
  checker: Checker<Options>,
  input: TestInput,
  level: LevelName,
  reason: string,
  claims: Claims,
): string | null {
  if (reason === 'unsupported') {
    if (missingShape(checker, input, level) !== null) return null;
    return 'got unknown (unsupported) for a history that has all shapes that the checker requires at this level';
  }
  if (reason === 'incomplete' && !(claims.sound && claims.complete)) return null;
  return `got unknown (${reason}), expected a verdict`;
}

/** Describes a problem with the form of a verdict. */
function malformation(verdict: Verdict, numTransactions: number): string | null {
  if (verdict.status !== 'violated') return null;
  if (verdict.anomalies.length === 0) return 'got violated without an anomaly';
  for (const { name, transactions } of verdict.anomalies) {
    if (![...ALL_ANOMALIES, ...CLAIM_ANOMALIES].some((known) => known.name === name))
      return `got the anomaly ${name}, which is not registered`;
    if (transactions.length === 0) return `got the anomaly ${name} without transactions`;
    const strange = transactions.find((t) => !Number.isInteger(t) || t < INITIAL_TXN || t >= numTransactions);
    if (strange !== undefined)
      return `got transaction ${strange} in ${name}; there are ${numTransactions} transactions`;
  }
  return null;
}

/**
 * Describes a problem with a verdict's certificate; null if there is none. A verdict without a certificate must give a
 * valid reason.
 */
export function certificateProblem(
  input: TestInput,
  level: LevelName,
  verdict: Verdict,
  expected: 'both' | 'satisfied',
): string | null {
  if (verdict.status === 'unknown') return null;
  const certificate = certificateOf(verdict);
  if (certificate === undefined) {
    if (verdict.uncertified === undefined)
      return `got ${verdict.status} with neither the requested certificate nor a reason for its absence (uncertified)`;
    if (!Object.hasOwn(UNCERTIFIED, verdict.uncertified))
      return `got no certificate because of ${verdict.uncertified}, which is not a reason of the contract`;
    const isExempt = verdict.status === 'violated' && expected === 'satisfied';
    if (isExempt || !CERTIFIABLE.every((shape) => checkShape(input.history, input.index, shape).holds)) return null;
    return `got ${verdict.status} without the requested certificate: ${UNCERTIFIED[verdict.uncertified]}`;
  }
  // Checkers that accept exchanges or range reads also certify the lowered history.
  const evidence: readonly Certification[] = verdict.status === 'violated' ? verdict.anomalies : [{ certificate }];
  for (const { certificate: one, passedOver } of evidence) {
    if (one === undefined) continue;
    const given = { certificate: one, passedOver };
    const verification = verifyEvidence(
      input.kind === 'scans' ? input.withScans : input.history,
      level,
      verdict.status,
      given,
      ALL_ALLOWED,
    );
    if (!verification.ok) return `the certificate of ${verdict.status} is wrong: ${verification.problem}`;
  }
  return null;
}

/** Shapes of histories that every checker can certify: each read has one writer, and no outcome is unknown. */
const CERTIFIABLE = ['unique-values', 'no-unknown'] as const;
