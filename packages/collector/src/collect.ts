import process from 'node:process';
import { type Program, Random, type Settings, type Workload } from '@isolab/workloads';
import {
  Aborted,
  CollectorError,
  ConnectionLost,
  type Connection,
  type DataKind,
  type Database,
  type Isolation,
} from './database.ts';
import { Journal, type Outcome, operationOf } from './journal.ts';
import { shifted } from './shifted.ts';

export interface CollectOptions {
  readonly database: Database;
  readonly isolation: Isolation;
  readonly workload: Workload;
  readonly parameters: Settings;
  readonly sessions: number;
  /** Transactions that each session commits. */
  readonly transactions: number;
  readonly seed: string | number;
  /** Where the history goes. */
  readonly path: string;
  /** Continues an earlier run in the same file, on the data that it left. */
  readonly resume?: boolean;
  /** Attempts an aborted transaction again until it commits, as some papers do; otherwise goes on with the next one. */
  readonly retry?: boolean;
  readonly signal?: AbortSignal;
  readonly onProgress?: (counts: Counts) => void;
}

export interface Counts {
  readonly committed: number;
  readonly aborted: number;
  readonly unknown: number;
  readonly wanted: number;
  readonly seconds: number;
}

/** Runs a workload against a database, and leaves the history in a file even if it is interrupted. */
export async function collect(options: CollectOptions): Promise<Counts> {
  const { workload, parameters, sessions, transactions, seed, database, path, resume = false } = options;
  const data: DataKind = parameters['lists'] === true ? 'lists' : workload.data;
  const { journal, earlier } = resume
    ? Journal.continue(path)
    : { journal: Journal.create(path, database.description, data), earlier: null };
  const random = new Random(earlier ? `${seed}, continued ${earlier.continued}` : seed);
  const run = workload.prepare(parameters, sessions, random.fork('workload'));
  const clock = startClock(earlier?.lastTime ?? 0n);
  const wanted = Math.max(0, sessions * transactions - (earlier?.committed ?? 0));
  const tally = { committed: 0, aborted: 0, unknown: 0 };
  const begun = process.hrtime.bigint();
  const counts = (): Counts => ({ ...tally, wanted, seconds: Number(process.hrtime.bigint() - begun) / 1e9 });
  const ended = (outcome: Outcome): void => {
    tally[outcome]++;
    options.onProgress?.(counts());
  };
  const shared = { options, data, journal, clock, ended, shift: earlier ? earlier.continued * VALUES_A_RUN : 0 };
  const prefix = earlier ? `${earlier.continued}.` : '';
  try {
    await database.prepare(data, resume);
    if (!resume) await load(shared, run.load);
    tally.committed = 0; // what the load did does not count
    // Whoever is fast does more than its share, so that the last one is not waited for.
    let left = wanted;
    const takeTurn = (): boolean => left > 0 && options.signal?.aborted !== true && left-- > 0;
    await together(
      Array.from({ length: sessions }, (_, index) => {
        const next = run.session(index, random.fork(index));
        return () => runSession(shared, `${prefix}${index}`, next, takeTurn, () => void left++);
      }),
    );
  } finally {
    journal.close();
  }
  return counts();
}

interface Shared {
  readonly options: CollectOptions;
  readonly data: DataKind;
  readonly journal: Journal;
  readonly clock: () => bigint;
  readonly ended: (outcome: Outcome) => void;
  /** What is added to every value, so that a continued run writes none that the earlier one wrote. */
  readonly shift: number;
}

/** Nanoseconds of one clock for all sessions, going on where an earlier run ended. */
function startClock(after: bigint): () => bigint {
  const zero = process.hrtime.bigint() - after - 1n;
  return () => process.hrtime.bigint() - zero;
}

/** Waits for all; the first failure stops the others at their next transaction and is what is reported. */
async function together(tasks: readonly (() => Promise<void>)[]): Promise<void> {
  const results = await Promise.allSettled(tasks.map((task) => task()));
  const failed = results.find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
}

async function load(shared: Shared, transactions: Iterable<() => Program>): Promise<void> {
  const queue = transactions[Symbol.iterator]();
  let current = queue.next();
  if (current.done) return;
  const next = (): (() => Program) => current.value as () => Program;
  const advance = (): boolean => !current.done;
  const done = (): void => void (current = queue.next());
  await runSession(
    { ...shared, ended: (outcome) => outcome === 'committed' && done() },
    'load',
    next,
    advance,
    () => {},
  );
}

/** One client: transaction after transaction, on one connection as long as it lasts. */
async function runSession(
  shared: Shared,
  name: string,
  next: () => () => Program,
  takeTurn: () => boolean,
  giveBack: () => void,
): Promise<void> {
  const { options, ended } = shared;
  let processes = 0; // a client that never learned an outcome goes on as another session
  let connection = await connectPatiently(options);
  let attempts = 0;
  let transaction: (() => Program) | null = null;
  while (transaction !== null || takeTurn()) {
    transaction ??= next();
    const session = processes === 0 ? name : `${name}+${processes}`;
    const { outcome, lost, failure } = await attempt(shared, session, connection, transaction);
    ended(outcome);
    if (failure) throw failure;
    if (lost) {
      await connection.close().catch(() => {});
      connection = await connectPatiently(options);
    }
    if (outcome === 'unknown') processes++;
    if (outcome === 'committed') attempts = 0;
    else if (++attempts > MOST_ATTEMPTS)
      throw new CollectorError(
        `Session ${name} has not committed in ${MOST_ATTEMPTS} attempts; something else is wrong.`,
      );
    const again = outcome === 'aborted' && options.retry === true && options.signal?.aborted !== true;
    if (!again) transaction = null;
    // Only what was committed counts.
    if (outcome !== 'committed' && !again) giveBack();
  }
  await connection.close().catch(() => {});
}

interface Attempted {
  readonly outcome: Outcome;
  /** Whether the connection is gone. */
  readonly lost: boolean;
  readonly failure?: Error;
}

async function attempt(
  { journal, clock, data, shift }: Shared,
  session: string,
  connection: Connection,
  transaction: () => Program,
): Promise<Attempted> {
  const operations: string[] = [];
  const begin = clock();
  const end = (outcome: Outcome, rest: Omit<Attempted, 'outcome'>): Attempted => {
    journal.add({ session, outcome, begin, operations, ...(outcome !== 'unknown' && { end: clock() }) });
    return { outcome, ...rest };
  };
  let committing = false;
  try {
    await connection.begin();
    const program = shifted(transaction(), shift);
    for (let step = program.next(undefined); !step.done;) {
      const request = step.value;
      if (request.kind === 'abort') {
        await connection.rollback();
        return end('aborted', { lost: false });
      }
      const answer = await connection.ask(request);
      operations.push(operationOf(request, answer, data));
      step = program.next(answer);
    }
    committing = true;
    await connection.commit();
    return end('committed', { lost: false });
  } catch (error) {
    if (error instanceof ConnectionLost) return end(committing ? 'unknown' : 'aborted', { lost: true });
    const undone = await connection.rollback().then(
      () => true,
      () => false,
    );
    return end('aborted', { lost: !undone, ...(!(error instanceof Aborted) && { failure: error as Error }) });
  }
}

/** A server that was killed may take a while to come back. */
async function connectPatiently({ database, isolation }: CollectOptions): Promise<Connection> {
  const deadline = Date.now() + PATIENCE_MS;
  for (let pause = 20; ; pause = Math.min(1000, 2 * pause)) {
    try {
      return await database.connect(isolation);
    } catch (error) {
      if (!(error instanceof ConnectionLost)) throw error;
      if (Date.now() > deadline)
        throw new CollectorError(`The database does not answer any more: ${error.message}`, { cause: error });
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
}

const PATIENCE_MS = 30_000;
const MOST_ATTEMPTS = 1000;
const VALUES_A_RUN = 1_000_000_000;
