import type { PaperClaim } from '../results/results.ts';

/** Origins of histories, beginning with the most informative about a paper. */
export const DATA_KINDS = ['paper’s own', 'database', 'public', 'made by hand', 'simulated'] as const;
export type DataOrigin = (typeof DATA_KINDS)[number];

/** Full names. */
export const DATA_NAMES: Readonly<Record<DataOrigin, string>> = {
  'paper’s own': 'the paper’s own histories',
  database: 'a real database',
  public: 'histories published by others',
  'made by hand': 'histories made by hand',
  simulated: 'a simulated database',
};

export interface SeriesData {
  readonly kind: DataOrigin;
  /** Locations of published histories, and the archive name in `isolab bench datasets get`. */
  readonly from: readonly { readonly text: string; readonly href: string; readonly archive?: string }[];
}

export type DataOfSeries = ReadonlyMap<string, SeriesData>;

/** Kind of data that decides a claim: the data of the series in the claim, or else of the first series. */
export function dataOfClaim(claim: PaperClaim, data: DataOfSeries): DataOrigin | undefined {
  const own = 'series' in claim ? data.get(claim.series.replace(/ \(paper\)$/, '')) : undefined;
  return (own ?? [...data.values()][0])?.kind;
}
