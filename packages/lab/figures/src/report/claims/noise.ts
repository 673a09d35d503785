// States whether noise decides a claim: on another day, the times of a run are longer or shorter, and the outcome may
// change.

import type { Measurement, PaperClaim } from '../../results/results.ts';
import { NOISE_OF_BYTES, NOISE_OF_LONG, NOISE_OF_SHORT, SHORT_MS } from './bands.ts';

type Change = 'more' | 'less';
type Outcome<Result> = (rows: readonly Measurement[]) => Result;

/** States whether the outcome changes if noise is added to the measurements of the claim's series. */
export function isWithinNoise<Result>(
  claim: PaperClaim,
  rows: readonly Measurement[],
  outcomeOf: Outcome<Result>,
): boolean {
  const isChanged = changing(claim, rows);
  if (isChanged === null) return false;
  const stage = claim.kind === 'share' ? claim.stage : null;
  const outcome = outcomeOf(rows);
  return (['more', 'less'] as const).some((change) => {
    const noisy = rows.map((row) => (isChanged(row) ? changed(row, change, stage) : row));
    return outcomeOf(noisy) !== outcome;
  });
}

/** Selects the rows that noise changes: for growth those of the last point; null for claims without times and memory. */
function changing(claim: PaperClaim, rows: readonly Measurement[]): ((row: Measurement) => boolean) | null {
  const isEnded = ({ verdict }: Measurement): boolean => verdict === 'satisfied' || verdict === 'violated';
  switch (claim.kind) {
    case 'faster': {
      const name = rows.some(({ series }) => series === claim.series) ? claim.series : claim.than;
      return (row) => row.series === name && isEnded(row);
    }
    case 'finishes':
      return claim.within === undefined ? null : (row) => row.series === claim.series && isEnded(row);
    case 'growth': {
      const last = Math.max(...rows.filter(({ series }) => series === claim.series).map(({ x }) => Number(x)));
      return (row) => row.series === claim.series && Number(row.x) === last && isEnded(row);
    }
    case 'share':
      return (row) => row.series === claim.series && isEnded(row);
    default:
      return null;
  }
}

/** Returns the row with noise in its times and memory, or in the time of one stage. */
function changed(row: Measurement, change: Change, stage: string | null): Measurement {
  const stages = row.stages.map((one) =>
    stage === null || one.name === stage ? { ...one, ms: changedTime(one.ms, change) } : one,
  );
  const { wallMs, cpuMs, fromFileMs, prepareMs, peakRssBytes } = row;
  return {
    ...row,
    stages,
    wallMs: wallMs && changedTime(wallMs, change),
    cpuMs: cpuMs && changedTime(cpuMs, change),
    ...(fromFileMs !== undefined && { fromFileMs: changedTime(fromFileMs, change) }),
    ...(prepareMs !== undefined && { prepareMs: changedTime(prepareMs, change) }),
    peakRssBytes: peakRssBytes && Math.max(0, peakRssBytes + (change === 'more' ? NOISE_OF_BYTES : -NOISE_OF_BYTES)),
  };
}

function changedTime(ms: number, change: Change): number {
  const noise = ms < SHORT_MS ? NOISE_OF_SHORT : NOISE_OF_LONG;
  return change === 'more' ? ms * noise : ms / noise;
}
