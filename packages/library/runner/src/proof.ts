import { type Verdict, certificateOf } from '@isolab/contract';

/**
 * Basis of the verdict of a run. `verified`: our verifier accepts its certificate. `refused`: it does not, and the
 * verdict is unknown. `absent`: there is no certificate; for a plug-in, the verdict rests on its word alone. `not
 * checked`: there is one, of a checker of our own.
 */
export type Proof = 'verified' | 'refused' | 'absent' | 'not checked';

export interface Proven {
  readonly verdict: Verdict;
  readonly proof: Proof;
  readonly notes: readonly string[];
}

/** The verdict of a checker of our own, which is believed. */
export const believed = (verdict: Verdict): Proven => ({
  verdict,
  proof: certificateOf(verdict) === undefined ? 'absent' : 'not checked',
  notes: [],
});
