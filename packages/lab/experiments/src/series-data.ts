/** Finds the data of each series of an experiment, and the repositories of published histories. */
import type { SeriesData } from '@isolab/figures';
import type { Archive } from './datasets/catalogue.ts';
import { dataOf } from './datasets/data-of.ts';
import { beginsWith } from './experiment/dataset-source.ts';
import { type ExperimentFile, type ResolvedSource, type Scale, seriesAt, sourceAt } from './experiment/experiment.ts';
import type { Dataset, Manifest } from './datasets/manifest.ts';

export type DataFinder = (file: ExperimentFile, scale: Scale) => ReadonlyMap<string, SeriesData>;

export function seriesData(manifest: Manifest, archives: readonly Archive[]): DataFinder {
  const byId = new Map(manifest.datasets.map((dataset) => [dataset.id, dataset]));
  const datasetsOf = (source: ResolvedSource): Dataset[] => {
    const one = source.kind === 'dataset' ? byId.get(source.id) : undefined;
    if (one !== undefined) return [one];
    if (source.kind !== 'datasets') return [];
    const isMeant = beginsWith(source.prefixes);
    return manifest.datasets.filter(({ id }) => isMeant(id));
  };
  return (file, scale) =>
    new Map(
      seriesAt(file, scale).map((series) => {
        const datasets = file.grid[scale].flatMap((x) => datasetsOf(sourceAt(file, series, x, scale, 0)));
        return [series.name, { kind: dataOf(file, series, scale, manifest), from: origins(datasets, archives) }];
      }),
    );
}

/** Repositories of datasets, each once. */
function origins(datasets: readonly Dataset[], archives: readonly Archive[]): SeriesData['from'] {
  const found = new Map<string, SeriesData['from'][number]>();
  for (const { source } of datasets) {
    if (!('repository' in source) || found.has(source.repository)) continue;
    const { repository, commit } = source;
    const archive = archives.find((one) => one.repository === repository)?.name;
    found.set(repository, {
      text: `${repository.split('/').at(-1)!} at ${commit.slice(0, 8)}`,
      href: `${repository}/tree/${commit}`,
      ...(archive !== undefined && { archive }),
    });
  }
  return [...found.values()];
}
