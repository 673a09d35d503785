import { Flaw } from './flaw.ts';

/** Result of a verifier: a certificate is accepted only if all demands of the level were checked. */
export type Verification =
  | { readonly ok: true; readonly result: 'accepted'; readonly checked: readonly Checked[] }
  | {
      readonly ok: false;
      /** No problem was found, but something was not checked: this proves neither verdict. */
      readonly result: 'accepted in part';
      /** Unchecked parts, in one line. */
      readonly problem: string;
      readonly checked: readonly Checked[];
      readonly unchecked: readonly Unchecked[];
    }
  | { readonly ok: false; readonly result: 'rejected'; readonly problem: string };

/** Parts that a verifier examined, and parts that it could not. */
export interface Coverage {
  readonly checked: readonly Checked[];
  readonly unchecked: readonly Unchecked[];
}

/** A part to check: for an operation history `operations`, for a polygraph the last three. */
export type CheckedPart =
  | 'evidence'
  | 'reads'
  | 'lists'
  | 'rows'
  | 'aggregates'
  | 'failed compare-and-sets'
  | 'sessions'
  | 'times'
  | 'timestamps'
  | 'completeness'
  | 'operations'
  | 'nodes'
  | 'edges'
  | 'constraints';

/** Something that was checked. */
export interface Checked {
  readonly what: CheckedPart;
  readonly count: number;
  /** Coverage in words: `3 rows of 2 scans`. */
  readonly text: string;
}

/** Something that was not. */
export interface Unchecked {
  readonly what: CheckedPart;
  readonly count: number;
  /** Unchecked part, and the reason. */
  readonly why: string;
}

/** Claims that are trusted. */
export interface Allowances {
  /** A history that was cut off counts as whole. */
  readonly cutOff?: boolean;
  /** A level of real time is taken to hold where no two transactions have times that can be compared. */
  readonly vacuous?: boolean;
  /** The timestamps that the database states are right. */
  readonly timestamps?: boolean;
}

/** Allows all of these, where other code judges how much a verdict rests on. */
export const ALL_ALLOWED: Allowances = { cutOff: true, vacuous: true, timestamps: true };

/** Whether a proof holds, by its subject. */
export type ProofOutcome = { readonly ok: true } | { readonly ok: false; readonly problem: string };

/** Runs a verifier that throws a Flaw at the first thing that is wrong. */
export function outcomeOf(verify: () => void): ProofOutcome {
  try {
    verify();
    return { ok: true };
  } catch (error) {
    if (error instanceof Flaw) return { ok: false, problem: error.message };
    throw error;
  }
}

/** Verification by a verifier that lists its checks. */
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
