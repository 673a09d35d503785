export { VariableHeap } from './heap.ts';
export { fromDimacs, type Literal, negate, negative, positive, toDimacs } from './state/literals.ts';
export type { SolverOptions } from './state/options.ts';
export { type TraceStep, ProofTrace } from './state/proof.ts';
export { Propagator } from './propagator.ts';
export { Solver } from './solver.ts';
