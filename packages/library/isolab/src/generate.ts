import { findLevel } from '@isolab/contract';
import { type History, countTransactions } from '@isolab/history';
import type { LightweightOptions, Settings, SimulatedLevel, Workload } from '@isolab/workloads';

export interface GenerateOptions {
  /** Name of a workload as in `isolab list workloads`, file or package of a plug-in, or a workload object. */
  readonly workload: string | Workload;
  /** Parameters of the workload as text, instead of the defaults. */
  readonly parameters?: Readonly<Record<string, string>>;
  readonly level?: string;
  readonly sessions?: number;
  /** Number of transactions that each session commits. */
  readonly transactions?: number;
  readonly seed?: string | number;
  /** Probability of each fault, by its name or by the file or package of a plug-in. */
  readonly faults?: Readonly<Record<string, number>>;
  /** Probability that a client aborts at the end, and probability that it never learns the outcome. */
  readonly aborts?: number;
  readonly unknowns?: number;
  readonly retry?: boolean;
  readonly times?: boolean;
  /** Whether the history includes the timestamps by which the simulated database orders starts and commits. */
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

/** Runs a workload on the simulated database. Equal options give equal histories. */
export async function generate({
  workload: name,
  parameters: words = {},
  ...options
}: GenerateOptions): Promise<Generated> {
  const { LIGHTWEIGHT_PARAMETERS, lightweightHistory, resolveParameters, simulate } = await import('@isolab/workloads');
  const { level = 'serializable', sessions = 20, transactions = 100, seed = 1, faults = {}, ...rest } = options;
  if (name === 'lightweight') {
    // MTC's lightweight histories are generated from points in time, without a simulated database.
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
  const { faultsNamed, loadDistributions, workloadNamed } = await import('./plugins/named.ts');
  const workload = await workloadNamed(name);
  await loadDistributions(workload, words);
  const parameters = resolveParameters(workload, words);
  const simulated = await simulatedLevel(level);
  const set = { ...rest, level: simulated, ...(await faultsNamed(faults)) };
  return { ...simulate(workload, parameters, { ...set, sessions, transactions, seed }), parameters };
}

async function simulatedLevel(word: string): Promise<SimulatedLevel> {
  const { ParameterError, SIMULATED_LEVELS } = await import('@isolab/workloads');
  const name = findLevel(word)?.level.name ?? word;
  if (Object.hasOwn(SIMULATED_LEVELS, name)) return name as SimulatedLevel;
  const levels = Object.keys(SIMULATED_LEVELS).join(', ');
  throw new ParameterError(`The simulated database does not support ${word}; it supports ${levels}.`);
}
