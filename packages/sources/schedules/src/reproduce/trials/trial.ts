import { type Database, type Isolation, Interrupted, collect } from '@isolab/collector';
import { readDocumentAt } from '@isolab/formats';
import type { History } from '@isolab/history';
import { Random, type Workload } from '@isolab/workloads';
import { type Observed, Terminals } from './terminals.ts';
import { loadOf, asking } from './load.ts';
import { type Reply, type Schedule, isQuestion } from '../../schedule/schedule.ts';

/** Verdict of a checker on the history of one trial. */
export interface JudgedTrial {
  readonly verdict: 'violated' | 'satisfied' | 'unknown';
  readonly why?: string;
}

export interface TrialOptions {
  readonly database: Database;
  readonly nodes?: readonly Database[];
  readonly isolation: Isolation;
  readonly schedule: Schedule;
  /** Layout of keys in tables; the plain layout if absent. */
  readonly layout?: string;
  /** Number of other clients that run transactions of the same shape. */
  readonly load: number;
  readonly seed: string | number;
  /** Path of the history of the trial. */
  readonly path: string;
  /** Decides whether the history of the trial violates the level. */
  readonly judge: (history: History) => Promise<JudgedTrial>;
  /** Time after which the schedule is given up, once all terminals are connected. */
  readonly patienceMs?: number;
  readonly signal?: AbortSignal;
}

export interface Trial {
  readonly judged: JudgedTrial;
  /** Observations by step of the schedule. */
  readonly observed: readonly Observed[];
  /** Names of the transactions of the schedule that failed. */
  readonly failed: readonly string[];
  /** Whether every reply and every outcome of the violation occurred again. */
  readonly isAsTold: boolean;
  /** Whether the trial was given up because answers were missing. */
  readonly isHung: boolean;
}

/** Runs a schedule once, on empty tables, and has its history checked. */
export async function runTrial(options: TrialOptions): Promise<Trial> {
  const { schedule, load, path, seed, signal, judge, database, nodes, isolation, layout } = options;
  const terminals = new Terminals(schedule, { blockedMs: BLOCKED_MS, patienceMs: options.patienceMs ?? PATIENCE_MS });
  const random = new Random(seed);
  const ending = new AbortController();
  const collecting = collect({
    database,
    ...(nodes && { nodes }),
    isolation,
    ...(layout !== undefined && { layout }),
    workload: setupOf(schedule),
    parameters: {},
    sessions: schedule.terminals + load,
    transactions: Infinity,
    seed,
    path,
    signal: AbortSignal.any([ending.signal, ...(signal ? [signal] : [])]),
    queueOf: (session) =>
      session < schedule.terminals
        ? terminals.queueOf(session)
        : loadOf(schedule, session, random.fork(session), () => terminals.isOver),
  });
  // The schedule ends with the collection, even after an interrupt or a failure.
  void collecting.catch(() => {}).finally(() => terminals.stop());
  const isDone = await terminals.run();
  if (!isDone) ending.abort();
  try {
    await collecting;
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
  }
  if (signal?.aborted) throw new Interrupted();
  const judged = await judge(await historyAt(path));
  return { judged, ...seen(schedule, terminals.observed), isHung: !isDone };
}

async function historyAt(path: string): Promise<History> {
  const document = await readDocumentAt(path, { format: 'isolab' });
  if (document.kind === 'history') return document.history;
  throw new TypeError(`${path} holds a ${document.kind}, expected a history.`);
}

/** Time without an answer after which a statement counts as blocked. */
const BLOCKED_MS = 150;
const PATIENCE_MS = 10_000;

/** Returns a workload that consists of the initial writes. */
const setupOf = ({ data, setup }: Schedule): Workload => ({
  name: 'schedule',
  title: 'A schedule',
  source: 'isolab',
  data,
  parameters: {},
  prepare: () => ({
    load: setup.length === 0 ? [] : [() => asking(setup)],
    session: () => () => () => asking([]),
  }),
});

/** Compares the replies with those of the violation. */
function seen(schedule: Schedule, observed: readonly Observed[]): Pick<Trial, 'observed' | 'failed' | 'isAsTold'> {
  const failed = schedule.transactions.flatMap(({ name }, transaction) =>
    schedule.steps.some((step, i) => step.transaction === transaction && observed[i]!.error !== undefined)
      ? [name]
      : [],
  );
  const isAsTold = schedule.steps.every(({ does, told, transaction }, i) => {
    if (schedule.transactions[transaction]!.role !== 'story') return true;
    const { answered, error, reply } = observed[i]!;
    if (answered === null || error !== undefined) return false;
    return !isQuestion(does) || told === undefined || isSame(told, reply, schedule);
  });
  return { observed, failed, isAsTold };
}

/** Returns whether two replies are equal, apart from writes of transactions outside the story. */
function isSame(told: Reply, reply: Reply | undefined, schedule: Schedule): boolean {
  const isNumbers = (list: unknown): list is readonly number[] =>
    Array.isArray(list) && list.every((one) => typeof one === 'number');
  if (!isNumbers(reply)) return JSON.stringify(told) === JSON.stringify(reply);
  const known = new Set([
    ...schedule.setup.flatMap((one) => ('value' in one ? [one.value] : [])),
    ...schedule.steps.flatMap(({ does, transaction }) =>
      isQuestion(does) && 'value' in does && schedule.transactions[transaction]!.role === 'story' ? [does.value] : [],
    ),
  ]);
  return JSON.stringify(told) === JSON.stringify(reply.filter((value) => known.has(value)));
}
