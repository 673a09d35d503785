export { fromDimacs, isNegative, type Literal, negate, negative, positive, toDimacs, variableOf } from './literals.ts';
export type { GraphOptions, SolverOptions, Statistics, VariableOptions } from './options.ts';
export { type ProofStep, ProofTrace } from './proof.ts';
export { Solver, type Verdict } from './solver.ts';
export { addCnf, type Cnf, DimacsError, parseDimacs, printDimacs } from './dimacs.ts';
