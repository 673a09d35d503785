/** Runs experiments cell by cell, and writes every result down as it comes. */
import type { CheckerRef, Progress } from '@isolab/runner';
import type { ResultRow } from '@isolab/visualise';
import { type Cell, groupsOf } from './cells.ts';
import type { Datasets } from './datasets.ts';
import { type Disagreement, Verdicts } from './disagreement.ts';
import { type Engine, Engines, type LoadChecker } from './engines.ts';
import { type ExperimentFile, type Scale, seriesAt } from './experiment.ts';
import { type Available, Histories } from './histories.ts';
import { keyOf } from './key.ts';
import { commitOf, load, machineClass, nodeVersion } from './machine.ts';
import { latestRows, placeOf, readRows, rowWriter } from './rows.ts';
import { type Limits, type Measured, runChecker, skipped } from './run-cell.ts';
import { type Tools, runTool } from './tools.ts';

export interface BenchOptions {
  readonly experiments: readonly ExperimentFile[];
  readonly scale: Scale;
  /** Of the order in which cells run. */
  readonly seed: number;
  /** How many cells run at once; 1 for honest times. */
  readonly jobs: number;
  /** Leaves alone every cell that has a row already, even if the code has changed since. */
  readonly resume: boolean;
  /** Runs every cell, even those that have a row with the same key. */
  readonly fresh: boolean;
  /** Asks for certificates and verifies them. */
  readonly verify: boolean;
  /** In place of the experiments' own limits, where smaller. */
  readonly limits?: Partial<Limits>;
  /** Only the first point of every grid. */
  readonly smallest?: boolean;
  readonly results: string;
  readonly cache: string;
  readonly root: string;
  readonly datasets: Datasets;
  readonly tools: Tools;
  readonly loadChecker: LoadChecker;
  readonly signal?: AbortSignal;
  readonly onEvent?: (event: BenchEvent) => void;
}

export type BenchEvent =
  | { readonly kind: 'begins'; readonly experiment: ExperimentFile; readonly cells: number }
  | {
      readonly kind: 'runs';
      readonly cell: Cell;
      readonly limits: Limits;
      readonly done: number;
      readonly cells: number;
    }
  | { readonly kind: 'progress'; readonly cell: Cell; readonly progress: Progress }
  | { readonly kind: 'row'; readonly row: ResultRow; readonly measured: boolean }
  | { readonly kind: 'problem'; readonly cell: Cell; readonly problem: Problem }
  | { readonly kind: 'ends'; readonly experiment: ExperimentFile; readonly rows: readonly ResultRow[] };

/** What stops an experiment: at least one checker is wrong. The history is kept at `path`. */
export type Problem = { readonly path: string } & (
  | ({ readonly kind: 'disagreement' } & Disagreement)
  | { readonly kind: 'rejected certificate'; readonly series: string; readonly level: string }
);

export interface BenchSummary {
  readonly measured: number;
  readonly reused: number;
  readonly skipped: number;
  readonly unknown: number;
  readonly problems: readonly Problem[];
  readonly interrupted: boolean;
}

export async function bench(options: BenchOptions): Promise<BenchSummary> {
  const session = new Session(options);
  for (const experiment of options.experiments) {
    if (options.signal?.aborted) break;
    await session.runExperiment(experiment);
  }
  return session.summary();
}

class Session {
  readonly #options: BenchOptions;
  readonly #engines: Engines;
  readonly #histories: Histories;
  readonly #write: (row: ResultRow) => void;
  readonly #byKey = new Map<string, ResultRow>();
  readonly #byPlace = new Map<string, ResultRow>();
  readonly #warm = new Set<string>();
  readonly #run: Omit<ResultRow['run'], 'at' | 'load'>;
  readonly #problems: Problem[] = [];
  readonly #counts = { measured: 0, reused: 0, skipped: 0, unknown: 0 };

  constructor(options: BenchOptions) {
    this.#options = options;
    this.#engines = new Engines(options.loadChecker, options.tools);
    this.#histories = new Histories(options.cache, options.datasets);
    for (const row of latestRows(readRows(options.results))) this.#remember(row);
    this.#write = rowWriter(options.results);
    const [machine, node, commit] = [machineClass(), nodeVersion(), commitOf(options.root)];
    this.#run = { machine, node, commit, scale: options.scale };
  }

  async runExperiment(experiment: ExperimentFile): Promise<void> {
    const { scale, seed, jobs, smallest = false, onEvent } = this.#options;
    const first = experiment.grid[scale][0];
    const cells = groupsOf(experiment, scale, seed)
      .flat()
      .filter(({ x, repeat }) => !smallest || (x === first && repeat === 0));
    onEvent?.({ kind: 'begins', experiment, cells: cells.length });
    const rows: ResultRow[] = [];
    const verdicts = new Verdicts();
    let next = 0;
    let stopped = false;
    const worker = async (): Promise<void> => {
      while (next < cells.length && !stopped && this.#options.signal?.aborted !== true) {
        const done = next;
        const cell = cells[next++]!;
        const { row, problem } = await this.#runCell(cell, done, cells.length, verdicts);
        if (row) rows.push(row);
        if (!problem) continue;
        stopped = true;
        this.#problems.push(problem);
        onEvent?.({ kind: 'problem', cell, problem });
      }
    };
    await Promise.all(Array.from({ length: jobs }, worker));
    onEvent?.({ kind: 'ends', experiment, rows });
  }

  summary(): BenchSummary {
    return { ...this.#counts, problems: this.#problems, interrupted: this.#options.signal?.aborted === true };
  }

  async #runCell(
    cell: Cell,
    done: number,
    cells: number,
    verdicts: Verdicts,
  ): Promise<{ readonly row: ResultRow | null; readonly problem: Problem | null }> {
    const { resume, onEvent } = this.#options;
    const before = this.#byPlace.get(placeOf(this.#placeOf(cell)));
    if (resume && before && isResult(before)) return { row: this.#reused(before), problem: null };
    const engine = await this.#engines.engineFor(cell.series, cell.level);
    if (engine.kind === 'absent') return { row: this.#skip(cell, engine.reason, null), problem: null };
    const limits = this.#limitsOf(cell.experiment);
    onEvent?.({ kind: 'runs', cell, limits, done, cells });
    const history = await this.#histories.find(cell.source);
    if ('reason' in history) return { row: this.#skip(cell, history.reason, history), problem: null };
    const key = this.#keyOf(cell, engine, history);
    const known = this.#options.fresh ? undefined : this.#byKey.get(key);
    const row = known ? this.#copy(cell, known) : await this.#measure(cell, engine, history, key);
    if (row === null) return { row, problem: null };
    return { row, problem: problemOf(row, history, cell, engine, verdicts) };
  }

  async #measure(cell: Cell, engine: Engine, history: Available, key: string): Promise<ResultRow | null> {
    const { cache, verify, signal, onEvent } = this.#options;
    const prepared = await this.#histories.read(history);
    if (typeof prepared === 'string') return this.#skip(cell, prepared, history);
    const limits = this.#limitsOf(cell.experiment);
    const onProgress = (progress: Progress): void => onEvent?.({ kind: 'progress', cell, progress });
    const options = { limits, verify, signal, onProgress };
    const now = load();
    let measured: Measured & { readonly history?: Omit<ResultRow['history'], 'id'> };
    if (engine.kind === 'checker') {
      await this.#warmUp(engine.ref, cell, prepared);
      measured = await runChecker(engine.ref, cell.series, cell.level, prepared, options);
    } else if (engine.kind === 'tool') {
      measured = await runTool(engine.name, engine.tool, cell.level, prepared.history, history, cache, options);
    } else measured = skipped(engine.reason);
    if (signal?.aborted) return null; // it did not end by itself
    const { history: sizes = sizesOf(history), ...result } = measured;
    const row: ResultRow = {
      ...this.#placeOf(cell),
      ...this.#checkerOf(cell),
      history: { id: history.id, ...sizes },
      ...result,
      counters: { ...history.counters, ...result.counters },
      key,
      run: { ...this.#run, at: new Date().toISOString(), load: now },
    };
    this.#counts.measured++;
    if (row.verdict === 'unknown') this.#counts.unknown++;
    return this.#append(row, true);
  }

  /** The first start of a program reads its files; nobody is to be charged for that. */
  async #warmUp(ref: CheckerRef, cell: Cell, prepared: Parameters<typeof runChecker>[3]): Promise<void> {
    if (this.#warm.has(cell.series.checker)) return;
    this.#warm.add(cell.series.checker);
    const limits = { seconds: WARM_UP_SECONDS, megabytes: this.#limitsOf(cell.experiment).megabytes };
    await runChecker(ref, cell.series, cell.level, prepared, { limits, verify: false, signal: this.#options.signal });
  }

  #skip(cell: Cell, reason: string, history: Sized | null): ResultRow {
    const row: ResultRow = {
      ...this.#placeOf(cell),
      ...this.#checkerOf(cell),
      history: { id: history?.id ?? '', ...sizesOf(history) },
      ...skipped(reason),
      key: keyOf({ ...this.#decisive(cell), history: history?.id ?? '', code: reason }),
      run: { ...this.#run, at: new Date().toISOString(), load: load() },
    };
    this.#counts.skipped++;
    const before = this.#byPlace.get(placeOf(row));
    return before?.key === row.key ? before : this.#append(row, false);
  }

  /** The same cell may belong to several experiments, such as one of time and one of memory. */
  #copy(cell: Cell, known: ResultRow): ResultRow {
    const row = { ...known, ...this.#placeOf(cell) };
    if (placeOf(row) === placeOf(known)) return this.#reused(known);
    const before = this.#byPlace.get(placeOf(row));
    if (before?.key === row.key) return this.#reused(before);
    this.#counts.reused++;
    return this.#append(row, false);
  }

  #reused(row: ResultRow): ResultRow {
    this.#counts.reused++;
    this.#options.onEvent?.({ kind: 'row', row, measured: false });
    return row;
  }

  #append(row: ResultRow, measured: boolean): ResultRow {
    this.#write(row);
    this.#remember(row);
    this.#options.onEvent?.({ kind: 'row', row, measured });
    return row;
  }

  #remember(row: ResultRow): void {
    this.#byPlace.set(placeOf(row), row);
    if (isResult(row)) this.#byKey.set(row.key, row);
  }

  #placeOf({ experiment, series, x, repeat }: Cell) {
    return { experiment: experiment.id, series: series.name, x, repeat };
  }

  #checkerOf({ series, level }: Cell) {
    return { checker: series.checker, variant: series.variant ?? null, level };
  }

  #limitsOf({ limits }: ExperimentFile): Limits {
    const { seconds, megabytes } = limits[this.#options.scale];
    const asked = this.#options.limits;
    return {
      seconds: Math.min(seconds, asked?.seconds ?? seconds),
      megabytes: Math.min(megabytes, asked?.megabytes ?? megabytes),
    };
  }

  #keyOf(cell: Cell, engine: Exclude<Engine, { kind: 'absent' }>, { sha256 }: Available): string {
    return keyOf({ ...this.#decisive(cell), history: sha256, code: engine.code });
  }

  #decisive({ series, level, repeat, experiment }: Cell) {
    return {
      ...this.#checkerOf({ series, level } as Cell),
      options: series.options ?? {},
      limits: this.#limitsOf(experiment),
      verify: this.#options.verify,
      machine: this.#run.machine,
      node: this.#run.node,
      jobs: this.#options.jobs,
      repeat,
    };
  }
}

/** Whether a row says what came out; crashes and absent things are looked at again. */
const isResult = ({ verdict, reason }: ResultRow): boolean =>
  verdict !== 'skipped' && !(verdict === 'unknown' && reason?.startsWith('crashed') === true);

const NO_SIZES = { sessions: 0, transactions: 0, operations: 0, keys: 0 };
type Sized = Pick<Available, 'id' | 'sizes'>;
const sizesOf = (history: Sized | null) => history?.sizes ?? NO_SIZES;

function problemOf(
  row: ResultRow,
  history: Available,
  { series, level }: Cell,
  engine: Engine,
  verdicts: Verdicts,
): Problem | null {
  const { path, sha256 } = history;
  if (row.certificate === 'rejected') return { kind: 'rejected certificate', series: series.name, level, path };
  const disagreement = verdicts.note(row, sha256, series, engine.kind === 'checker' ? engine.ref : null);
  return disagreement && { kind: 'disagreement', ...disagreement, path };
}

/** How many cells an experiment has at a scale. */
export const countCells = (experiment: ExperimentFile, scale: Scale): number =>
  experiment.grid[scale].length * seriesAt(experiment, scale).length * experiment.repeats[scale];

const WARM_UP_SECONDS = 1;
