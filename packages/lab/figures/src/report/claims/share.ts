// Decides claims about the share that a stage takes of a run's time: the median of the runs at each point.

import { pointsOfPaper, timeOfStages, xsOf } from '../../chart/points.ts';
import { medianOf } from '../../chart/statistics.ts';
import { answerOf } from '../../results/answers.ts';
import type { Experiment, Measurement } from '../../results/results.ts';
import { type ClaimFinding, type ClaimOf, isAt, notMeasured, whyAbsent } from './finding.ts';

type Share = ClaimOf<'share'>;

export function share(claim: Share, experiment: Experiment, rows: readonly Measurement[]): ClaimFinding {
  const { series, at } = claim;
  const own = rows.filter(
    (row) =>
      row.series === series &&
      row.verdict !== 'skipped' &&
      answerOf(row) !== 'unknown' &&
      timeOfStages(row) > 0 &&
      (at === undefined || at.some((x) => isAt(row.x, x))),
  );
  if (own.length === 0) return notMeasured(whyAbsent(series, experiment, rows, at ?? 'all'));
  const xs = xsOf(experiment, own);
  const shares = xs.map((x) => medianOf(own.filter((row) => row.x === x).map((row) => percentOf(row, claim))).value);
  const isWithin = shares.every((percent) => ('atMost' in claim ? percent <= claim.atMost : percent >= claim.atLeast));
  const required = 'atMost' in claim ? `at most ${claim.atMost} %` : `at least ${claim.atLeast} %`;
  const detail = `${rangeText(shares)} at ${xs.join(', ')}; ${required} required${paperText(claim, experiment, rows, xs)}`;
  return { outcome: isWithin ? 'holds' : 'fails', detail };
}

const percentOf = (row: Measurement, { stage }: Share): number => (100 * timeOfStages(row, stage)) / timeOfStages(row);

/** Shares of the paper, if its values are those of stages. */
function paperText(
  { stage }: Share,
  experiment: Experiment,
  rows: readonly Measurement[],
  xs: readonly (number | string)[],
): string {
  if (experiment.y.metric !== 'stages') return '';
  const points = pointsOfPaper(experiment, rows);
  const shares = xs.flatMap((x) => {
    const stages = points.filter((point) => point.x === x && point.value !== null);
    const own = stages.find(({ series }) => series === stage);
    return own === undefined ? [] : [(100 * own.value!) / stages.reduce((sum, { value }) => sum + value!, 0)];
  });
  return shares.length === 0 ? '' : `; ${rangeText(shares)} in the paper’s figure`;
}

function rangeText(percents: readonly number[]): string {
  const [low, high] = [Math.min(...percents), Math.max(...percents)].map((one) => one.toFixed(0));
  return low === high ? `${low} %` : `${low} to ${high} %`;
}
