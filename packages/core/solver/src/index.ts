export { fromDimacs, type Literal, negate, negative, positive, toDimacs } from './literals.ts';
export type { SolverOptions } from './options.ts';
export { type ProofStep, ProofTrace } from './proof.ts';
export { Solver } from './solver.ts';
