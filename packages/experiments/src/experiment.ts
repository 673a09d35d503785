/** Experiments as files hold them, with numbers by scale and histories by series; `atScale` resolves both. */
import type { Experiment } from '@isolab/figures';
import {
  type DatasetSetSource,
  type DatasetSource,
  type ResolvedDataset,
  isOfDatasets,
  resolveDataset,
} from './dataset-source.ts';
import { BenchError } from './errors.ts';

export const SCALES = ['ci', 'laptop', 'paper'] as const;
export type Scale = (typeof SCALES)[number];
export type PerScale<T> = Readonly<Record<Scale, T>>;
export type Point = number | string;

/** A simulated history; `$x` stands for the point, `$x * 60` for a multiple of it. */
export interface GeneratedSource {
  readonly workload: string;
  readonly set?: Readonly<Record<string, string | number | PerScale<string | number>>>;
  readonly sessions: string | number | PerScale<number>;
  readonly transactions: string | number | PerScale<number>;
  /** Whether `transactions` are those of each session, or of all of them together. */
  readonly of?: 'each session' | 'all sessions';
  readonly level: string;
  readonly seed: number;
  readonly fault?: Readonly<Record<string, number>>;
  /** An anomaly that the history has exactly once; see `PLANTED` of @isolab/workloads. */
  readonly planted?: string;
  /** Attempts an aborted transaction again until it commits. */
  readonly retry?: boolean;
  /** Whether `transactions` are those that commit, which is the default, or those that are attempted. */
  readonly counts?: 'committed' | 'all';
  /** Whether the history has real times, which most logs of the papers have not: they give away nearly all of the order. */
  readonly times?: boolean;
  /** Of MTC's lightweight transactions, which are made without a database: see `lightweightHistory`. */
  readonly lightweight?: Readonly<Record<string, string | number>>;
}

export type Source = DatasetSource | DatasetSetSource | GeneratedSource;

/** A line, or a colour of bars. */
export interface Series {
  readonly name: string;
  readonly checker: string;
  readonly variant?: string;
  readonly options?: Readonly<Record<string, string>>;
  readonly level?: string;
  /** Of a set: asks these in turn, weak ones first, until one is violated; the last is the level of the series. */
  readonly levels?: readonly string[];
  /** Asks for every anomaly, not just the first, so that they can be counted. */
  readonly findAll?: boolean;
  /** Whether the history is the same at every point, because what x speaks of is another series'. */
  readonly constant?: boolean;
  /** In place of the experiment's own history, or of some of its fields. */
  readonly history?: Partial<GeneratedSource> | DatasetSource | DatasetSetSource;
  /** False where the checker is known to be wrong here, so that it is no disagreement if another one says otherwise. */
  readonly trusted?: boolean;
  /** The scales at which it runs, where it does not at all of them. */
  readonly scales?: readonly Scale[];
}

export interface ExperimentFile extends Omit<Experiment, 'history' | 'series'> {
  readonly history: Source;
  /** Whose the public histories are; those of others, unless it says so. */
  readonly data?: 'paper’s own' | 'public';
  readonly series: readonly Series[];
}

/** The experiment as it is at a scale, for figures and tables. */
export function atScale(file: ExperimentFile, scale: Scale): Experiment {
  const series = seriesAt(file, scale).map(({ name, checker, variant, options, level }) => ({
    name,
    checker,
    ...(variant !== undefined && { variant }),
    ...(options !== undefined && { options }),
    ...(level !== undefined && { level }),
  }));
  return { ...file, history: pickScale(file.history, scale), series } as unknown as Experiment;
}

export const seriesAt = ({ series }: ExperimentFile, scale: Scale): readonly Series[] =>
  series.filter(({ scales }) => scales === undefined || scales.includes(scale));

/** A history source with everything filled in. */
export type ResolvedSource =
  | ResolvedDataset
  | {
      readonly kind: 'simulated';
      readonly workload: string;
      readonly set: Readonly<Record<string, string>>;
      readonly sessions: number;
      /** Of each session. */
      readonly transactions: number;
      readonly level: string;
      readonly seed: number;
      readonly faults: Readonly<Record<string, number>>;
      readonly retry: boolean;
      readonly times: boolean;
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
    };

/** What the history of a series at a point is made from. `repeat` counts from 0 and moves the seed. */
export function sourceAt(file: ExperimentFile, series: Series, x: Point, scale: Scale, repeat: number): ResolvedSource {
  const where = `${file.id}, ${series.name}`;
  const merged = { ...file.history, ...series.history } as Source;
  const own = series.history !== undefined && isOfDatasets(series.history) ? series.history : merged;
  const source = pickScale(own, scale);
  return resolveSource(source, x, scale, repeat, where);
}

/** The same, of a source without scales or series, such as a recipe of the datasets' manifest. */
export function resolveSource(source: Source, x: Point, scale: Scale, repeat: number, where: string): ResolvedSource {
  if (isOfDatasets(source)) return resolveDataset(source, x, scale, repeat);
  const sessions = wholeAt(source.sessions, x, `${where}: sessions`);
  const asked = wholeAt(source.transactions, x, `${where}: transactions`);
  const transactions = source.of === 'all sessions' ? Math.ceil(asked / sessions) : asked;
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
    set: Object.fromEntries(
      Object.entries(source.set ?? {}).map(([name, value]) => [name, String(fill(value as string, x))]),
    ),
    sessions,
    transactions,
    level: source.level,
    seed,
    faults: Object.fromEntries(Object.entries(source.fault ?? {}).map(([name, p]) => [String(fill(name, x)), p])),
    retry: source.retry ?? false,
    times: source.times ?? false,
    // Absent where they say nothing, so that recipes from before they existed keep their names.
    ...(source.planted !== undefined && { planted: String(fill(source.planted, x)) }),
    ...(source.counts === 'all' && { counts: source.counts }),
  };
}

/** Puts the point in the place of `$x`, and multiplies it where the text says so. */
function fill(value: string | number, x: Point): string | number {
  if (typeof value === 'number') return value;
  const [, factor] = /^\$x \* ([\d.]+)$/.exec(value) ?? [];
  if (factor !== undefined) return Number(x) * Number(factor);
  return value === '$x' ? x : value;
}

function wholeAt(value: unknown, x: Point, where: string): number {
  const number = Number(fill(value as string, x));
  if (Number.isInteger(number) && number > 0) return number;
  throw new BenchError(`${where} is ${String(value)} at x = ${x}, expected a whole number of at least 1.`);
}

/** Takes of every value that is given by scale the one of this scale. */
function pickScale<T>(value: T, scale: Scale): T {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const fields = value as Readonly<Record<string, unknown>>;
  if (SCALES.every((name) => Object.hasOwn(fields, name))) return fields[scale] as T;
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, pickScale(field, scale)])) as T;
}
