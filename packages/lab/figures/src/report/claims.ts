// Decides whether a claim holds here, with its numbers. A claim that the measurements do not decide is "not measured":
// a run that reached a limit shows only that the value is larger, and a run that gave up shows nothing.

import { scaleOf, shown, valueOf, xsOf } from '../chart/points.ts';
import { answerOf } from '../results/answers.ts';
import type { PaperClaim, ClaimResult, ExpectedCount, Experiment, Measurement, Metric } from '../results/results.ts';
import { faster } from './claims/comparison.ts';
import { type ClaimFinding, type ClaimOf, isAt, notMeasured, whyAbsent } from './claims/finding.ts';
import { growth } from './claims/growth.ts';
import { isWithinNoise } from './claims/noise.ts';
import { share } from './claims/share.ts';

export function evaluateClaims(experiment: Experiment, rows: readonly Measurement[]): ClaimResult[] {
  const own = rows.filter((row) => row.experiment === experiment.id);
  return experiment.holds.map((claim) => {
    const find = (from: readonly Measurement[]): ClaimFinding => outcomeOf(claim, experiment, from);
    const { outcome, detail } = find(own);
    if (outcome === 'not measured' || outcome === 'not reproducible')
      return { claim, outcome, detail, scale: null, withinNoise: false };
    const withinNoise = isWithinNoise(claim, own, (noisy) => find(noisy).outcome);
    return { claim, outcome, detail, scale: scaleOf(own), withinNoise };
  });
}

function outcomeOf(claim: PaperClaim, experiment: Experiment, rows: readonly Measurement[]): ClaimFinding {
  if (claim.kind !== 'not-reproducible' && rows.length === 0) return notMeasured('not run yet');
  if (claim.only && !claim.only.scales.includes(scaleOf(rows)))
    return notMeasured(`required only at scale ${claim.only.scales.join(' and ')}: ${claim.only.why}`);
  switch (claim.kind) {
    case 'faster':
      return faster(claim, measuring(experiment, claim.metric), rows);
    case 'growth':
      return growth(claim, measuring(experiment, claim.metric), rows);
    case 'finishes':
      return finishes(claim, experiment, rows);
    case 'verdict':
      return verdict(claim, experiment, rows);
    case 'misses':
      return misses(claim, experiment, rows);
    case 'counter':
      return counter(claim, experiment, rows);
    case 'share':
      return share(claim, experiment, rows);
    case 'not-reproducible':
      return { outcome: 'not reproducible', detail: claim.why };
  }
}

/** Returns the experiment with another metric on its y axis, for which the paper has no values. */
const measuring = (experiment: Experiment, metric: Metric | undefined): Experiment =>
  metric === undefined ? experiment : { ...experiment, y: { ...experiment.y, metric }, published: {} };

const isAmong = (x: number | string, at: readonly (number | string)[] | undefined): boolean =>
  at === undefined || at.some((wanted) => isAt(x, wanted));

function finishes(
  { series, at, within = {} }: ClaimOf<'finishes'>,
  experiment: Experiment,
  rows: readonly Measurement[],
): ClaimFinding {
  const own = rows.filter(
    (row) => row.series === series && row.verdict !== 'skipped' && (at === 'all' || isAt(row.x, at)),
  );
  if (own.length === 0) return notMeasured(whyAbsent(series, experiment, rows, at));
  const ended = own.filter((row) => answerOf(row) === 'unknown');
  const list = [...new Set(ended.map(({ x, reason }) => `at ${x}: ${reason ?? 'no verdict'}`))];
  if (list.length > 0) return { outcome: 'fails', detail: list.join('; ') };
  const { seconds = Infinity, megabytes = Infinity } = within;
  const most = (values: readonly (number | null)[]): number => Math.max(0, ...values.map((value) => value ?? 0));
  const time = most(own.map((row) => valueOf(row, 'wallMs')));
  const memory = most(own.map((row) => valueOf(row, 'peakRssBytes')));
  const used = [
    ...(seconds === Infinity ? [] : [`at most ${shown(time, 's')}`]),
    ...(megabytes === Infinity ? [] : [`at most ${shown(memory, 'MB')}`]),
  ];
  const isWithin = time <= seconds && memory <= megabytes;
  const detail = [`verdicts at ${xsOf(experiment, own).join(', ')}`, ...used].join('; ');
  return { outcome: isWithin ? 'holds' : 'direction only', detail };
}

function verdict(
  { series, is, at, origin }: ClaimOf<'verdict'>,
  experiment: Experiment,
  rows: readonly Measurement[],
): ClaimFinding {
  const errs = new Set(experiment.series.filter(({ trusted }) => trusted === false).map(({ name }) => name));
  const isAsked = (name: string): boolean => (series === 'all' ? !errs.has(name) : name === series);
  const own = rows.filter((row) => isAsked(row.series) && isAmong(row.x, at));
  // A check of ours asks for proofs; a paper's tool accepts where it finds nothing.
  const said = (row: Measurement): Measurement['verdict'] => (origin === 'paper' ? answerOf(row) : row.verdict);
  const decided = own.filter((row) => said(row) === 'satisfied' || said(row) === 'violated');
  if (decided.length === 0) {
    const [name = series] = own.map((row) => row.series);
    return notMeasured(`no verdict; ${whyAbsent(name, experiment, rows, 'all')}`);
  }
  const wrong = decided.filter((row) => said(row) !== is || row.certificate === 'rejected');
  if (wrong.length > 0) {
    const list = new Set(
      wrong.map(
        (row) => `${row.series} at ${row.x}: ${row.certificate === 'rejected' ? 'certificate rejected' : said(row)}`,
      ),
    );
    return { outcome: 'fails', detail: [...list].join('; ') };
  }
  const open = own.length - decided.length;
  return {
    outcome: 'holds',
    detail: `${decided.length} of ${decided.length} verdicts${open === 0 ? '' : `, ${open} runs without a verdict`}`,
  };
}

function misses({ series, at }: ClaimOf<'misses'>, experiment: Experiment, rows: readonly Measurement[]): ClaimFinding {
  const own = rows.filter((row) => row.series === series && row.verdict !== 'skipped' && isAmong(row.x, at));
  const ended = own.filter((row) => answerOf(row) !== 'unknown');
  const found = ended.filter((row) => row.verdict === 'violated');
  if (found.length > 0) return { outcome: 'fails', detail: `violated at ${xsOf(experiment, found).join(', ')}` };
  if (ended.length === 0 || ended.length < own.length) return notMeasured(whyAbsent(series, experiment, rows, 'all'));
  const where = xsOf(experiment, ended).join(', ');
  return { outcome: 'holds', detail: `at ${where}: ${ended.length} of ${ended.length} runs accept` };
}

function counter(claim: ClaimOf<'counter'>, experiment: Experiment, rows: readonly Measurement[]): ClaimFinding {
  const { series, counter: name, x, of } = claim;
  let sum = 0;
  for (const at of typeof x === 'object' ? x : [x]) {
    // The counts of a run that reached a limit or gave up are incomplete.
    const values = rows
      .filter((row) => row.series === series && isAt(row.x, at) && (row.verdict !== 'unknown' || of === 'any run'))
      .flatMap((row) => row.counters[name] ?? []);
    if (values.length === 0)
      return notMeasured(`${series} did not count ${name} at ${at}; ${whyAbsent(series, experiment, rows, at)}`);
    sum += values.reduce((total, value) => total + value, 0) / values.length;
  }
  const { low, high, text } = expectedOf(claim);
  return { outcome: sum >= low && sum <= high ? 'holds' : 'fails', detail: `${shown(sum, '')}, ${text} required` };
}

export function expectedOf(expected: ExpectedCount): { low: number; high: number; text: string } {
  if ('atLeast' in expected)
    return { low: expected.atLeast, high: Infinity, text: `at least ${shown(expected.atLeast, '')}` };
  if ('atMost' in expected)
    return { low: -Infinity, high: expected.atMost, text: `at most ${shown(expected.atMost, '')}` };
  const { equals, within } = expected;
  const text = within === 0 ? shown(equals, '') : `${shown(equals, '')} ± ${shown(within, '')}`;
  return { low: equals - within, high: equals + within, text };
}
