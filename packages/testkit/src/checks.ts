/** The conformance suite of checkers for who runs it without vitest. */
export { type ConformanceCheck, type ConformanceOptions, conformanceChecks } from './conformance.ts';
