export { verifyCertificateFile, verifyEvidence } from './certificate-file.ts';
export { MOST_PART_STEPS, verifyOperations } from './objects/objects.ts';
export { polygraphOrderProblem, verifyPolygraphFile } from './polygraph.ts';
export {
  ALL_ALLOWED,
  type Allowances,
  type Checked,
  type CheckedPart,
  type ProofOutcome,
  type Unchecked,
  type Verification,
} from './verdict/verification.ts';
export { verifyCertificate } from './verify.ts';
