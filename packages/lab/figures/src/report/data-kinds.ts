import type { PaperClaim } from '../results/results.ts';
import type { Link } from './experiment-page.ts';

/** Where histories come from, beginning with those that say most about a paper. */
export const DATA_KINDS = ['paper’s own', 'database', 'public', 'made by hand', 'simulated'] as const;
export type DataOrigin = (typeof DATA_KINDS)[number];

/** In full. */
export const DATA_NAMES: Readonly<Record<DataOrigin, string>> = {
  'paper’s own': 'the paper’s own histories',
  database: 'a real database',
  public: 'histories that others published',
  'made by hand': 'histories made by hand',
  simulated: 'a simulated database',
};

export interface SeriesData {
  readonly kind: DataOrigin;
  /** Where published histories are, and which archive `isolab bench datasets get` takes them from. */
  readonly from: readonly (Link & { readonly archive?: string })[];
}

export type DataOfSeries = ReadonlyMap<string, SeriesData>;

/** The kind of data that decides a claim: that of the series which it is about, or else of the first one. */
export function dataOfClaim(claim: PaperClaim, data: DataOfSeries): DataOrigin | undefined {
  const own = 'series' in claim ? data.get(claim.series.replace(/ \(paper\)$/, '')) : undefined;
  return (own ?? [...data.values()][0])?.kind;
}
