import { type Verdict, certificateOf } from '@isolab/contract';

/**
 * Basis for the verdict of a run. `verified`: our verifier accepts its certificate. `refused`: the verifier rejects the
 * certificate, and the verdict is unknown. `absent`: there is no certificate, so a plug-in's verdict is unproved. `not
 * checked`: the certificate is from one of our own checkers.
 */
export type Proof = 'verified' | 'refused' | 'absent' | 'not checked';

export interface Proven {
  readonly verdict: Verdict;
  readonly proof: Proof;
  readonly notes: readonly string[];
}

/** The verdict of one of our own checkers, which is trusted. */
export const believed = (verdict: Verdict): Proven => ({
  verdict,
  proof: certificateOf(verdict) === undefined ? 'absent' : 'not checked',
  notes: [],
});
