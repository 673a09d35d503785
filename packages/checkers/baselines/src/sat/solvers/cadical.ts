import type { RunContext } from '@isolab/contract';
import type { Cadical, CadicalModule } from 'cadical-wasm';
import type { Formula } from '../formula/formula.ts';
import type { Problem } from '../formula/problem.ts';
import { type Answer, type SolverLimits, outOfConflicts } from './answer.ts';

/** CaDiCaL in WebAssembly. Its heap grows up to 4 GB and never shrinks, so a module with a large heap is discarded. */
export async function solveWithCadical(
  { formula }: Problem,
  { conflicts }: SolverLimits,
  context: RunContext,
): Promise<Answer> {
  context.stage('load');
  const { Cadical } = await import('cadical-wasm');
  const module = await loadModule();
  try {
    const solver = new Cadical(module, CADICAL_OPTIONS);
    try {
      return solve(solver, formula, conflicts, context);
    } finally {
      dispose(solver);
    }
  } finally {
    if (module.HEAP32.byteLength > LARGE) loaded = null;
  }
}

/** After an abort this may trap, which is harmless. Without it, the trap would occur when the solver is collected. */
function dispose(solver: Cadical): void {
  try {
    solver.dispose();
  } catch (error) {
    if (loaded !== null) throw error;
  }
}

function solve(solver: Cadical, formula: Formula, conflicts: number, context: RunContext): Answer {
  // An exception must not pass through the solver's frames, so it is stored, and thrown after the solver returns.
  let stop: { readonly thrown: unknown } | null = null;
  solver.setTerminate(() => {
    try {
      context.tick(STEPS);
      return false;
    } catch (thrown) {
      stop = { thrown };
      return true;
    }
  });
  let status: ReturnType<Cadical['solve']>;
  try {
    addClauses(solver, formula, (steps) => context.tick(steps));
    context.stage('solve');
    status = solver.solve(conflicts > 0 ? { conflicts } : {});
  } catch (error) {
    if (!isExhausted(error)) throw error;
    loaded = null; // an aborted instance is unusable
    return { status: 'unknown', reason: 'memory', detail: `CaDiCaL's heap is exhausted: ${(error as Error).message}` };
  }
  if (stop !== null) throw (stop as { readonly thrown: unknown }).thrown;
  if (status === 'unknown') return outOfConflicts(conflicts);
  if (status === 'unsatisfiable') return { status };
  const values = solver.model();
  const model = new Uint8Array(formula.numVariables + 1);
  for (let v = 1; v < model.length; v++) model[v] = values[v] ? 1 : 0;
  return { status, model, order: null };
}

function addClauses(solver: Cadical, { clauses, numVariables }: Formula, tick: (steps: number) => void): void {
  if (numVariables > 0) solver.ensureVars(numVariables);
  const literals: number[] = [];
  let added = 0;
  for (let i = 0; i < clauses.length; i++) {
    if (clauses[i] !== 0) {
      literals.push(clauses[i]);
      continue;
    }
    solver.addClause(literals);
    literals.length = 0;
    if ((++added & 4095) === 0) tick(4096);
  }
}

/** Errors that emscripten throws when memory is exhausted: an abort or a trap. */
const isExhausted = (error: unknown): boolean =>
  error instanceof RangeError ||
  (error instanceof Error && /abort|memory|OOM|bad_alloc|unreachable/i.test(error.message));

function loadModule(): Promise<CadicalModule> {
  loaded ??= import('cadical-wasm').then(({ createModule }) => createModule({ print() {}, printErr() {} }));
  return loaded;
}

/** A single module for all runs, as loading takes longer than solving a small formula. */
let loaded: Promise<CadicalModule> | null = null;

/**
 * First guesses are false, as in MiniSat: most of these variables state that an edge exists. With true, solving takes 2
 * to 4 times as long.
 */
const CADICAL_OPTIONS = { quiet: true, phase: 0 } as const;
const LARGE = 2 ** 27;
/** Charged whenever CaDiCaL asks whether to stop, about every ten conflicts. */
const STEPS = 100;
