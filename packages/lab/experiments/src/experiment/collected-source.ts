/** Histories that clients collect from a real database for an experiment. */
import { BenchError } from './errors.ts';
import { type PerScale, type Point, type Settings, fill, ofEachSession, settingsAt, wholeAt } from './point-values.ts';

/**
 * A history collected from clients of a real database; `$x` stands for the point. It is kept, so it can be verified
 * again without a database.
 */
export interface CollectedSource {
  /** The database and its version, such as `postgres@12.3`, which isolab downloads and starts; settings may follow. */
  readonly collect: string;
  /** The database's own name for the level. */
  readonly isolation: string;
  readonly workload: string;
  readonly set?: Settings;
  /** Whether each of the workload's keys has a row without a value before clients begin. */
  readonly filled?: boolean;
  readonly sessions: string | number | PerScale<number>;
  /** Number of committed transactions; without it, the collection ends after `seconds`. */
  readonly transactions?: string | number | PerScale<number>;
  readonly of?: 'each session' | 'all sessions';
  readonly seconds?: string | number | PerScale<number>;
  readonly seed: number;
  /** Retries an aborted transaction until it commits. */
  readonly retry?: boolean;
}

export interface ResolvedCollection {
  readonly kind: 'collected';
  readonly database: string;
  readonly isolation: string;
  readonly workload: string;
  readonly set: Readonly<Record<string, string>>;
  readonly sessions: number;
  /** Number of transactions of each session; null if the time alone ends the collection. */
  readonly transactions: number | null;
  readonly seconds: number | null;
  readonly filled: boolean;
  readonly seed: number;
  readonly retry: boolean;
}

/** Resolves the recipe of a collection at a point. `repeat` changes the seed. */
export function resolveCollection(
  source: CollectedSource,
  x: Point,
  repeat: number,
  where: string,
): ResolvedCollection {
  const { transactions, seconds = null } = source;
  if (transactions === undefined && seconds === null)
    throw new BenchError(`${where}: the collection has no end; set transactions or seconds.`);
  const sessions = wholeAt(source.sessions, x, `${where}: sessions`);
  return {
    kind: 'collected',
    database: source.collect.replaceAll('$x', String(x)),
    isolation: source.isolation,
    workload: String(fill(source.workload, x)),
    set: settingsAt(source.set, x),
    sessions,
    transactions: transactions === undefined ? null : ofEachSession({ ...source, transactions }, sessions, x, where),
    seconds: seconds === null ? null : Number(fill(seconds as number, x)),
    filled: source.filled ?? false,
    seed: source.seed + repeat,
    retry: source.retry ?? false,
  };
}
