import { Flaw } from './flaw.ts';

/** Result of a verifier. A certificate is accepted only if all requirements of the level were checked. */
export type Verification =
  | { readonly ok: true; readonly result: 'accepted'; readonly checked: readonly Checked[] }
  | {
      readonly ok: false;
      /** No problem was found, but the check is incomplete and proves neither verdict. */
      readonly result: 'accepted in part';
      /** Unchecked parts, in one line. */
      readonly problem: string;
      readonly checked: readonly Checked[];
      readonly unchecked: readonly Unchecked[];
    }
  | { readonly ok: false; readonly result: 'rejected'; readonly problem: string };

/** Parts that a verifier checked, and parts that it could not check. */
export interface Coverage {
  readonly checked: readonly Checked[];
  readonly unchecked: readonly Unchecked[];
}

/** A checked part. Operation histories have `operations`, and polygraphs have the last three parts. */
export type CheckedPart =
  | 'evidence'
  | 'reads'
  | 'lists'
  | 'rows'
  | 'aggregates'
  | 'counters'
  | 'failed compare-and-sets'
  | 'sessions'
  | 'times'
  | 'timestamps'
  | 'completeness'
  | 'operations'
  | 'nodes'
  | 'edges'
  | 'constraints';

export interface Checked {
  readonly what: CheckedPart;
  readonly count: number;
  /** Coverage as text: `3 rows of 2 scans`. */
  readonly text: string;
}

export interface Unchecked {
  readonly what: CheckedPart;
  readonly count: number;
  /** Unchecked part, and the reason. */
  readonly why: string;
}

/** Claims that are trusted. */
export interface Allowances {
  /** Treats a history that was cut off as complete. */
  readonly cutOff?: boolean;
  /** Accepts a real-time level where no two transactions have comparable times. */
  readonly vacuous?: boolean;
  /** Trusts the timestamps that the database states. */
  readonly timestamps?: boolean;
  /** Accepts reads of counters that may see a part of a plain write, where the level lets them. */
  readonly counters?: boolean;
}

/** Allows all claims, where other code judges the basis of a verdict. */
export const ALL_ALLOWED: Allowances = { cutOff: true, vacuous: true, timestamps: true, counters: true };

export type ProofOutcome = { readonly ok: true } | { readonly ok: false; readonly problem: string };

/** Runs a verifier that throws a Flaw at the first mistake. */
export function outcomeOf(verify: () => void): ProofOutcome {
  try {
    verify();
    return { ok: true };
  } catch (error) {
    if (error instanceof Flaw) return { ok: false, problem: error.message };
    throw error;
  }
}

/** Runs a verifier that lists its checks. */
export function verificationOf(verify: () => Coverage): Verification {
  let coverage: Coverage = { checked: [], unchecked: [] };
  const outcome = outcomeOf(() => {
    coverage = verify();
  });
  if (!outcome.ok) return { ...outcome, result: 'rejected' };
  const { checked, unchecked } = coverage;
  if (unchecked.length === 0) return { ok: true, result: 'accepted', checked };
  const problem = `not checked: ${unchecked.map(({ why }) => why).join('; ')}`;
  return { ok: false, result: 'accepted in part', problem, checked, unchecked };
}

/** `1 read`, `2,345 reads`. */
export const counted = (n: number, noun: string): string =>
  `${String(n).replaceAll(/\B(?=(\d{3})+$)/g, ',')} ${noun}${n === 1 ? '' : 's'}`;
