export type * from './certificate.ts';
export type * from './flat-certificates.ts';
export { type Certified, certificateFile } from './certificate-file.ts';
export * from './contract.ts';
export { checkCutIsolation, hasHappenedAt, mayHaveHappenedAt } from './cut-isolation.ts';
export { internalViolations } from './internal-verdict.ts';
export {
  ALL_ANOMALIES,
  type Anomaly,
  type AnomalyName,
  CLAIM_ANOMALIES,
  type ClaimName,
  CYCLIC_ANOMALIES,
  INCONSISTENT_AGGREGATE,
  INTERNAL_ANOMALY_NAMES,
  NAMES_OVER_PREDICATES,
  findAnomaly,
  levelsForbidding,
  weakestForbidding,
} from './anomalies.ts';
export { addDefinition, decidedAs, definitionOf, userDefinition } from './definitions.ts';
export { nameOfEdges, nameWithTime } from './cycle-name.ts';
export { axiomsOf, clearestStep, edgesOfAxioms, edgesOfWalk, transactionsOf } from './walk-edges.ts';
export {
  type ByLevel,
  type CoreLevel,
  KNOWN_LEVELS,
  type Level,
  type LevelOrderBreak,
  LEVELS,
  MISLEADING_NAMES,
  type MisleadingName,
  eachLevel,
  findLevel,
  implies,
  inRegistryOrder,
  levelInWords,
  levelNamed,
  seesWholeChanges,
  levelOrderBreaks,
  levelsIn,
} from './levels.ts';
export { NUMBERED, type Numbering, eachEdge, numbersIn, renumber } from './numbers.ts';
export { onlyStated, whyNotStated } from './stated.ts';
export { listViolation, listViolations, listsCertificate } from './list-violations.ts';
export { type PolygraphAnswer, polygraphVerdict } from './polygraph-verdict.ts';
export {
  type BuiltInLevel,
  type LevelAlias,
  type LevelName,
  type UserLevel,
  STATABLE,
  STATED,
  didYouMean,
} from '@isolab/levels';
export { type Demand, type DemandFinding, type Shown, findingsOf } from './demands.ts';
export type { StageDependency, StageScenario, Stages } from './stages.ts';
