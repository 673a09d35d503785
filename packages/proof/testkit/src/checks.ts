/** The conformance suites of checkers and of models, for who runs them without vitest. */
export { type ConformanceCheck, type ConformanceOptions, conformanceChecks } from './conformance.ts';
export { type OperationsJudge, modelDemands } from './model-demands.ts';
