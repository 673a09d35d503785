import { type History, type NamedRows, countOperations, countTransactions } from '@isolab/history';
import type { CertificateFile, SatisfiedCertificate, ViolationCertificate } from './certificate.ts';
import type { LevelName } from '@isolab/levels';

export interface Certified {
  readonly level: LevelName;
  readonly checker: string;
  readonly verdict: 'satisfied' | 'violated';
  readonly certificate: SatisfiedCertificate | ViolationCertificate;
  readonly passedOver?: NamedRows | undefined;
}

/**
 * Returns the file of a certificate. The file refers to `history` as it was read; the certificate itself refers to the
 * lowered history.
 */
export function certificateFile(
  history: History,
  { level, checker, verdict, certificate, passedOver }: Certified,
): CertificateFile {
  return {
    isolab: 'certificate',
    version: 1,
    level,
    checker,
    history: { transactions: countTransactions(history), operations: countOperations(history) },
    verdict,
    certificate,
    ...(passedOver && { passedOver }),
  };
}
