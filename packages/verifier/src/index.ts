export { verifyCertificateFile, verifyEvidence } from './certificate-file.ts';
export { MOST_PART_STEPS, verifyOperations } from './objects/objects.ts';
export { polygraphOrderProblem, verifyPolygraphFile } from './polygraph.ts';
export { type Verification, verifyCertificate } from './verify.ts';
