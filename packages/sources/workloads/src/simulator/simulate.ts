import type { History } from '@isolab/history';
import { Random } from '../workload/random.ts';
import { ParameterError } from '../workload/parameters.ts';
import type { Run, Settings, Transaction, Workload } from '../workload/workload.ts';
import { Client, type StepOptions } from './client.ts';
import { type ClockOptions, Clocks } from './clocks.ts';
import type { SimulatedEngine } from './engine.ts';
import { FAULTS, type FaultName, type Faults } from './faults.ts';
import { type Injection, injected } from './injected.ts';
import { type Rules, SIMULATED_LEVELS, type SimulatedLevel } from './levels.ts';
import { LockEngine } from './locks.ts';
import { type PlantedName, plant } from './planted.ts';
import { Recorder } from './recorder.ts';
import { ReplicaEngine } from './replicas.ts';
import { Rows } from './rows.ts';
import { SnapshotEngine } from './snapshots.ts';

export interface SimulationOptions {
  readonly level: SimulatedLevel;
  /** Implementation of the level, if not the usual implementation. */
  readonly rules?: Rules;
  readonly sessions: number;
  /** Number of transactions that end in each session, according to `counts`. */
  readonly transactions: number;
  readonly seed: string | number;
  readonly faults?: Faults;
  readonly injections?: readonly Injection[];
  /** Whether to retry an aborted transaction until it commits, instead of starting the next transaction. */
  readonly retry?: boolean;
  /** Whether only committed transactions count, so that every session commits the requested number. */
  readonly counts?: 'committed' | 'all';
  /**
   * Probability that a client gives up at the end of a transaction, and probability that it never learns the outcome.
   */
  readonly aborts?: number;
  readonly unknowns?: number;
  /** An anomaly that is added to the history once, besides those of faults. The workload must have numbered keys. */
  readonly planted?: PlantedName;
  /** Whether to record begins and ends of transactions. */
  readonly times?: boolean;
  /**
   * Clocks of the clients, which are then at some distance from the database. Commits of unknown outcome may come late.
   */
  readonly clocks?: ClockOptions;
  /** Whether to record the timestamps by which the database orders starts and commits. */
  readonly timestamps?: boolean;
  /**
   * Whether to record aborted attempts. They may be omitted only without faults, because faults may expose their
   * values.
   */
  readonly aborted?: boolean;
  readonly onProgress?: (done: number, total: number) => void;
}

export interface Simulation {
  readonly history: History;
  readonly committed: number;
  readonly aborted: number;
  readonly unknown: number;
}

/** Runs a workload on the simulated database. Equal options give equal histories. */
export function simulate<P extends Settings>(
  workload: Workload<P>,
  parameters: P,
  options: SimulationOptions,
): Simulation {
  const { level, sessions, seed, faults = {}, injections = [] } = options;
  if (options.aborted === false && Object.keys(faults).length + injections.length > 0)
    throw new ParameterError('Aborted attempts can only be left out of a history without faults.');
  const random = new Random(seed);
  const run = workload.prepare(parameters, sessions, random.fork('workload'));
  const recorder = new Recorder(
    `${workload.name}, seed ${seed}`,
    describe(level, faults, injections),
    initialOf(workload),
    {
      times: options.times !== false,
      ...(options.clocks && { clocks: new Clocks(options.clocks, random.fork('clocks')) }),
      timestamps: options.timestamps === true,
      aborted: options.aborted !== false,
    },
  );
  const database = random.fork('database');
  const lists = usesLists(workload, parameters);
  const engine = injections.reduce(
    (plain, injection) => injected(plain, injection, random.fork(`fault ${injection.fault.name}`)),
    engineFor(options, sessions + 1, database, recorder, lists),
  );
  const rows = new Rows(recorder);
  load(run, sessions, engine, recorder, rows);
  const { time, ...counts } = runSessions(run, engine, recorder, rows, random, options);
  if (options.planted !== undefined)
    plant(options.planted, numberOfKeys(parameters), recorder, sessions + 1, time, random.fork('planted'));
  return { history: recorder.finish(), ...counts };
}

function numberOfKeys({ keys }: Settings): number {
  if (typeof keys === 'number' && keys >= 3) return keys;
  throw new ParameterError('An anomaly can only be planted in a workload of at least three numbered keys.');
}

function describe(level: SimulatedLevel, faults: Faults, injections: readonly Injection[]): string {
  const broken = Object.entries(faults).map(([name, probability]) => `${name} ${probability}`);
  const others = injections.map(({ fault, rate }) => `${fault.name} ${rate}`);
  return ['simulated', level, ...broken, ...others].join(', ');
}

const initialOf = ({ data }: Pick<Workload, 'data'>): 'zero' | 'nil' =>
  data === 'registers' || data === 'counters' ? 'zero' : 'nil';

const usesLists = ({ data }: Pick<Workload, 'data'>, parameters: Settings): boolean =>
  data === 'lists' || data === 'counters' || parameters['lists'] === true;

function engineFor(
  { level, faults = {}, rules: other }: SimulationOptions,
  sessions: number,
  random: Random,
  recorder: Recorder,
  lists: boolean,
): SimulatedEngine {
  const struck = (Object.keys(faults) as FaultName[]).map((name) => ({ name, ...FAULTS[name] }));
  const replacing = struck.filter((fault) => 'rules' in fault);
  if (replacing.length > 1)
    throw new ParameterError(`The faults ${replacing.map(({ name }) => name).join(' and ')} cannot be combined.`);
  const usual = other ?? SIMULATED_LEVELS[level];
  const rules = replacing[0] && 'rules' in replacing[0] ? replacing[0].rules : usual;
  if (rules.kind === 'locks') return new LockEngine(recorder.extend) as SimulatedEngine;
  if (rules.kind === 'snapshots') {
    if (struck.some(({ name }) => name === 'lost-session'))
      throw new ParameterError(
        `The fault lost-session needs replicas, which the simulated database has only at level causal, not at ${level}.`,
      );
    return new SnapshotEngine(rules, faults, sessions, random, recorder.extend) as SimulatedEngine;
  }
  const misplaced = struck.find(({ name }) => name !== 'lost-session' && !('rules' in FAULTS[name]));
  if (misplaced)
    throw new ParameterError(
      `The fault ${misplaced.name} does not work on a database with replicas; use level ${misplaced.at}.`,
    );
  if (lists)
    throw new ParameterError(
      'The simulated database has replicas at this level, and they cannot merge lists or counters. Use registers or another level.',
    );
  return new ReplicaEngine(rules, faults, sessions, random) as SimulatedEngine;
}

/** Fills the database in a separate session, before all others. */
function load(
  { load: transactions }: Run,
  client: number,
  engine: SimulatedEngine,
  recorder: Recorder,
  rows: Rows,
): void {
  let next: Transaction | null = null;
  const loader = new Client(client, engine, recorder, rows, () => next!);
  const never: StepOptions = { retry: true, gaveUp: () => false, isUnknown: () => false };
  let time = LONG_AGO;
  for (next of transactions) {
    while (loader.step(time++, never) !== 'committed');
  }
  // The data reach all replicas before the sessions begin.
  for (let i = 0; i < SETTLING; i++) engine.tick();
}

function runSessions(
  run: Run,
  engine: SimulatedEngine,
  recorder: Recorder,
  rows: Rows,
  random: Random,
  options: SimulationOptions,
) {
  const { sessions, transactions, retry = false, counts: counted = 'committed', aborts = 0, unknowns = 0 } = options;
  const schedule = random.fork('schedule');
  const chances = random.fork('outcomes');
  const ways = random.fork('ways');
  const late: { readonly due: number; readonly commit: () => void }[] = [];
  let time = 0;
  const stepOptions: StepOptions = {
    retry,
    gaveUp: () => aborts > 0 && chances.chance(aborts),
    isUnknown: () => unknowns > 0 && chances.chance(unknowns) && chances.pick(options.clocks ? LOST_ON_THE_WAY : LOST),
    later: (commit) => void late.push({ due: time + ways.below(LATEST), commit }),
    ...(options.clocks && { beginsApart: () => ways.chance(0.3) }),
  };
  const clients = Array.from({ length: sessions }, (_, index) => ({
    client: new Client(index, engine, recorder, rows, run.session(index, random.fork(index))),
    left: transactions,
  })).filter(({ left }) => left > 0);
  const result = { committed: 0, aborted: 0, unknown: 0 };
  const total = sessions * transactions;
  for (; clients.length > 0; time++) {
    engine.tick();
    for (const place of late.keys()) if (late[place]!.due <= time) late.splice(place, 1)[0]!.commit();
    const at = schedule.below(clients.length);
    const turn = clients[at]!;
    const outcome = turn.client.step(time, stepOptions);
    if (outcome === 'running') continue;
    result[outcome]++;
    if (outcome !== 'committed' && counted === 'committed') continue;
    if (--turn.left === 0) clients.splice(at, 1);
    if (result.committed % 1024 === 0) options.onProgress?.(total - remaining(clients), total);
  }
  return { ...result, time };
}

/**
 * Actions of the database when its answer to COMMIT is lost. At some distance from the client, it may also act later.
 */
const LOST = ['before', 'after'] as const;
const LOST_ON_THE_WAY = ['before', 'after', 'later', 'later'] as const;
const LATEST = 100;

const remaining = (clients: readonly { readonly left: number }[]): number =>
  clients.reduce((sum, { left }) => sum + left, 0);

/** Start time of the load; the sessions begin at 0. */
const LONG_AGO = -1_000_000_000;
const SETTLING = 100_000;
