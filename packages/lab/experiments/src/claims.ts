/** Claims of experiments, decided by the results of one scale or more: for lists outside the pages. */
import {
  type Decided,
  type Measured,
  decideClaims,
  measuredText,
  outcomeText,
  scalesText,
  sourceText,
  tallies,
  tallyText,
} from '@isolab/figures';
import { type ExperimentFile, SCALES, type Scale, atScale } from './experiment/experiment.ts';
import { latestRows } from './measurement/rows.ts';
import type { ResultRow } from './measurement/row-shape.ts';
import type { DataFinder } from './series-data.ts';

/** Results of a scale. */
export type RowsAt = (scale: Scale) => readonly ResultRow[];

/** Finds the measurements of an experiment at each scale, the largest first. Reads the rows of a scale once. */
export function measuredAt(
  scales: readonly Scale[],
  rowsAt: RowsAt,
  findData?: DataFinder,
): (file: ExperimentFile) => Measured[] {
  const each = SCALES.filter((scale) => scales.includes(scale)).map((scale) => {
    const rows = latestRows(rowsAt(scale)).filter(({ run }) => run.scale === scale);
    return { scale, rows };
  });
  return (file) =>
    each.toReversed().map(({ scale, rows }) => {
      const data = findData?.(file, scale);
      const own = rows.filter(({ experiment }) => experiment === file.id);
      return { experiment: atScale(file, scale), rows: own, ...(data && { data }) };
    });
}

export interface DecidedClaim {
  readonly experiment: string;
  readonly outcome: Decided['outcome'];
  /** Scale that decided it; null if none did. */
  readonly scale: Scale | null;
  /** The outcome with its sign. */
  readonly sign: string;
  readonly origin: 'paper' | 'sanity';
  readonly text: string;
  /** Owner of the claim, with its place in the paper, and the paper's number. */
  readonly source: string;
  /** Numbers that decided it. */
  readonly measured: string;
  readonly withinNoise: boolean;
}

/** Decides all claims of the experiments, each at the largest of the scales that measured it. */
export function decidedClaims(
  experiments: readonly ExperimentFile[],
  rowsAt: RowsAt,
  scales: readonly Scale[] = SCALES,
): { readonly claims: readonly DecidedClaim[]; readonly counts: string } {
  const find = measuredAt(scales, rowsAt);
  const results = experiments.flatMap((file) =>
    decideClaims(find(file)).map((result) => ({ experiment: file.id, ...result })),
  );
  const claims = results.map((result) => ({
    experiment: result.experiment,
    outcome: result.outcome,
    scale: result.scale,
    sign: outcomeText(result.outcome),
    origin: result.claim.origin,
    text: result.claim.text,
    source: sourceText(result.claim),
    measured: measuredText(result),
    withinNoise: result.withinNoise,
  }));
  return { claims, counts: `${tallies(results, tallyText)}${scalesText(results)}` };
}
