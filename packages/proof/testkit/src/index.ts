export { type HistoryBounds, arbitraryHistory } from './arbitrary.ts';
export { type ConformanceCheck, type ConformanceOptions, conformanceChecks } from './conformance.ts';
export { DEFAULT_SELECTIONS, RANDOM_KINDS, type Selection } from './corpus.ts';
export { describeChecker } from './describe-checker.ts';
export {
  BESIDE,
  CONTRADICTIONS,
  type Contradiction,
  EVIDENT_FATES,
  FATES,
  type Fate,
  contradictionAs,
} from './contradictions.ts';
export { STORES, type Store } from './execution.ts';
export { type ExhaustiveBounds, countExhaustive, exhaustiveHistories } from '@isolab/lattice';
export { draws, drawn } from './draws.ts';
export { type Claims, certificateProblem, verdictProblem } from './judge.ts';
export { modelDemands } from './model-demands.ts';
export {
  type OperationsCheck,
  RANDOM_MODELS,
  disagreement,
  firstDisagreement,
  randomOperations,
  vocabularyOf,
} from './operations.ts';
export { type Formula, formulaHistory, isSatisfiable } from './formulas.ts';
export { METAMORPHOSES } from './metamorphic.ts';
export { type RowCase, historyOfRowCase, rowCases } from './row-cases.ts';
export { NAMED_HISTORIES, type NamedHistory, namedHistory } from './named-histories.ts';
export { h, historyOf, parseHistory, printHistory } from './notation.ts';
export {
  type TestInput,
  type TestOutcome,
  type TestRun,
  defaultsOf,
  inputFor,
  observeForTest,
  prepare,
  runForTest,
} from './run.ts';
export { TestContext } from './test-context.ts';
export { withExchanges } from './random-exchanges.ts';
export { HIDDEN_COLUMN, type RecordingKind, randomRecording } from './random-recordings.ts';
export { type CounterKind, randomCounters } from './random-counters.ts';
export { type RowKind, randomRows } from './random-rows.ts';
export { randomNumbers } from './random-numbers.ts';
export { randomSums } from './random-sums.ts';
export { type RunKind, randomRun } from './random-runs.ts';
export { SMALL_POLYGRAPHS, hasSolution, isSolution, parsePolygraph, polygraphOf } from './polygraphs.ts';
