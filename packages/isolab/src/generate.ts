import { findLevel, orNearest } from '@isolab/contract';
import { type History, countTransactions } from '@isolab/history';
import type { FaultName, LightweightOptions, Settings, SimulatedLevel, Workload } from '@isolab/workloads';

export interface GenerateOptions {
  /** The name of a workload, as `isolab workloads` lists them. */
  readonly workload: string;
  /** Its parameters as words, in place of the defaults. */
  readonly parameters?: Readonly<Record<string, string>>;
  readonly level?: string;
  readonly sessions?: number;
  /** The transactions that each session commits. */
  readonly transactions?: number;
  readonly seed?: string | number;
  /** The probability of each fault. */
  readonly faults?: Readonly<Record<string, number>>;
  /** The probability that a client aborts at the end, and that it never learns the outcome. */
  readonly aborts?: number;
  readonly unknowns?: number;
  readonly retry?: boolean;
  readonly times?: boolean;
  /** Whether the history has the timestamps by which the simulated database orders starts and commits. */
  readonly timestamps?: boolean;
  readonly onProgress?: (done: number, total: number) => void;
}

export interface Generated {
  readonly history: History;
  readonly parameters: Settings;
  readonly committed: number;
  readonly aborted: number;
  readonly unknown: number;
}

/** Runs a workload on the simulated database. The same options give the same history. */
export async function generate({
  workload: name,
  parameters: words = {},
  ...options
}: GenerateOptions): Promise<Generated> {
  const { LIGHTWEIGHT_PARAMETERS, lightweightHistory, resolveParameters, simulate } = await import('@isolab/workloads');
  const { level = 'serializable', sessions = 20, transactions = 100, seed = 1, faults = {}, ...rest } = options;
  if (name === 'lightweight') {
    // MTC's histories of lightweight transactions are made from points in time; no database takes part.
    const parameters = resolveParameters({ name, parameters: LIGHTWEIGHT_PARAMETERS }, words);
    const history = lightweightHistory({
      sessions,
      transactions,
      seed,
      objects: Number(parameters['objects']),
      concurrent: Number(parameters['concurrent']),
      fault: parameters['fault'] as NonNullable<LightweightOptions['fault']>,
    });
    return { history, parameters, committed: countTransactions(history), aborted: 0, unknown: 0 };
  }
  const workload = await workloadNamed(name);
  const parameters = resolveParameters(workload, words);
  await insistOnSimulated(level, Object.keys(faults));
  const simulated = findLevel(level)?.level.name ?? level;
  const set = { ...rest, level: simulated as SimulatedLevel, faults: faults as Partial<Record<FaultName, number>> };
  return { ...simulate(workload, parameters, { ...set, sessions, transactions, seed }), parameters };
}

export async function workloadNamed(name: string): Promise<Workload> {
  const { ParameterError, WORKLOADS, findWorkload } = await import('@isolab/workloads');
  const known = [...WORKLOADS.map((each) => each.name), 'lightweight'];
  const found = findWorkload(name);
  if (found) return found;
  throw new ParameterError(`There is no workload ${name}; ${orNearest(name, known)}isolab workloads lists them.`);
}

async function insistOnSimulated(level: string, faults: readonly string[]): Promise<void> {
  const { FAULTS, ParameterError, SIMULATED_LEVELS } = await import('@isolab/workloads');
  const levels = Object.keys(SIMULATED_LEVELS);
  if (!levels.includes(findLevel(level)?.level.name ?? level))
    throw new ParameterError(`The simulated database cannot run at ${level}; it can at ${levels.join(', ')}.`);
  const wrong = faults.find((name) => !Object.hasOwn(FAULTS, name));
  if (wrong !== undefined) throw new ParameterError(`There is no fault ${wrong}; isolab workloads lists them.`);
}
