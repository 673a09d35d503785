/** Run of one checker on one history, as far as it is drawn. */
export interface Measurement {
  /** "polysi/fig6a" */
  readonly experiment: string;
  /** Its name in the legend: "PolySI w/o P". */
  readonly series: string;
  /** Its place on the x axis: a number, or a category such as a dataset. */
  readonly x: number | string;
  readonly repeat: number;
  readonly checker: string;
  readonly variant: string | null;
  readonly level: string;
  readonly history: {
    readonly id: string;
    readonly sessions: number;
    readonly transactions: number;
    readonly operations: number;
    readonly keys: number;
  };
  readonly verdict: 'satisfied' | 'violated' | 'unknown' | 'skipped';
  /**
   * timeout, memory, unsupported, absent tool …; `timeout at 384` of a run that was not made, as one at x = 384, on an
   * easier history or another one, was out of time. For a verdict: its assumptions, if any.
   */
  readonly reason: string | null;
  readonly wallMs: number | null;
  /** Time of an outside program from opening the history to the verdict, if it prints that. */
  readonly fromFileMs?: number;
  readonly cpuMs: number | null;
  readonly peakRssBytes: number | null;
  readonly stages: readonly { readonly name: string; readonly ms: number }[];
  readonly counters: Readonly<Record<string, number>>;
  readonly certificate: 'verified' | 'rejected' | 'none' | 'not asked';
  readonly run: {
    /** The class of the machine: processor, cores, memory, system. */
    readonly machine: string;
    readonly node: string;
    readonly commit: string;
    readonly at: string;
    readonly load: number;
    /** Group of the series of a point that were measured one right after the other. */
    readonly together?: string;
    readonly scale: string;
  };
}

export type Scale = 'ci' | 'laptop' | 'paper';

/** An experiment as data: benchmarks/<paper>/<figure>.json. */
export interface Experiment {
  readonly id: string;
  readonly paper: string;
  readonly figure: string;
  readonly title: string;
  /** Claim of the paper, in a sentence of ours. */
  readonly claim: string;
  readonly chart: 'lines' | 'bars' | 'stacked-bars' | 'table';
  readonly x: {
    readonly label: string;
    readonly scale: 'linear' | 'log' | 'category';
    /**
     * Whether histories become harder with x. A series that is out of time at one point is then not run at larger ones.
     */
    readonly grows?: boolean;
  };
  readonly y: { readonly label: string; readonly scale: 'linear' | 'log'; readonly metric: Metric };
  readonly level: string;
  readonly grid: Readonly<Record<Scale, readonly (number | string)[]>>;
  /** How the history of a point is made; "$x" stands for the point; numbers may depend on the scale. */
  readonly history: HistorySource;
  readonly series: readonly Series[];
  readonly limits: Readonly<Record<Scale, { readonly seconds: number; readonly megabytes: number }>>;
  readonly repeats: Readonly<Record<Scale, number>>;
  /** The paper's own values: by series, by x. Null: timeout or out of memory there. */
  readonly published: Readonly<Record<string, Readonly<Record<string, number | null>>>>;
  readonly publishedUnit?: 's' | 'ms' | 'MB' | 'count';
  /** Claims of the paper that must hold here. */
  readonly holds: readonly PaperClaim[];
  readonly deviations?: readonly string[];
}

export type Metric =
  | 'wallMs'
  | 'fromFileMs'
  | 'cpuMs'
  | 'peakRssBytes'
  | 'stages'
  /** Time that clients took to make the history, and the checker to verify it; `wallMs` where it was not collected. */
  | 'endToEndMs'
  /** Number of runs, out of a hundred on different histories, that found a violation. */
  | 'found'
  /** Expected number in half an hour, counting the time to make each history. */
  | 'foundIn30Minutes'
  | { readonly counter: string };

export interface Series {
  readonly name: string;
  readonly checker: string;
  readonly variant?: string;
  readonly options?: Record<string, string>;
  readonly level?: string;
  /** False where the series is known to err; its verdicts then do not count in claims about `all` series. */
  readonly trusted?: boolean;
}

export type HistorySource =
  /** An id of datasets/manifest.json, "$x" allowed. */
  | { readonly dataset: string }
  | {
      readonly workload: string;
      readonly set?: Record<string, string | number>;
      readonly sessions: number | '$x';
      readonly transactions: number | '$x';
      readonly level: string;
      readonly seed: number;
      readonly fault?: Record<string, number>;
      readonly lightweight?: object;
    };

export interface ClaimBase {
  readonly text: string;
  /** Whether the paper claims it, or we check our own work by it. The two are counted apart. */
  readonly origin: 'paper' | 'sanity';
  /** Where the claim speaks of sizes that other scales do not reach: the scales at which it is asked, and why only there. */
  readonly only?: { readonly scales: readonly Scale[]; readonly why: string };
  /** Text for the case that the claim does not hold. */
  readonly note?: string;
}

export type PaperClaim = ClaimBase &
  (
    | {
        /** time(than) ≥ factor · time(series); `than` may be a series of the paper: "PolySI (paper)". */
        readonly kind: 'faster';
        readonly series: string;
        readonly than: string;
        readonly factor: number;
        readonly at: 'all' | 'last' | number | string | { readonly from: number };
        /** Metric of the comparison, where it is not that of the axis. */
        readonly metric?: Metric;
      }
    /** Exponent of a power-law fit over x. */
    | { readonly kind: 'growth'; readonly series: string; readonly atMost: number; readonly metric?: Metric }
    | { readonly kind: 'finishes'; readonly series: string; readonly at: 'all' | number | string }
    | ({ readonly kind: 'verdict'; readonly series: string; readonly is: 'satisfied' | 'violated' } & Places)
    /** Claim that a checker comes to its end and reports no violation, although there is one. */
    | ({ readonly kind: 'misses'; readonly series: string } & Places)
    | ({
        readonly kind: 'counter';
        readonly series: string;
        readonly counter: string;
        /** The point, or several whose counts are added. */
        readonly x: number | string | readonly (number | string)[];
        /** Set for counts that are complete before a run can give up, for any end of the run. */
        readonly of?: 'any run';
      } & ExpectedCount)
    | { readonly kind: 'not-reproducible'; readonly why: string }
  );

/** The points that a claim is about; all of them without a list. */
interface Places {
  readonly at?: readonly (number | string)[];
}

export type ExpectedCount =
  | { readonly equals: number; readonly within: number }
  | { readonly atLeast: number }
  | { readonly atMost: number };

export interface ClaimResult {
  readonly claim: PaperClaim;
  readonly outcome: 'holds' | 'fails' | 'not measured' | 'not reproducible';
  /** The numbers that decided it. */
  readonly detail: string;
}
