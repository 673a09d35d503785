/** The conformance suites of checkers and of models, for use without vitest. */
export { type ConformanceCheck, type ConformanceOptions, conformanceChecks } from './conformance.ts';
export { type OperationsJudge, modelDemands } from './model-demands.ts';
