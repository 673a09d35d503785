import type { CollectorOptions, Counts } from './options.ts';
import process from 'node:process';
import { type Key, type Program, Random, type StatementRequest, isStatementRequest } from '@isolab/workloads';
import { answerTo } from '../database/answers.ts';
import type { Connection, DataKind } from '../database/database.ts';
import { Aborted, CollectorError, ConnectionLost } from '../database/errors.ts';
import { connectFirst, connectPatiently } from './connect.ts';
import { isolationOf } from '../database/mixed.ts';
import { asCollectorError } from '../drivers/drivers.ts';
import { type Attempt, type Earlier, Journal, type AttemptOutcome } from './journal.ts';
import { type Injecting, Thinking, duringFaults, insistOnFaults } from './inject.ts';
import { type Queue, finalReads, finalScans, loadQueue, sharedQueues } from './queue.ts';
import { Answered, operationsOf } from './recorded.ts';
import { shifted } from './shifted.ts';
import { type RequestStep, type Steps, afterWaits } from './steps.ts';
import { DEFAULT_STALL_MS, Stop } from './stop.ts';
import { checkFits, finished, prepareTables } from './tables.ts';
import { pause } from '@isolab/engines';

/**
 * Runs a workload against a database and records the history in a file, which stays valid if the run is interrupted.
 */
export async function collect(given: CollectorOptions): Promise<Counts> {
  const { path, resume = false } = given;
  const nodes = given.nodes ?? given.database.nodes;
  const options = { ...given, ...(nodes && { nodes }) };
  const data: DataKind = options.parameters['lists'] === true ? 'lists' : options.workload.data;
  const { data: has } = options.database;
  if (has && !has.includes(data))
    throw new CollectorError(
      `The workload ${options.workload.name} needs ${data}, but ${options.database.description} supports only ${has.join(', ')}.`,
    );
  if (options.faults) insistOnFaults(options.faults, options.database, options.proxies ?? null);
  const journal = Journal.reserve(path);
  try {
    const earlier = resume ? journal.earlier() : null;
    if (earlier) checkFits(earlier, options, data);
    await prepareTables(options, journal, data, earlier);
    return await runWorkload(options, journal, data, earlier);
  } catch (error) {
    throw asCollectorError('The history was not collected', error);
  } finally {
    journal.close();
  }
}

async function runWorkload(
  options: CollectorOptions,
  journal: Journal,
  data: DataKind,
  earlier: Earlier | null,
): Promise<Counts> {
  const { workload, parameters, sessions, transactions, seed } = options;
  const random = new Random(earlier ? `${seed}, continued ${earlier.continued}` : seed);
  const run = workload.prepare(parameters, sessions, random.fork('workload'), earlier?.continued ?? 0);
  const wanted = Math.max(0, sessions * transactions - (earlier?.committed ?? 0));
  const tally = { loaded: 0, committed: 0, aborted: 0, unknown: 0 };
  const begun = process.hrtime.bigint();
  const counts = (): Counts => ({ ...tally, wanted, seconds: Number(process.hrtime.bigint() - begun) / 1e9 });
  const stop = new Stop(options.stallMs ?? DEFAULT_STALL_MS, options.signal);
  const { mixes } = options.isolation;
  const firstLevel = mixes === undefined ? 0 : random.fork('levels').below(mixes.length);
  const collection: Collection = {
    options: { ...options, isolation: isolationOf(options.isolation, 0) },
    isMixed: mixes !== undefined,
    data,
    journal,
    stop,
    from: earlier?.lastTime ?? 0n,
    clock: startClock(earlier?.lastTime ?? 0n),
    // Table workloads number their rows and versions themselves in each run.
    shift: earlier && data !== 'tables' ? earlier.continued * VALUES_A_RUN : 0,
    used: options.finalReads ? new Set() : null,
    own: null,
    thinking: new Thinking(random.fork('thinking')),
  };
  const prefix = earlier ? `${earlier.continued}.` : '';
  const told = (count: () => void): void => {
    count();
    options.onProgress?.(counts());
  };

  const work = async (): Promise<void> => {
    if (!earlier?.isLoaded) {
      const loading = loadQueue(run.load, () => told(() => void tally.loaded++));
      await stop.during([() => runSession(collection, `${prefix}load`, loading)]);
    }
    const queueOf = sharedQueues(wanted, options.seconds, (outcome) => told(() => void tally[outcome]++));
    await duringFaults(
      stop,
      injectingOf(collection, random.fork('faults')),
      options.seconds,
      Array.from({ length: sessions }, (_, index) => {
        const queue = options.queueOf?.(index) ?? queueOf(run.session(index, random.fork(index)));
        const database = options.nodes?.[index % options.nodes.length] ?? options.database;
        const isolation = isolationOf(options.isolation, firstLevel + index);
        const keys = options.ownReads ? new Set<Key>() : null;
        const own = { ...collection, options: { ...options, database, isolation }, own: keys };
        const isNew = index % 2 === 1 && options.nodes === undefined;
        const reads = keys && { isNew, queue: () => readsOf(own, [...keys].toReversed().slice(0, OWN_READS)) };
        return () => runSession(own, `${prefix}${index}`, queue, reads);
      }),
    );
    if (options.finalReads && !stop.isAsked) await readFinally(collection, prefix);
  };
  await finished(options, journal, data, work());
  return counts();
}

function injectingOf({ options, ...collection }: Collection, random: Random): Injecting | undefined {
  const { faults, database, proxies = null } = options;
  return faults && { ...collection, faults, database, proxies, random };
}

const readsOf = ({ data, options }: Collection, keys: readonly Key[]): Queue =>
  data === 'tables' ? finalScans(options.workload.tables ?? []) : finalReads(keys, data);

function readFinally(collection: Collection, prefix: string): Promise<void> {
  const { options, stop, used } = collection;
  const reading = (options.nodes ?? [options.database]).map((database, node) => {
    const own = { ...collection, options: { ...options, database } };
    return () => runSession(own, `${prefix}final${node}`, readsOf(collection, [...(used ?? [])]));
  });
  return stop.during(reading);
}

interface Collection {
  readonly options: CollectorOptions;
  /** Shows whether transactions state the levels of their sessions. */
  readonly isMixed: boolean;
  readonly data: DataKind;
  readonly journal: Journal;
  readonly stop: Stop;
  readonly from: bigint;
  readonly clock: () => bigint;
  /** Offset added to every value, so that a continued run writes no value of an earlier run. */
  readonly shift: number;
  readonly thinking: Thinking;
  /** Keys of all sessions, for the final reads; null without these reads. */
  readonly used: Set<Key> | null;
  /** Keys of one session in the order of their last use, for its own reads; null without these reads. */
  readonly own: Set<Key> | null;
}

/** Reads of a session after its other transactions. */
interface LastReads {
  /** States that the session connects once more. */
  readonly isNew: boolean;
  queue(): Queue;
}

/** Returns a clock in nanoseconds for all sessions. It continues from the end of the earlier run. */
function startClock(after: bigint): () => bigint {
  const zero = process.hrtime.bigint() - after - 1n;
  return () => process.hrtime.bigint() - zero;
}

/** Runs one session: transaction after transaction, on one connection for as long as it lasts. */
async function runSession(
  collection: Collection,
  name: string,
  given: Queue,
  lastReads: LastReads | null = null,
): Promise<void> {
  const { options, stop } = collection;
  let queue = given;
  let left = lastReads;
  let processes = 0; // a client that did not learn the outcome of a transaction continues as a new session
  const watched = (bare: Connection): Connection => stop.watched(queue.connected?.(bare) ?? bare);
  let connection: Connection | null = watched(await connectFirst(options, stop.signal));
  let attempts = 0;
  let again: (() => Program) | null = null;
  try {
    while (!stop.isAsked) {
      const transaction: (() => Program) | null = again ?? queue.next();
      if (transaction === null) {
        if (left === null) return;
        queue = left.queue();
        if (left.isNew && connection) {
          await stop.close(connection);
          connection = null;
        }
        left = null;
        continue;
      }
      connection ??= watched(await connectPatiently(options, stop.signal));
      if (queue.turn) await queue.turn();
      const session = processes === 0 ? name : `${name}+${processes}`;
      const { outcome, isLost, failure } = await attempt(collection, session, connection, transaction);
      attempts = outcome === 'committed' ? 0 : attempts + 1;
      if (outcome === 'unknown') processes++;
      const isWanted = options.retry === true && queue.mayBegin() && !stop.isAsked;
      again = outcome === 'aborted' && isWanted ? transaction : null;
      queue.ended(outcome, again !== null);
      if (failure) throw failure;
      if (attempts > MOST_ATTEMPTS)
        throw new CollectorError(`Session ${name} did not commit in ${MOST_ATTEMPTS} attempts; check the database.`);
      // Without a random pause, sessions that run in lockstep could abort each other forever.
      if (attempts >= PATIENT_ATTEMPTS) await pause(MOST_PAUSE_MS * Math.random(), stop.signal);
      if (isLost) {
        stop.forget(connection);
        connection.abandon();
        connection = null;
      }
    }
  } finally {
    if (connection) await stop.close(connection);
  }
}

/** A transaction in progress. */
interface Attempted extends Attempt {
  begun: bigint | null;
  committing: bigint | null;
  readonly operations: string[];
}

interface Ended {
  readonly outcome: AttemptOutcome;
  readonly isLost: boolean;
  readonly failure?: unknown;
}

/** Runs one transaction from BEGIN to its outcome. Fails only if the history cannot be written. */
async function attempt(
  collection: Collection,
  session: string,
  connection: Connection,
  transaction: () => Program,
): Promise<Ended> {
  const { journal, clock, stop } = collection;
  const program = shifted(transaction(), collection.shift);
  const next = afterWaits(program, undefined);
  const first = next instanceof Promise ? await next : next;
  const level = collection.isMixed ? collection.options.isolation.name : null;
  const attempted: Attempted = { session, level, begin: clock(), begun: null, committing: null, operations: [] };
  const aborted = (rest: Omit<Ended, 'outcome'>): Ended => {
    journal.add(attempted, 'aborted', clock());
    return { outcome: 'aborted', ...rest };
  };
  let asked: { readonly hasWritten: boolean; readonly givesUp: boolean };
  try {
    await connection.begin();
    stop.answered();
    asked = await askAll(collection, attempted, connection, program, first);
  } catch (error) {
    // COMMIT was not sent, so the transaction cannot commit after its rollback or the end of its connection.
    if (error instanceof ConnectionLost) return aborted({ isLost: true });
    const isLost = !(await isRolledBack(connection));
    return aborted({ isLost, ...(!(error instanceof Aborted) && { failure: error }) });
  }
  if (asked.givesUp) return aborted({ isLost: !(await isRolledBack(connection)) });

  attempted.committing = clock();
  // From here on the outcome is unknown. A read-only transaction needs no line yet, because it leaves no visible
  // effect.
  if (asked.hasWritten) journal.add(attempted, 'unknown', null);
  const settle = (outcome: 'committed' | 'aborted'): void =>
    asked.hasWritten ? journal.settle(session, outcome, clock()) : journal.add(attempted, outcome, clock());
  try {
    await connection.commit();
  } catch (error) {
    if (error instanceof Aborted) {
      const isLost = !(await isRolledBack(connection));
      settle('aborted');
      return { outcome: 'aborted', isLost };
    }
    if (!asked.hasWritten) journal.add(attempted, 'unknown', null);
    return { outcome: 'unknown', isLost: true, ...(!(error instanceof ConnectionLost) && { failure: error }) };
  }
  stop.answered();
  settle('committed');
  return { outcome: 'committed', isLost: false };
}

/**
 * Runs the requests of the transaction. Returns whether the transaction wrote, and whether it ended with a request to
 * abort.
 */
async function askAll(
  { data, stop, thinking, used, own, options, clock }: Collection,
  attempted: Attempted,
  connection: Connection,
  program: Steps,
  first: RequestStep,
): Promise<{ readonly hasWritten: boolean; readonly givesUp: boolean }> {
  const answered = new Answered();
  let kept = 0;
  for (let step = first; !step.done;) {
    const request = step.value;
    if (request.kind === 'abort') return { hasWritten: answered.hasWritten, givesUp: true };
    if (thinking.maxMs > 0) await thinking.wait();
    if (isStatementRequest(request)) {
      await performed(connection, request, options);
      stop.answered();
      if (request.kind === 'savepoint') kept = attempted.operations.length;
      if (request.kind === 'rollback-to-savepoint') attempted.operations.length = kept;
      const next = afterWaits(program, undefined);
      step = next instanceof Promise ? await next : next;
      continue;
    }
    const answer = answerTo(request, await connection.ask(request));
    stop.answered();
    if (answered.add(request)) attempted.begun ??= clock();
    if ('key' in request) {
      used?.add(request.key);
      own?.delete(request.key);
      own?.add(request.key);
    }
    for (const operation of operationsOf(request, answer, data, options.isolation.claims))
      attempted.operations.push(operation);
    const next = afterWaits(program, answer);
    step = next instanceof Promise ? await next : next;
  }
  return { hasWritten: answered.hasWritten, givesUp: false };
}

async function performed(
  connection: Connection,
  request: StatementRequest,
  { database, workload }: CollectorOptions,
): Promise<void> {
  if (connection.perform) return connection.perform(request);
  throw new CollectorError(
    `${database.description} does not support the statement ${request.kind} of the workload ${workload.name}.`,
  );
}

const isRolledBack = (connection: Connection): Promise<boolean> =>
  connection.rollback().then(
    () => true,
    () => false,
  );

const MOST_ATTEMPTS = 1000;
/** Number of keys that a session reads at its end. */
const OWN_READS = 20;
/** Number of consecutive failed attempts after which a session pauses before the next attempt. */
const PATIENT_ATTEMPTS = 50;
const MOST_PAUSE_MS = 20;
const VALUES_A_RUN = 1_000_000_000;
