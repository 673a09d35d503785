/**
 * Histories that an experiment takes from the manifest of datasets: a single one, or a set that is measured as one
 * cell.
 */
interface Read {
  /** Other words for points in the datasets' names. */
  readonly words?: Readonly<Record<string, string>>;
  /** Reads failed statements as rollbacks: see docs/rollback-reading.md. */
  readonly failedStatements?: 'rollback';
}

/** A dataset of the manifest; `$x`, `$scale` and `$repeat` stand for the point, the scale and the repeat, from 0. */
export interface DatasetSource extends Read {
  readonly dataset: string;
}

/**
 * All datasets whose ids begin with one of these prefixes. `$x` and `$scale` stand for the point and the scale, `*` for
 * any text between two slashes.
 */
export interface DatasetSetSource extends Read {
  readonly datasets: readonly string[];
  /** Largest number of datasets; of a larger set, an evenly spread selection is taken. */
  readonly atMost?: number | { readonly ci: number; readonly laptop: number; readonly paper: number };
  /**
   * Checks the histories one after another in the measuring process, for sets of thousands: memory is not measured, and
   * a time limit holds only if the checker reads the clock.
   */
  readonly inOneProcess?: boolean;
}

export type ResolvedDataset =
  | { readonly kind: 'dataset'; readonly id: string; readonly failedStatements?: 'rollback' }
  | {
      readonly kind: 'datasets';
      readonly prefixes: readonly string[];
      readonly atMost: number | null;
      readonly inOneProcess: boolean;
      readonly failedStatements?: 'rollback';
    };

export const isOfDatasets = (source: object): source is DatasetSource | DatasetSetSource =>
  'dataset' in source || 'datasets' in source;

export function resolveDataset(
  source: DatasetSource | DatasetSetSource,
  x: number | string,
  scale: string,
  repeat: number,
): ResolvedDataset {
  const word = source.words?.[String(x)] ?? String(x);
  const filled = (id: string): string =>
    id.replaceAll('$scale', scale).replaceAll('$repeat', String(repeat)).replaceAll('$x', word);
  const reading = source.failedStatements === undefined ? {} : { failedStatements: source.failedStatements };
  if ('dataset' in source) return { kind: 'dataset', id: filled(source.dataset), ...reading };
  const { datasets, atMost, inOneProcess = false } = source;
  return {
    kind: 'datasets',
    prefixes: datasets.map(filled),
    atMost: atMost === undefined ? null : (atMost as number),
    inOneProcess,
    ...reading,
  };
}

/** Returns a test whether an id begins with one of the prefixes of a set. */
export function beginsWith(prefixes: readonly string[]): (id: string) => boolean {
  const literal = (text: string): string => text.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&');
  const pattern = new RegExp(
    `^(?:${prefixes.map((prefix) => prefix.split('*').map(literal).join('[^/]*')).join('|')})`,
  );
  return (id) => pattern.test(id);
}

/** Returns at most `atMost` elements of a list, evenly spread; all of a shorter list. */
export function evenly<T>(list: readonly T[], atMost: number | null): T[] {
  if (atMost === null || list.length <= atMost) return [...list];
  return Array.from({ length: atMost }, (_, i) => list[Math.floor((i * list.length) / atMost)]!);
}
