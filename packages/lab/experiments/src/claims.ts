/** Claims of experiments, decided by the results of a scale: for lists outside the pages. */
import { type ClaimResult, evaluateClaims, outcomeText, sourceText, tallies, tallyText } from '@isolab/figures';
import { type ExperimentFile, type Scale, atScale } from './experiment/experiment.ts';
import type { ResultRow } from './measurement/row-shape.ts';

export interface DecidedClaim {
  readonly experiment: string;
  readonly outcome: ClaimResult['outcome'];
  /** The outcome with its sign. */
  readonly sign: string;
  readonly origin: 'paper' | 'sanity';
  readonly text: string;
  /** Owner of the claim, with its place in the paper, and the paper's number. */
  readonly source: string;
  /** Numbers that decided it. */
  readonly measured: string;
}

/** Decides all claims of the experiments; `counts` is the number of each outcome. */
export function decidedClaims(
  experiments: readonly ExperimentFile[],
  rows: readonly ResultRow[],
  scale: Scale,
): { readonly claims: readonly DecidedClaim[]; readonly counts: string } {
  const results = experiments.flatMap((file) =>
    evaluateClaims(atScale(file, scale), rows).map((result) => ({ experiment: file.id, ...result })),
  );
  const claims = results.map(({ experiment, claim, outcome, detail }) => ({
    experiment,
    outcome,
    sign: outcomeText(outcome),
    origin: claim.origin,
    text: claim.text,
    source: sourceText(claim),
    measured: detail,
  }));
  return { claims, counts: tallies(results, tallyText) };
}
