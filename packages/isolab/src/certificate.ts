import type { CertificateFile } from '@isolab/contract';
import { type Verification, verifyCertificateFile, verifyPolygraphFile } from '@isolab/verifier';
import type { LevelWord } from './check.ts';
import { type Subject, asOpened } from './open.ts';
import { type CheckResult, certificateFileOf } from './result.ts';
import { runToTell } from './shrink.ts';

/** The evidence for the verdict at one of a result's levels, as a file for `verify`; null where there is none. */
export const certificate = (subject: Subject, result: CheckResult, level?: LevelWord): CertificateFile | null =>
  certificateFileOf(asOpened(subject).prepared.history, runToTell(result, level));

/** Verifies that a certificate proves its verdict about a history, whichever program made it. */
export function verify(subject: Subject, file: unknown): Verification {
  if ('prepared' in subject && subject.kind === 'polygraph') return verifyPolygraphFile(subject.polygraph, file);
  return verifyCertificateFile('prepared' in subject ? subject.history : subject, file);
}
