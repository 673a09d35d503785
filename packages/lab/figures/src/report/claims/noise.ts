// States whether noise decides a claim: on another day, the times of a run are longer or shorter, and the outcome may
// change.

import type { Measurement, PaperClaim } from '../../results/results.ts';
import { GENERATION } from '../../chart/points.ts';
import {
  NOISE_OF_ABORTS,
  NOISE_OF_BYTES,
  NOISE_OF_COLLECTING,
  NOISE_OF_LONG,
  NOISE_OF_SHORT,
  SHORT_MS,
} from './bands.ts';

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

/** Selects the rows that noise changes: for growth those of the last point; null for claims without noise. */
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
    case 'counter':
      return claim.counter in NOISE_OF_COUNTERS ? (row) => row.series === claim.series : null;
    case 'share':
      return (row) => row.series === claim.series && isEnded(row);
    default:
      return null;
  }
}

/** Returns the row with noise in its times, memory and counters of collecting, or in the time of one stage. */
function changed(row: Measurement, change: Change, stage: string | null): Measurement {
  const stages = row.stages.map((one) =>
    stage === null || one.name === stage ? { ...one, ms: changedTime(one.ms, change, one.name) } : one,
  );
  const counters = Object.entries(row.counters).map(([name, value]) => [
    name,
    NOISE_OF_COUNTERS[name]?.(value, change) ?? value,
  ]);
  const { wallMs, cpuMs, fromFileMs, prepareMs, peakRssBytes } = row;
  return {
    ...row,
    stages,
    counters: Object.fromEntries(counters) as Measurement['counters'],
    wallMs: wallMs && changedTime(wallMs, change),
    cpuMs: cpuMs && changedTime(cpuMs, change),
    ...(fromFileMs !== undefined && { fromFileMs: changedTime(fromFileMs, change) }),
    ...(prepareMs !== undefined && { prepareMs: changedTime(prepareMs, change) }),
    peakRssBytes: peakRssBytes && plus(NOISE_OF_BYTES)(peakRssBytes, change),
  };
}

function changedTime(ms: number, change: Change, stage = ''): number {
  const ofCheck = ms < SHORT_MS ? NOISE_OF_SHORT : NOISE_OF_LONG;
  return times(stage === GENERATION ? NOISE_OF_COLLECTING : ofCheck)(ms, change);
}

type Noise = (value: number, change: Change) => number;

const times =
  (noise: number): Noise =>
  (value, change) =>
    change === 'more' ? value * noise : value / noise;

const plus =
  (noise: number): Noise =>
  (value, change) =>
    Math.max(0, change === 'more' ? value + noise : value - noise);

/** Noise of the counters that depend on the clients and the database. */
const NOISE_OF_COUNTERS: Readonly<Record<string, Noise>> = {
  'history.generationSeconds': times(NOISE_OF_COLLECTING),
  'history.throughput': times(NOISE_OF_COLLECTING),
  'history.abortedPercent': plus(NOISE_OF_ABORTS),
};
