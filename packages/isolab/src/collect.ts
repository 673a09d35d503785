import type { Counts, Isolation, CollectOptions as RecordOptions } from '@isolab/collector';
import { workloadNamed } from './generate.ts';

export interface CollectOptions extends Omit<
  RecordOptions,
  'database' | 'isolation' | 'workload' | 'parameters' | 'signal'
> {
  /** The database: embedded, postgres@12.3, postgres://…, mysql://…, sqlite:FILE, duckdb:FILE, mongodb://… or exec:COMMAND. */
  readonly database: string;
  /** The database's own name of a level; its strongest one unless given. */
  readonly isolation?: string;
  readonly workload: string;
  /** The workload's parameters as words, in place of the defaults. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** Ends the collection; what was recorded stays. */
  readonly signal: AbortSignal;
  readonly onIsolation?: (isolation: Isolation) => void;
}

export interface Collected {
  readonly counts: Counts;
  readonly isolation: Isolation;
  readonly interrupted: boolean;
  /** Whether `resume` can continue it. */
  readonly canResume: boolean;
}

/** Runs a workload against a database and records the history. */
export async function collect(given: CollectOptions): Promise<Collected> {
  const { database: address, signal, sessions, transactions } = given;
  const {
    CollectorError,
    DEFAULT_CONNECT_MS,
    Interrupted,
    collect: record,
    driverFor,
    isolationNamed,
  } = await import('@isolab/collector');
  const { resolveParameters } = await import('@isolab/workloads');
  const workload = await workloadNamed(given.workload);
  const parameters = resolveParameters(workload, given.parameters ?? {});
  const driver = await driverFor(address);
  if (!driver.data.includes(parameters['lists'] === true ? 'lists' : workload.data))
    throw new CollectorError(`${driver.title} cannot hold what ${workload.name} needs (${workload.data}).`);
  const isolation = given.isolation === undefined ? driver.isolations.at(-1)! : isolationNamed(driver, given.isolation);
  given.onIsolation?.(isolation);
  let counts: Counts = { loaded: 0, committed: 0, aborted: 0, unknown: 0, wanted: sessions * transactions, seconds: 0 };
  let canResume = false;
  const onProgress = (now: Counts): void => given.onProgress?.((counts = now));
  try {
    const { connectMs = DEFAULT_CONNECT_MS } = given;
    const database = await driver.open(address, { connectMs, signal });
    canResume = database.isTemporary !== true;
    try {
      counts = await record({ ...given, database, isolation, workload, parameters, onProgress });
    } finally {
      await database.close();
    }
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
  }
  return { counts, isolation, interrupted: signal.aborted, canResume };
}
