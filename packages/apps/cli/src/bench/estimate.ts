import { type ExperimentFile, type ResultRow, type Scale, countCells } from '@isolab/experiments';
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
