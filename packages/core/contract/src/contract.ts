import {
  type History,
  type HistoryShape,
  type InternalAnomalies,
  type NamedRows,
  type PolygraphInput,
  type ReadFromIndex,
  type Threads,
  buildReadFrom,
  findInternalAnomalies,
} from '@isolab/history';
import type { AnomalyName, ClaimName } from './anomalies.ts';
import type { SatisfiedCertificate, ViolationCertificate } from './certificate.ts';
import type { LevelDefinition, LevelName } from '@isolab/levels';
import type { ByLevel } from './levels.ts';
import type { Stages } from './stages.ts';

/** The version of this contract. A checker built for another version is refused with a message. */
export const API_VERSION = 1;

/** A checker's answer. It never guesses: an undecided case is unknown. Warnings do not change it. */
export type CheckerVerdict = SatisfiedVerdict | ViolatedVerdict | UnknownVerdict<CheckerReason>;

/** Verdict of the host: a checker's answer, or the host's reason for giving no answer. */
export type Verdict = SatisfiedVerdict | ViolatedVerdict | UnknownVerdict;

export interface SatisfiedVerdict {
  readonly status: 'satisfied';
  readonly certificate?: SatisfiedCertificate;
  readonly uncertified?: UncertifiedReason;
  readonly warnings?: readonly Warning[];
}

export interface ViolatedVerdict {
  readonly status: 'violated';
  /** At least one; the first anomaly with a certificate proves the verdict. */
  readonly anomalies: readonly FoundAnomaly[];
  readonly uncertified?: UncertifiedReason;
  readonly warnings?: readonly Warning[];
}

export interface UnknownVerdict<Reason extends UnknownReason = UnknownReason> {
  readonly status: 'unknown';
  readonly reason: Reason;
  readonly detail?: string;
}

export type VerdictStatus = Verdict['status'];

export type UnknownReason = CheckerReason | HostReason;

/** Reasons that a checker may give for an unknown verdict. */
export type CheckerReason =
  | 'timeout'
  | 'memory'
  | 'steps'
  | 'aborted'
  /** The algorithm cannot decide every history, including this history. */
  | 'incomplete'
  /** The checker does not support histories of this shape. */
  | 'unsupported'
  /** The checker did not return normally: it has a bug, or its process was killed. */
  | 'crashed';

export type HostReason =
  /** The verifier refuses the certificate that a plug-in gave for its verdict. */
  | 'certificate-refused'
  /** Nothing in the history could have shown a violation. */
  | 'nothing-to-judge'
  /** The level compares times, and the history has no comparable times. */
  | 'needs-times'
  /** The level is about transactions with one key each, and the history has other transactions. */
  | 'needs-single-keys'
  /** The history was cut off, and the missing part may violate the level. */
  | 'cut-off'
  /** Two runs contradict each other, so at least one of them is wrong. */
  | 'contradiction';

/** Reasons why a verdict has no certificate although it was requested, phrased as ends of sentences. */
export const UNCERTIFIED = {
  solver: 'the solver reports that no order exists, but gives no proof',
  search: 'an exhaustive search found no order, and its result has no short proof',
  strings: 'the certificate verifier does not support strings that are built by appends',
  polygraph: 'there is no certificate yet for a polygraph with a cycle under every choice',
  'as-published': 'the variant reproduces the faults of the published tool, so its verdict may not be provable',
  weaker: 'the options relax the level, so the result is not evidence for it',
  size: 'the certificate is too large to return',
  /** Filled in by the host. */
  unstated: 'the checker gave neither a certificate nor a reason',
} as const;

export type UncertifiedReason = keyof typeof UNCERTIFIED;

/**
 * Claims of a database about itself that a checker may treat as facts, phrased as ends of sentences about a violation.
 */
export const CLAIMS = { timestamps: 'if the timestamps that the database states are right' } as const;

export type Claim = keyof typeof CLAIMS;

/**
 * Returns the supposition behind a checker's verdict as the end of a sentence; null for an unconditional verdict, which
 * other verdicts can contradict.
 */
export function suppositionOf(
  { takesForFacts }: Pick<CheckerInfo<object>, 'takesForFacts'>,
  verdict: Verdict,
): string | null {
  if (verdict.status === 'unknown') return null;
  if (verdict.status === 'satisfied')
    return verdict.uncertified === 'weaker' ? 'of the weaker level that its options select' : null;
  const proof = certificateOf(verdict);
  const isProved = proof !== undefined && proof.kind !== 'timestamps';
  return takesForFacts === undefined || isProved ? null : CLAIMS[takesForFacts];
}

/** Returns the certificate that proves a verdict: for a violated verdict, the first certificate of its anomalies. */
export const certificateOf = (verdict: Verdict): SatisfiedCertificate | ViolationCertificate | undefined =>
  evidenceOf(verdict)?.certificate;

/** Returns the certificate of a verdict, and the history whose numbers it uses. */
export function evidenceOf(verdict: Verdict): Certification | undefined {
  if (verdict.status === 'unknown') return undefined;
  return verdict.status === 'satisfied'
    ? verdict
    : verdict.anomalies.find(({ certificate }) => certificate !== undefined);
}

export interface Certification {
  readonly certificate?: SatisfiedCertificate | ViolationCertificate;
  readonly passedOver?: NamedRows | undefined;
}

export interface FoundAnomaly {
  readonly name: AnomalyName;
  /** The pattern in the checker's own paper that the anomaly matched, such as `TAP-h`. */
  readonly pattern?: string;
  /** The transactions involved, in the order of the story; the initial transaction is INITIAL_TXN. */
  readonly transactions: readonly number[];
  readonly certificate?: ViolationCertificate;
  /** Rows that scans passed over and that count as reads in the certificate's numbers; all of them if absent. */
  readonly passedOver?: NamedRows | undefined;
}

/**
 * Returns the verdict on a history with anomalies, with the reason for the missing certificate if no anomaly has a
 * certificate.
 */
export const violatedBy = (anomalies: readonly FoundAnomaly[], uncertified: UncertifiedReason): ViolatedVerdict =>
  anomalies.some(({ certificate }) => certificate !== undefined)
    ? { status: 'violated', anomalies }
    : { status: 'violated', anomalies, uncertified };

/** A claim that contradicts the history at every level. */
export interface Warning {
  readonly name: ClaimName;
  readonly transactions: readonly number[];
  readonly text: string;
}

/** Represents the initial transaction wherever transactions are identified by number. */
export const INITIAL_TXN = -1;

/** A history, and facts about it that are computed once for all checkers. */
export interface IndexedHistory {
  readonly history: History;
  readonly index: ReadFromIndex;
  readonly internal: InternalAnomalies;
}

export function indexed(history: History, threads: Threads | null = null): IndexedHistory {
  const index = buildReadFrom(history, threads);
  return { history, index, internal: findInternalAnomalies(history, index) };
}

export type CheckInput =
  | (IndexedHistory & { readonly kind: 'history' })
  /** A history at a user-defined level; see packages/core/levels. */
  | (IndexedHistory & { readonly kind: 'definition'; readonly definition: LevelDefinition })
  /**
   * A history with scans, for checkers that handle scans themselves: `history` lists only the rows that the scans of
   * `withScans` returned, and not the rows that they passed over. Verdicts use the numbers of `toRegisters(withScans)`.
   */
  | (IndexedHistory & { readonly kind: 'scans'; readonly withScans: History })
  /**
   * A polygraph: the question is whether some choice of edges makes it acyclic, at the level serializable. Verdicts use
   * its nodes.
   */
  | { readonly kind: 'polygraph'; readonly polygraph: PolygraphInput };

export type InputKind = CheckInput['kind'];

export const INPUT_KINDS = ['history', 'definition', 'scans', 'polygraph'] as const satisfies readonly InputKind[];

export type InputOf<Kind extends InputKind> = Extract<CheckInput, { readonly kind: Kind }>;

/** Resources that a run may use. Steps do not depend on the machine, so tests limit steps instead of time. */
export interface Budget {
  readonly timeMs?: number;
  readonly memoryBytes?: number;
  readonly steps?: number;
}

/** The checker's side of a run, through which it reports progress and learns when to stop. */
export interface RunContext {
  readonly certify: boolean;
  /** Whether to report every anomaly, instead of only the first. */
  readonly findAll: boolean;
  /** Names the current stage (construct, prune, encode, solve, traverse, certify …); the host times it. */
  stage(name: string): void;
  /** Adds to a counter that reports show. */
  count(name: string, amount: number): void;
  /** Reports the finished share of the current stage. */
  progress(done: number, total: number): void;
  /**
   * Charges steps. Throws Stop once the budget is used up or the run aborted. Call this per transaction rather than per
   * literal.
   */
  tick(steps: number): void;
}

/** Thrown by `tick` and caught by the host, which turns it into an unknown verdict. A checker must not catch it. */
export class Stop extends Error {
  override readonly name = 'Stop';
  readonly reason: CheckerReason;

  constructor(reason: CheckerReason, detail: string = reason) {
    super(detail);
    this.reason = reason;
  }
}

export interface Paper {
  readonly title: string;
  readonly authors: string;
  readonly venue: string;
  readonly year: number;
}

/** An option: its default, which also determines its type, and a sentence for help texts. */
export interface OptionSpec<Value> {
  readonly default: Value;
  readonly help: string;
  /** The allowed values, if there are only a few. */
  readonly choices?: readonly Value[];
}

export const defaultsOf = <Options>(options: CheckerInfo<Options>['options']): Options =>
  Object.fromEntries(
    Object.entries<OptionSpec<unknown>>(options).map(([name, spec]) => [name, spec.default]),
  ) as Options;

/** A named combination of options, such as an ablation from a paper: `--checker NAME:no-pruning`. */
export interface Variant<Options> {
  readonly help: string;
  /** Hardware that the machine must have; without it, the verdict is unknown (unsupported). */
  readonly needs?: 'a GPU';
  readonly options: Partial<Options>;
}

/** A shape, or several shapes; one of them must hold. */
export type Requirement = HistoryShape | readonly HistoryShape[];

export interface CheckerInfo<Options, Kind extends InputKind = InputKind> {
  /** Stable, in kebab-case; a value of `--checker`. */
  readonly name: string;
  readonly title: string;
  readonly version: string;
  readonly apiVersion: typeof API_VERSION;
  /** Null for isolab's own checkers. */
  readonly paper: Paper | null;
  readonly levels: readonly LevelName[];
  /**
   * Whether the checker's `violated` (sound) and `satisfied` (complete) are always right, on histories of the required
   * shapes.
   */
  readonly sound: boolean;
  readonly complete: boolean;
  /** Claim of the database that this checker trusts. Other checkers do not contradict its violations. */
  readonly takesForFacts?: Claim;
  /** Shapes that a history must have, checked by the host. In an inner list, one shape must hold. */
  readonly requires: readonly Requirement[];
  readonly requiresAt?: ByLevel<readonly Requirement[]>;
  /** Kinds of input that the checker accepts; plain histories if absent. */
  readonly accepts?: readonly Kind[];
  readonly options: { readonly [Name in keyof Options]: OptionSpec<Options[Name]> };
  readonly variants: Readonly<Record<string, Variant<Options>>>;
}

export interface Checker<Options = object, Kind extends InputKind = InputKind> {
  readonly info: CheckerInfo<Options, Kind>;
  /** Decides whether the input satisfies one of the checker's levels. Synchronous if possible. */
  check(
    input: InputOf<Kind>,
    level: LevelName,
    options: Options,
    context: RunContext,
  ): CheckerVerdict | Promise<CheckerVerdict>;
  /**
   * Returns the stages from the found cycle to the violation, for stories; null if the checker has none to show. Not
   * called for a plug-in from a file, whose code runs only in its own process.
   */
  interpret?(input: InputOf<Kind>, level: LevelName, context: RunContext): Stages | null;
}

/** Returns whether a checker accepts inputs of a kind. */
export const takes = ({ accepts = ['history'] }: Pick<CheckerInfo<object>, 'accepts'>, kind: InputKind): boolean =>
  accepts.includes(kind);

/** Returns the shapes that a checker requires at a level, or at any level if none is given. */
export function requirementsAt(
  { requires, requiresAt = {} }: Pick<CheckerInfo<object>, 'requires' | 'requiresAt'>,
  level?: LevelName,
): readonly Requirement[] {
  const more =
    level === undefined ? Object.values(requiresAt).flatMap((some) => some ?? []) : (requiresAt[level] ?? []);
  return more.length === 0 ? requires : [...requires, ...more];
}

/** Returns its argument, with the type of its options. A plug-in exports the result as its default. */
export const defineChecker = <Options, Kind extends InputKind = 'history'>(
  checker: Checker<Options, Kind>,
): Checker<Options, Kind> => checker;
