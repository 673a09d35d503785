import type { CertificateFile } from '@isolab/contract';
import { parseJson } from '@isolab/formats';
import { type Verification, verifyCertificateFile, verifyPolygraphFile } from '@isolab/verifier';
import type { LevelWord } from './check.ts';
import { type Subject, asOpened } from './open.ts';
import { type CheckResult, certificateFileOf } from './result.ts';
import { runToTell } from './shrink.ts';

/**
 * Returns the evidence for the verdict at one of a result's levels, as a file for `verify`; null where there is none.
 */
export const certificate = (subject: Subject, result: CheckResult, level?: LevelWord): CertificateFile | null =>
  certificateFileOf(asOpened(subject).prepared.history, runToTell(result, level));

/** Assumptions that `verify` accepts without proof. */
export interface VerifyOptions {
  /** Whether to assume that nothing is missing from an incomplete history. */
  readonly allowCutOff?: boolean;
  /** Whether to assume that a real-time level holds where no two transactions have comparable times. */
  readonly allowVacuous?: boolean;
  /** Whether to assume that the timestamps of the database are correct. */
  readonly trust?: 'timestamps';
}

/**
 * Verifies that a certificate from any program proves its verdict about a history. It is accepted (`ok`) only if all
 * requirements of the level were checked. Otherwise it is rejected, or accepted in part, with the unchecked parts and
 * the reasons. Throws a FormatError if the text is not JSON or repeats a field, because programs disagree on the value
 * of a repeated field.
 */
export function verify(subject: Subject, textOrData: unknown, options: VerifyOptions = {}): Verification {
  const file = typeof textOrData === 'string' ? parseJson(textOrData, 'certificate') : textOrData;
  if ('prepared' in subject && subject.kind === 'polygraph') return verifyPolygraphFile(subject.polygraph, file);
  return verifyCertificateFile('prepared' in subject ? subject.history : subject, file, {
    cutOff: options.allowCutOff === true,
    vacuous: options.allowVacuous === true,
    timestamps: options.trust === 'timestamps',
  });
}
