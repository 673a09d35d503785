/** Data of a run of one checker on one history that figures need. */
export interface Measurement {
  /** Id of the experiment, such as "polysi/fig6a". */
  readonly experiment: string;
  /** Name in the legend, such as "PolySI w/o P". */
  readonly series: string;
  /** Position on the x axis: a number, or a category such as a dataset. */
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
   * timeout, memory, unsupported, absent tool, and so on; `timeout at 384` for a skipped run, because the run at x =
   * 384, on an easier history or another one, reached the time limit. For a verdict: its assumptions, if any.
   */
  readonly reason: string | null;
  readonly wallMs: number | null;
  /** Time of an outside program from opening the history to the verdict, if the program prints it. */
  readonly fromFileMs?: number;
  /** Time to read the history, to index it and to weigh its evidence, which all checkers of isolab share. */
  readonly prepareMs?: number;
  readonly cpuMs: number | null;
  readonly peakRssBytes: number | null;
  /** Memory of a process of this checker that had one transaction to check. */
  readonly idleRssBytes?: number;
  readonly stages: readonly { readonly name: string; readonly ms: number }[];
  readonly counters: Readonly<Record<string, number>>;
  readonly certificate: 'verified' | 'rejected' | 'none' | 'not asked';
  /** Answer for each history, if the row is about a set of them. */
  readonly each?: readonly HistoryAnswer[];
  readonly run: {
    /** Class of the machine: processor, cores, memory, system. */
    readonly machine: string;
    readonly node: string;
    readonly commit: string;
    readonly at: string;
    readonly load: number;
    /** Name of the group of a point's series that were measured one right after the other. */
    readonly together?: string;
    readonly scale: string;
  };
}

export type HistoryAnswer = Pick<Measurement, 'verdict' | 'reason' | 'wallMs'>;

export type Scale = 'ci' | 'laptop' | 'paper';

/** An experiment as data: benchmarks/<paper>/<figure>.json. */
export interface Experiment {
  readonly id: string;
  readonly paper: string;
  readonly figure: string;
  readonly title: string;
  /** Claim of the paper, in our own words. */
  readonly claim: string;
  readonly chart: 'lines' | 'bars' | 'stacked-bars' | 'marks' | 'table';
  readonly x: {
    readonly label: string;
    readonly scale: 'linear' | 'log' | 'category';
    /**
     * Whether histories become harder with x. A series that reaches its time limit at one point is then skipped at
     * larger ones.
     */
    readonly grows?: boolean;
  };
  readonly y: { readonly label: string; readonly scale: 'linear' | 'log'; readonly metric: Metric };
  readonly level: string;
  readonly grid: Readonly<Record<Scale, readonly (number | string)[]>>;
  /** Source of the history of a point; "$x" stands for the point; numbers may depend on the scale. */
  readonly history: HistorySource;
  readonly series: readonly Series[];
  readonly limits: Readonly<Record<Scale, { readonly seconds: number; readonly megabytes: number }>>;
  readonly repeats: Readonly<Record<Scale, number>>;
  /** Values of the paper, by series and x. Null: out of time or memory there. */
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
  /** Peak memory without that of an idle process. */
  | 'netRssBytes'
  /** Time of the check, with reading and index. */
  | 'withPreparationMs'
  | 'stages'
  /**
   * Time that clients took to make the history, plus the checker's time to verify it; `wallMs` if the history was not
   * collected.
   */
  | 'endToEndMs'
  /** Number of runs that found a violation, out of a hundred on different histories. */
  | 'found'
  /** Expected number in half an hour, including the time to make each history. */
  | 'foundIn30Minutes'
  | { readonly counter: string };

export interface Series {
  readonly name: string;
  readonly checker: string;
  readonly variant?: string;
  readonly options?: Record<string, string>;
  readonly level?: string;
  /** False if the series is known to err; its verdicts then do not count in claims about `all` series. */
  readonly trusted?: boolean;
}

export type HistorySource =
  /** Id from datasets/manifest.json; "$x" is allowed. */
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
  /** Whether the claim is the paper's, or a check of our own work. The two are counted separately. */
  readonly origin: 'paper' | 'sanity';
  /** Scales at which the claim is tested, and the reason, if it concerns sizes that other scales do not reach. */
  readonly only?: { readonly scales: readonly Scale[]; readonly why: string };
  /** Place in the paper: its section, and the figure or table. */
  readonly where?: string;
  /** Number or trend as the paper states it. */
  readonly says?: string;
  /** Text to print if the claim does not hold. */
  readonly note?: string;
}

export type PaperClaim = ClaimBase &
  (
    | {
        /** time(than) ≥ factor · time(series); `than` may be a series of the paper: "PolySI (paper)". */
        readonly kind: 'faster';
        readonly series: string;
        readonly than: string;
        /** Factor that the paper states; 1 if it states only the order; `figure` for the ratio of its values at each point. */
        readonly factor: number | 'figure';
        /** Set for the paper's "up to": one point has to reach the factor, and the others have the order. */
        readonly upTo?: true;
        readonly at: 'all' | 'last' | number | string | readonly (number | string)[];
        /** Metric of the comparison, if it differs from that of the axis. */
        readonly metric?: Metric;
      }
    /** Exponent of a power-law fit over x: the paper's, that of its values (`figure`), or a bound. */
    | ({
        readonly kind: 'growth';
        readonly series: string;
        readonly metric?: Metric;
      } & ({ readonly exponent: number | 'figure' } | { readonly atMost: number } | { readonly atLeast: number }))
    | {
        readonly kind: 'finishes';
        readonly series: string;
        readonly at: 'all' | number | string;
        /** Time and memory within which the paper's runs ended. */
        readonly within?: { readonly seconds?: number; readonly megabytes?: number };
      }
    | ({ readonly kind: 'verdict'; readonly series: string; readonly is: 'satisfied' | 'violated' } & Places)
    /** Claim that a checker finishes and reports no violation, although there is one. */
    | ({ readonly kind: 'misses'; readonly series: string } & Places)
    | ({
        readonly kind: 'counter';
        readonly series: string;
        readonly counter: string;
        /** A point, or several whose counts are added. */
        readonly x: number | string | readonly (number | string)[];
        /** Set for counts that are complete even if a run gives up later, so that any end of the run is accepted. */
        readonly of?: 'any run';
      } & ExpectedCount)
    /** Share of a stage in the time of all stages, in percent, at every point. */
    | ({ readonly kind: 'share'; readonly series: string; readonly stage: string } & Places &
        ({ readonly atLeast: number } | { readonly atMost: number }))
    | { readonly kind: 'not-reproducible'; readonly why: string }
  );

/** Points that a claim is about; all of them without a list. */
interface Places {
  readonly at?: readonly (number | string)[];
}

export type ExpectedCount =
  | { readonly equals: number; readonly within: number }
  | { readonly atLeast: number }
  | { readonly atMost: number };

export interface ClaimResult {
  readonly claim: PaperClaim;
  /** `direction only`: the order or trend is the paper's, the magnitude is not. */
  readonly outcome: 'holds' | 'direction only' | 'fails' | 'not measured' | 'not reproducible';
  /** Numbers that decided the claim. */
  readonly detail: string;
  /** Scale whose measurements decided the claim; null if none did. */
  readonly scale: Scale | null;
  /** Set if a run on another day may decide otherwise. */
  readonly withinNoise: boolean;
}
