import {
  type ExperimentFile,
  type ResultRow,
  type Scale,
  type Tools,
  countCells,
  dataOf,
  programsIn,
} from '@isolab/experiments';
import { count, duration } from '../terminal/print.ts';

/**
 * Estimates the time that experiments will take from earlier times of their cells on any machine; null if there are
 * none. Only checkers are counted: histories that must be generated first take additional time.
 */
export function estimateOf(
  experiments: readonly ExperimentFile[],
  scale: Scale,
  before: readonly ResultRow[],
): string | null {
  const ids = new Set(experiments.map(({ id }) => id));
  const known = before.filter(({ experiment, wallMs }) => ids.has(experiment) && wallMs !== null);
  if (known.length === 0) return null;
  const cells = experiments.reduce((sum, experiment) => sum + countCells(experiment, scale), 0);
  const spent = known.reduce((sum, { wallMs }) => sum + wallMs!, 0);
  const machines = [...new Set(known.map(({ run }) => run.machine))].join('; ');
  const others = Math.max(0, cells - known.length);
  return `${count(cells, 'cell')} at scale ${scale}: ${duration(spent)} of checking, estimated from earlier results (${machines})${others === 0 ? '' : `, plus ${count(others, 'cell')} of unknown duration`}. Known results are not measured again.`;
}

/** Kinds of data of the experiments, and the published programs that are not on this machine. */
export function sourcesOf(
  experiments: readonly ExperimentFile[],
  scale: Scale,
  manifest: Parameters<typeof dataOf>[3],
  tools: Tools,
): string[] {
  const kinds = new Map<string, Set<string>>();
  const programs = new Set<string>();
  for (const experiment of experiments) {
    for (const series of experiment.series) {
      const kind = dataOf(experiment, series, scale, manifest);
      kinds.set(kind, (kinds.get(kind) ?? new Set()).add(experiment.id));
      if (series.checker.startsWith('tool:')) programs.add(series.checker.slice('tool:'.length));
    }
  }
  const absent = programsIn(tools).flatMap(({ ways }) =>
    ways.filter(({ name, path }) => path === null && programs.has(name)).map(({ name }) => name),
  );
  const data = [...kinds].map(([kind, ids]) => `${kind} (${count(ids.size, 'experiment')})`).join(', ');
  return [
    `Data: ${data}. Absent histories are skipped, with the command that gets them.`,
    ...(absent.length === 0
      ? []
      : [
          `Published programs that are not here, so that their series are skipped: ${absent.join(', ')}. isolab list tools NAME describes the set-up.`,
        ]),
  ];
}
