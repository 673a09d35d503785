/** Measures tasks on this machine, each in its own process: a task in, a row out. */
import { type CheckerRef, type RunPlace, type Prepared, type Progress, prepare } from '@isolab/runner';
import { type PlainHistory, fromPlain } from '@isolab/history';
import { cpus, hostname, loadavg, totalmem } from 'node:os';
import { execFileSync } from 'node:child_process';
import process from 'node:process';
import type { ResultRow } from './row-shape.ts';
import { Collections } from '../datasets/collected.ts';
import type { Datasets } from '../datasets/datasets.ts';
import { type Engine, Engines, type LoadChecker } from './engines.ts';
import { type Absent, type Available, Histories, NOT_SHARED } from '../datasets/histories.ts';
import { measureHunt } from './measure-hunt.ts';
import { measurePrediction } from './measure-prediction.ts';
import { type OneRun, firstViolated, rowOfSet } from './measure-set.ts';
import { Probes } from './probe.ts';
import { type Measured, runChecker, skipped } from './run-cell.ts';
import { type Host, type Task, checkerOf, keyOfTask, slotOf } from './task.ts';
import type { OutOfTimeAt } from './out-of-time.ts';
import { runTool } from './run-tool.ts';
import type { Tools } from '../experiment/tools.ts';
import { Turns } from './turns.ts';

export interface MeasurerOptions {
  readonly root: string;
  readonly cache: string;
  readonly datasets: Datasets;
  readonly tools: Tools;
  readonly loadChecker: LoadChecker;
  /** States that rows name this machine, because others take part. */
  readonly named?: boolean;
  /** States that histories may be collected from databases; false if several machines share the work. */
  readonly collects?: boolean;
  /** Collects histories again instead of using kept ones. */
  readonly freshHistories?: boolean;
}

/** A task with its engine and history. */
export interface Ready {
  readonly task: Task;
  readonly engine: PresentEngine;
  readonly history: Available;
}

type OnProgress = (progress: Progress) => void;

export type PresentEngine = Exclude<Engine, { kind: 'absent' }>;

export class Measurer {
  readonly host: Host = { machine: machineClass(), node: process.version };
  readonly commit: string;
  readonly #options: MeasurerOptions;
  readonly #engines: Engines;
  readonly #histories: Histories;
  readonly #collections: Collections | null;
  readonly #turns = new Turns();
  readonly #probes = new Probes();
  /** Memory of an idle process with each checker, if it is known. */
  readonly #idle = new Map<string, number | null>();

  constructor(options: MeasurerOptions) {
    this.#options = options;
    this.#engines = new Engines(options.loadChecker, options.tools);
    const { cache, datasets, collects = false, freshHistories: fresh = false } = options;
    this.#collections = collects ? new Collections({ cache, fresh }) : null;
    this.#histories = new Histories(cache, datasets, this.#collections);
    this.commit = commitOf(options.root);
  }

  engineFor({ series, level }: Task): Promise<Engine> {
    return this.#engines.engineFor(series, level);
  }

  /** A collection waits until no measurement is running, and measurements wait for it. */
  historyFor({ source }: Task, signal?: AbortSignal): Promise<Available | Absent> {
    const find = (): Promise<Available | Absent> => this.#histories.find(source, signal);
    return source.kind === 'collected' ? this.#turns.alone(find) : find();
  }

  /** Ends the processes of this measurer. */
  async close(): Promise<void> {
    await this.#collections?.close();
  }

  /** Returns null if the run was interrupted. `together` names the point that the run belongs to. */
  measure(
    ready: Ready,
    together: string,
    signal?: AbortSignal,
    onProgress?: (progress: Progress) => void,
  ): Promise<ResultRow | null> {
    return this.#turns.together(() => this.#measure(ready, together, signal, onProgress));
  }

  async #measure(
    { task, engine, history }: Ready,
    together: string,
    signal?: AbortSignal,
    onProgress?: OnProgress,
  ): Promise<ResultRow | null> {
    const now = load();
    const measured = await this.#measureAll({ task, engine, history }, signal, onProgress);
    if (signal?.aborted) return null;
    if (typeof measured === 'string') return this.skippedRow(task, measured, history);
    const { history: sizes = sizesOf(history), ...result } = measured;
    const { generationMs } = history;
    return {
      ...slotOf(task),
      ...checkerOf(task),
      history: { id: history.id, ...sizes },
      ...result,
      stages: [...(generationMs === undefined ? [] : [{ name: 'generation', ms: generationMs }]), ...result.stages],
      counters: { ...history.counters, ...result.counters },
      key: keyOfTask(task, history.sha256, engine.code, this.host),
      run: { ...this.#runNow(task, now), together },
    };
  }

  /** Measures one history, or each history of a set; returns the reason if a history cannot be read. */
  async #measureAll(ready: Ready, signal?: AbortSignal, onProgress?: OnProgress): Promise<OneRun | string> {
    const { task, engine, history } = ready;
    if (task.source.kind === 'hunted')
      // Only one machine may collect from a database, so hunts are not shared either.
      return this.#collections === null ? NOT_SHARED : measureHunt(task, task.source, signal);
    if (history.parts === undefined) return this.#measureOne(ready, task.level, signal, onProgress);
    const { levels = null } = task.series;
    const runs = [];
    for (const part of history.parts) {
      if (signal?.aborted) break;
      const one: Ready = { task, engine, history: { ...part, inOneProcess: history.inOneProcess === true } };
      const check = async (level: string): Promise<OneRun> => {
        const run = await this.#measureOne(one, level, signal);
        return typeof run === 'string' ? skipped(run) : run;
      };
      runs.push(await firstViolated(levels ?? [task.level], check));
    }
    return rowOfSet(runs, levels);
  }

  async #measureOne(
    { task, engine, history }: Ready,
    level: string,
    signal?: AbortSignal,
    onProgress?: OnProgress,
  ): Promise<OneRun | string> {
    const prepareNow = await this.#histories.read(history);
    if (typeof prepareNow === 'string') return prepareNow;
    const { limits, verify, series } = task;
    if (engine.kind === 'hunt') return 'a hunt needs a database instead of a history';
    if (engine.kind === 'prediction') return measurePrediction(task, prepareNow().history, signal);
    const place: RunPlace = history.inOneProcess === true ? 'thread' : 'process';
    const options = { limits, verify, place, signal, onProgress };
    if (engine.kind === 'checker') {
      const idleRssBytes = await this.#warmUp(engine.ref, task, prepareNow, signal);
      const measured = await runChecker(engine.ref, series, level, prepareNow(), options);
      return idleRssBytes === null || place === 'thread' ? measured : { ...measured, idleRssBytes };
    }
    const { cache } = this.#options;
    const { name, tool } = engine;
    const { history: read } = prepareNow();
    const problem = await this.#probes.whyNotTrusted(name, tool, level, read, cache, options);
    return problem ?? runTool(name, tool, level, read, history, cache, options);
  }

  /** Row of a task that could not be tried; its key is a hash of the reason. */
  skippedRow(task: Task, reason: string, history: Sized | null): ResultRow {
    return this.#rowWithout(task, skipped(reason), reason, history);
  }

  /** Row of a task whose checker reached the time limit on an easier history. */
  rowOutOfTime({ task, engine, history }: Ready, { x, peakRssBytes }: OutOfTimeAt, together: string): ResultRow {
    const { counters } = history;
    const measured: Measured = { ...skipped(`timeout at ${x}`), verdict: 'unknown', peakRssBytes, counters };
    const key = keyOfTask(task, history.sha256, engine.code, this.host);
    const row = this.#rowWithout(task, measured, '', history);
    return { ...row, key, run: { ...row.run, together } };
  }

  /** Row of a task whose workers were lost repeatedly. */
  lostRow(task: Task, reason: string): ResultRow {
    return this.#rowWithout(task, { ...skipped(`crashed: ${reason}`), verdict: 'unknown' }, reason, null);
  }

  #rowWithout(task: Task, measured: Measured, code: string, history: Sized | null): ResultRow {
    return {
      ...slotOf(task),
      ...checkerOf(task),
      history: { id: history?.id ?? '', ...sizesOf(history) },
      ...measured,
      key: keyOfTask(task, history?.id ?? '', code, this.host),
      run: this.#runNow(task, load()),
    };
  }

  #runNow({ scale }: Task, now: number): ResultRow['run'] {
    const name = this.#options.named ? { host: hostname() } : {};
    return { ...this.host, ...name, commit: this.commit, scale, at: new Date().toISOString(), load: now };
  }

  /**
   * Runs a checker on the history and on an almost empty one before its first cell. The first start of a program reads
   * its files from disk, which is not measured. Returns the memory of the process that had nothing to check.
   */
  async #warmUp(ref: CheckerRef, task: Task, prepareNow: () => Prepared, signal?: AbortSignal): Promise<number | null> {
    const known = this.#idle.get(task.series.checker);
    if (known !== undefined) return known;
    const limits = { seconds: WARM_UP_SECONDS, megabytes: task.limits.megabytes };
    const runOn = (input: Prepared): ReturnType<typeof runChecker> =>
      runChecker(ref, task.series, task.level, input, { limits, verify: false, signal });
    await runOn(prepareNow());
    const { verdict, peakRssBytes } = await runOn(prepare(fromPlain(IDLE)));
    const idle = verdict === 'satisfied' ? peakRssBytes : null;
    this.#idle.set(task.series.checker, idle);
    return idle;
  }
}

/** A history of one mini-transaction. */
const IDLE: PlainHistory = {
  initial: 0n,
  timeUnit: 'none',
  sessions: [
    {
      name: 0n,
      transactions: [
        {
          status: 'committed',
          operations: [
            { kind: 'read', key: 0n, value: 0n },
            { kind: 'write', key: 0n, value: 1n },
          ],
        },
      ],
    },
  ],
};

const NO_SIZES = { sessions: 0, transactions: 0, operations: 0, keys: 0 };
type Sized = Pick<Available, 'id' | 'sizes'>;
const sizesOf = (history: Sized | null) => history?.sizes ?? NO_SIZES;

const WARM_UP_SECONDS = 1;

/** Times are comparable between machines of one class. */
function machineClass(): string {
  const processors = cpus();
  const model = (processors[0]?.model ?? 'unknown processor').replaceAll(/\s+/g, ' ').trim();
  return `${model}, ${processors.length} cores, ${Math.round(totalmem() / 2 ** 30)} GB, ${process.platform} ${process.arch}`;
}

const load = (): number => Math.round(loadavg()[0]! * 100) / 100;

/** Commit of the sources, marked with a plus if they have changed since; `unknown` outside a repository. */
export function commitOf(folder: string): string {
  const git = (...args: string[]): string =>
    execFileSync('git', ['-C', folder, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  try {
    return git('rev-parse', '--short=12', 'HEAD') + (git('status', '--porcelain', '--', 'packages') === '' ? '' : '+');
  } catch {
    return 'unknown';
  }
}
