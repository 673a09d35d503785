import type { Workload } from '@isolab/workloads';
import type {
  Counts,
  Database,
  Isolation,
  CollectorOptions as RecordOptions,
  driverFor as FindDriver,
} from '@isolab/collector';

export interface CollectOptions extends Omit<
  RecordOptions,
  'database' | 'nodes' | 'proxies' | 'isolation' | 'workload' | 'parameters' | 'signal'
> {
  /**
   * Address of the database: embedded, postgres@12.3, postgres://…, mysql://…, sqlite:FILE, duckdb:FILE, mongodb://…,
   * module:FILE or exec:COMMAND. Several addresses are nodes of one database, to which sessions connect in turn.
   */
  readonly database: string | readonly string[];
  /** The database's name of an isolation level; its strongest level if absent. */
  readonly isolation?: string;
  /** Name of a workload, file or package of a plug-in, or a workload object. */
  readonly workload: string | Workload;
  /** Parameters of the workload as text, instead of the defaults. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** Statements at the start of every session, where the driver supports them. */
  readonly sessionSetup?: readonly string[];
  /** Signal that ends the collection. The recorded part is kept. */
  readonly signal?: AbortSignal;
  readonly onIsolation?: (isolation: Isolation) => void;
  /** Called with each line about downloads and builds, which may take minutes. */
  readonly onFetch?: (line: string) => void;
}

export interface Collected {
  readonly counts: Counts;
  readonly isolation: Isolation;
  readonly interrupted: boolean;
  /** Whether `resume` can continue the collection. */
  readonly canResume: boolean;
}

/** Runs a workload against a database and records the history. */
export async function collect(given: CollectOptions): Promise<Collected> {
  const { signal = new AbortController().signal, sessionSetup = [] } = given;
  const addresses = [given.database].flat();
  const {
    CollectorError,
    DEFAULT_CONNECT_MS,
    Interrupted,
    Proxies,
    isOfNetwork,
    collect: record,
    driverFor,
    isolationToCollect,
  } = await import('@isolab/collector');
  const { resolveParameters } = await import('@isolab/workloads');
  const { loadDistributions, workloadNamed } = await import('./plugins/named.ts');
  const workload = await workloadNamed(given.workload);
  await loadDistributions(workload, given.parameters ?? {});
  const parameters = resolveParameters(workload, given.parameters ?? {});
  const [driver, ...others] = await driversFor(addresses, driverFor);
  if (!driver.data.includes(parameters['lists'] === true ? 'lists' : workload.data))
    throw new CollectorError(`${driver.title} does not support the data of ${workload.name} (${workload.data}).`);
  const isolation =
    given.isolation === undefined ? driver.isolations.at(-1)! : isolationToCollect(driver, given.isolation);
  given.onIsolation?.(isolation);
  const wanted = given.sessions * given.transactions;
  let counts: Counts = { loaded: 0, committed: 0, aborted: 0, unknown: 0, wanted, seconds: 0 };
  let canResume = false;
  const onProgress = (now: Counts): void => given.onProgress?.((counts = now));
  try {
    const { connectMs = DEFAULT_CONNECT_MS } = given;
    const nodes: Database[] = [];
    const proxies = given.faults?.kinds.some(isOfNetwork) ? new Proxies() : null;
    const limits = { connectMs, signal, sessionSetup, onFetch: given.onFetch, ...(proxies && { proxies }) };
    try {
      for (const [index, one] of [driver, ...others].entries()) nodes.push(await one.open(addresses[index]!, limits));
      const database = nodes[0]!;
      canResume = database.isTemporary !== true;
      counts = await record({
        ...given,
        signal,
        database,
        ...(nodes.length > 1 && { nodes }),
        ...(proxies && { proxies }),
        isolation,
        workload,
        parameters,
        onProgress,
      });
    } finally {
      await Promise.all(nodes.map((node) => node.close()));
      await proxies?.close();
    }
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
  }
  return { counts, isolation, interrupted: signal.aborted, canResume };
}

type Drivers = [Awaited<ReturnType<typeof FindDriver>>, ...Awaited<ReturnType<typeof FindDriver>>[]];

/** Returns the drivers of all nodes, which must be of one kind, so that the names of levels agree. */
async function driversFor(addresses: readonly string[], find: typeof FindDriver): Promise<Drivers> {
  const { CollectorError } = await import('@isolab/collector');
  const drivers = await Promise.all(addresses.map((address) => find(address)));
  const [first, ...others] = drivers;
  if (!first) throw new CollectorError('The address of a database is missing.');
  const other = others.find(({ title }) => title !== first.title);
  if (other)
    throw new CollectorError(`All nodes of a database need the same driver, found ${first.title} and ${other.title}.`);
  return drivers as Drivers;
}
