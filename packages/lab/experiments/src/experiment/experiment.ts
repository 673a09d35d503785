/** Experiments as stored in files, with numbers by scale and histories by series; `atScale` resolves both. */
import type { Experiment } from '@isolab/figures';
import { type CollectedSource, type ResolvedCollection, resolveCollection } from './collected-source.ts';
import {
  type DatasetSetSource,
  type DatasetSource,
  type ResolvedDataset,
  isOfDatasets,
  resolveDataset,
} from './dataset-source.ts';
import { BenchError } from './errors.ts';
import { type HuntedSource, type ResolvedHunt, resolveHunt } from './hunted-source.ts';
import {
  type PerScale,
  type Point,
  SCALES,
  type Scale,
  type Settings,
  fill,
  ofEachSession,
  settingsAt,
  wholeAt,
} from './point-values.ts';

export { type PerScale, type Point, SCALES, type Scale } from './point-values.ts';

/** A simulated history; `$x` stands for the point, `$x * 60` for a multiple of it. */
export interface GeneratedSource {
  readonly workload: string;
  readonly set?: Settings;
  readonly sessions: string | number | PerScale<number>;
  readonly transactions: string | number | PerScale<number>;
  /** Whether `transactions` counts those of each session, or of all sessions together. */
  readonly of?: 'each session' | 'all sessions';
  readonly level: string;
  readonly seed: number;
  readonly fault?: Readonly<Record<string, number>>;
  /** An anomaly that the history has exactly once; see `PLANTED` of @isolab/workloads. */
  readonly planted?: string;
  /** Retries an aborted transaction until it commits. */
  readonly retry?: boolean;
  /** Whether `transactions` counts committed ones, which is the default, or attempts. */
  readonly counts?: 'committed' | 'all';
  /** Whether the history has aborted attempts; false if contention makes nearly all attempts abort. */
  readonly aborted?: boolean;
  /**
   * Whether the history has real times. Most logs of the papers lack them, since times determine nearly all of the
   * order.
   */
  readonly times?: boolean;
  /** Whether the history has the timestamps by which the simulated database orders transactions. */
  readonly timestamps?: boolean;
  /** Parameters of MTC's lightweight transactions, which are generated without a database: see `lightweightHistory`. */
  readonly lightweight?: Readonly<Record<string, string | number>>;
}

/** A history with different sources at some points, such as a real database beside simulated faults. */
export interface PointsSource {
  readonly points: Readonly<Record<string, OneSource>>;
  /** Source of all other points. */
  readonly others?: OneSource;
}

type OneSource = DatasetSource | DatasetSetSource | GeneratedSource | CollectedSource | HuntedSource;
export type Source = OneSource | PointsSource;

/** A line, or the bars of one colour. */
export interface Series {
  readonly name: string;
  readonly checker: string;
  readonly variant?: string;
  readonly options?: Readonly<Record<string, string>>;
  readonly level?: string;
  /**
   * For a set: checks these levels in turn, weak ones first, until one is violated; the last is the level of the
   * series.
   */
  readonly levels?: readonly string[];
  /** Asks for every anomaly, not just the first, to count them. */
  readonly findAll?: boolean;
  /**
   * Measures the series only in the first repeat: for a program that takes a hundred times as long, three runs add no
   * information.
   */
  readonly once?: boolean;
  /** Whether the history is the same at every point, because x varies the history of another series. */
  readonly constant?: boolean;
  /** Replaces the experiment's own history, or some of its fields. */
  readonly history?:
    | Partial<GeneratedSource>
    | Partial<CollectedSource>
    | DatasetSource
    | DatasetSetSource
    | PointsSource;
  /**
   * Name of the series whose history this series uses, to compare two checkers on one history. Loading fills in the
   * history.
   */
  readonly historyOf?: string;
  /** False if the checker is known to be wrong here. A contradiction by another checker is then not a disagreement. */
  readonly trusted?: boolean;
  /** Scales at which the series runs, if not all. */
  readonly scales?: readonly Scale[];
}

export interface ExperimentFile extends Omit<Experiment, 'history' | 'series'> {
  readonly history: Source;
  /** Owner of the public histories; `public` unless stated. */
  readonly data?: 'paper’s own' | 'public';
  readonly series: readonly Series[];
}

/** Resolves the experiment at a scale, for figures and tables. */
export function atScale(file: ExperimentFile, scale: Scale): Experiment {
  const series = seriesAt(file, scale).map(({ name, checker, variant, options, level, trusted }) => ({
    name,
    checker,
    ...(variant !== undefined && { variant }),
    ...(options !== undefined && { options }),
    ...(level !== undefined && { level }),
    ...(trusted !== undefined && { trusted }),
  }));
  return { ...file, history: pickScale(file.history, scale), series } as unknown as Experiment;
}

export const seriesAt = ({ series }: ExperimentFile, scale: Scale): readonly Series[] =>
  series.filter(({ scales }) => scales === undefined || scales.includes(scale));

/** Series of one repeat, counted from 0. */
export const seriesOfRepeat = (file: ExperimentFile, scale: Scale, repeat: number): readonly Series[] =>
  seriesAt(file, scale).filter(({ once }) => repeat === 0 || once !== true);

/** A history source with everything filled in. */
export type ResolvedSource =
  | ResolvedDataset
  | {
      readonly kind: 'simulated';
      readonly workload: string;
      readonly set: Readonly<Record<string, string>>;
      readonly sessions: number;
      readonly transactions: number;
      readonly level: string;
      readonly seed: number;
      readonly faults: Readonly<Record<string, number>>;
      readonly retry: boolean;
      readonly times: boolean;
      readonly timestamps?: true;
      readonly aborted?: false;
      readonly planted?: string;
      readonly counts?: 'all';
    }
  | {
      readonly kind: 'lightweight';
      readonly sessions: number;
      readonly transactions: number;
      readonly seed: number;
      readonly concurrent: number;
      readonly objects: number;
      readonly fault: string;
    }
  | ResolvedCollection
  | ResolvedHunt;

/** Source of the history of a series at a point. `repeat` counts from 0 and changes the seed. */
export function sourceAt(file: ExperimentFile, series: Series, x: Point, scale: Scale, repeat: number): ResolvedSource {
  const where = `${file.id}, ${series.name}`;
  return resolveSource(pickScale(sourceOf(file, series), scale), x, scale, repeat, where);
}

/**
 * A series' own fields override those of the experiment; a history of another kind replaces it. A simulated and a
 * collected history share their workload.
 */
function sourceOf({ history }: ExperimentFile, { history: own }: Series): Source {
  const kind = own && kindOf(own);
  const of = kindOf(history);
  if (kind === 'datasets' || kind === 'points' || kind === 'hunted') return own as Source;
  if (kind === null || kind === undefined || kind === of) return { ...history, ...own } as Source;
  if (of !== 'collected' && of !== 'simulated') return own as Source;
  const shared = Object.entries(history).filter(([name]) => SHARED.has(name));
  return { ...Object.fromEntries(shared), ...own } as Source;
}

/** Fields that a simulated and a collected history have in common. */
const SHARED: ReadonlySet<string> = new Set(['workload', 'set', 'sessions', 'transactions', 'of', 'seed', 'retry']);

/** Returns null if the fields do not determine a kind. */
function kindOf(source: object): 'datasets' | 'points' | 'collected' | 'hunted' | 'simulated' | null {
  if (isOfDatasets(source)) return 'datasets';
  if ('points' in source) return 'points';
  if ('collect' in source) return 'collected';
  if ('hunt' in source) return 'hunted';
  return 'level' in source ? 'simulated' : null;
}

/** Resolves a source without scales or series, such as a recipe of the datasets' manifest. */
export function resolveSource(source: Source, x: Point, scale: Scale, repeat: number, where: string): ResolvedSource {
  if ('points' in source) {
    const own = source.points[String(x)] ?? source.others;
    if (own) return resolveSource(own, x, scale, repeat, where);
    throw new BenchError(
      `${where} has no history at x = ${x}; the points with a history are ${Object.keys(source.points).join(', ')}.`,
    );
  }
  if (isOfDatasets(source)) return resolveDataset(source, x, scale, repeat);
  if ('collect' in source) return resolveCollection(source, x, repeat, where);
  if ('hunt' in source) return resolveHunt(source, x, repeat);
  const sessions = wholeAt(source.sessions, x, `${where}: sessions`);
  const transactions = ofEachSession(source, sessions, x, where);
  const seed = source.seed + repeat;
  if (source.lightweight !== undefined) {
    const { concurrent = 1, objects = 1, fault = 'none' } = source.lightweight;
    return {
      kind: 'lightweight',
      sessions,
      transactions,
      seed,
      concurrent: Number(fill(concurrent, x)),
      objects: Number(fill(objects, x)),
      fault: String(fault),
    };
  }
  return {
    kind: 'simulated',
    workload: String(fill(source.workload, x)),
    set: settingsAt(source.set, x),
    sessions,
    transactions,
    level: source.level,
    seed,
    faults: Object.fromEntries(Object.entries(source.fault ?? {}).map(([name, p]) => [String(fill(name, x)), p])),
    retry: source.retry ?? false,
    times: source.times ?? false,
    // Fields without effect are omitted, so recipes from before these fields existed keep their names.
    ...(source.aborted === false && { aborted: source.aborted }),
    ...(source.timestamps === true && { timestamps: source.timestamps }),
    ...(source.planted !== undefined && { planted: String(fill(source.planted, x)) }),
    ...(source.counts === 'all' && { counts: source.counts }),
  };
}

/** Replaces every value that is given by scale by its value at this scale. */
function pickScale<T>(value: T, scale: Scale): T {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const fields = value as Readonly<Record<string, unknown>>;
  if (SCALES.every((name) => Object.hasOwn(fields, name))) return fields[scale] as T;
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, pickScale(field, scale)])) as T;
}
