export type * from './certificate/certificate.ts';
export { type Certified, certificateFile, verifyCertificateFile } from './certificate/certificate-file.ts';
export { type Verification, verifyCertificate } from './certificate/verify.ts';
export * from './contract.ts';
export { contradictedClaims } from './claims.ts';
export { internalViolations } from './internal-verdict.ts';
export {
  ALL_ANOMALIES,
  type Anomaly,
  CLAIM_ANOMALIES,
  CYCLIC_ANOMALIES,
  INTERNAL_ANOMALY_NAMES,
  findAnomaly,
  levelsForbidding,
} from './anomalies.ts';
export { nameOfEdges, nameWithTime } from './cycle-name.ts';
export {
  type Level,
  type LevelName,
  type LevelOrderBreak,
  LEVELS,
  MISLEADING_NAMES,
  type MisleadingName,
  findLevel,
  implies,
  levelNamed,
  levelOrderBreaks,
} from './levels.ts';
export { polygraphOrderProblem, verifyPolygraphFile } from './polygraph.ts';
export { listViolation, listViolations, listsCertificate } from './list-violations.ts';
