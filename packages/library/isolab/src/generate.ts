import { findLevel } from '@isolab/contract';
import { type History, countTransactions } from '@isolab/history';
import type { LightweightOptions, Settings, SimulatedLevel, Workload } from '@isolab/workloads';

export interface GenerateOptions {
  /** The name of a workload, as `isolab list workloads` lists them, the file or package of a plug-in, or a workload itself. */
  readonly workload: string | Workload;
  /** Its parameters as words, in place of the defaults. */
  readonly parameters?: Readonly<Record<string, string>>;
  readonly level?: string;
  readonly sessions?: number;
  /** The transactions that each session commits. */
  readonly transactions?: number;
  readonly seed?: string | number;
  /** The probability of each fault, by its name or by the file or package of a plug-in. */
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
  throw new ParameterError(`The simulated database cannot run at ${word}; it can at ${levels}.`);
}
