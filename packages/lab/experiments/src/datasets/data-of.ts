/** Origin of a series' data, which a summary names beside a claim. */
import type { DataOrigin } from '@isolab/figures';
import { isSimulated } from '@isolab/hunt';
import { beginsWith } from '../experiment/dataset-source.ts';
import { type ExperimentFile, type Scale, type Series, sourceAt } from '../experiment/experiment.ts';
import type { Manifest } from './manifest.ts';

/**
 * `public`: histories published by others; `database`: collected here from a real database; `made by hand`: histories
 * of this repository.
 */
export function dataOf(file: ExperimentFile, series: Series, scale: Scale, { datasets }: Manifest): DataOrigin {
  const source = sourceAt(file, series, file.grid[scale][0]!, scale, 0);
  if (source.kind === 'collected') return 'database';
  if (source.kind === 'hunted') return isSimulated(source.database) ? 'simulated' : 'database';
  if (source.kind !== 'dataset' && source.kind !== 'datasets') return 'simulated';
  const isMeant = source.kind === 'dataset' ? (id: string) => id === source.id : beginsWith(source.prefixes);
  const kind = datasets.find(({ id }) => isMeant(id))?.source.kind;
  if (kind === 'generated') return 'simulated';
  return kind === 'committed' ? 'made by hand' : (file.data ?? 'public');
}
