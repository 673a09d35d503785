import type { LevelName } from '../levels.ts';

/**
 * Evidence for a verdict that can be checked without the checker that found it. Transactions, operations and events are
 * numbers of the history, lowered to registers where it holds exchanges or range reads (see toRegisters); the initial
 * transaction is −1.
 */
export type SatisfiedCertificate = InspectionCertificate | CommitOrderCertificate | EventOrderCertificate;

/** The level can be seen by looking at every read once (cut isolation). */
export interface InspectionCertificate {
  readonly kind: 'inspection';
}

/**
 * All transactions that happened, in an order in which the level's axioms hold. It contains the session order (unless
 * the level has none) and every read-from; the initial transaction, first, is not listed.
 */
export interface CommitOrderCertificate {
  readonly kind: 'commit-order';
  readonly order: readonly number[];
}

/** Begins (2t) and commits (2t + 1) of all transactions that happened, in an order, for prefix and the snapshot levels. */
export interface EventOrderCertificate {
  readonly kind: 'event-order';
  readonly events: readonly number[];
}

export type ViolationCertificate = InternalCertificate | CycleCertificate | CasesCertificate;

/** A read that no level allows, with the other operation, or −1 (see InternalAnomaly). */
export interface InternalCertificate {
  readonly kind: 'internal';
  readonly anomaly: string;
  readonly read: number;
  readonly other: number;
}

/** Edges that lead from a transaction back to itself, each of which must hold in every order that the level admits. */
export interface CycleCertificate {
  readonly kind: 'cycle';
  readonly edges: readonly Edge[];
}

export interface Edge {
  readonly from: number;
  readonly to: number;
  readonly reason: Reason;
}

/** Why one transaction must come before another. Reasons are well-founded: they contain one another, never themselves. */
export type Reason =
  /** Same session, earlier. */
  | { readonly kind: 'session' }
  /** The initial transaction comes before all others. */
  | { readonly kind: 'initial' }
  /** `to` reads, with this operation, what `from` wrote. */
  | { readonly kind: 'read-from'; readonly read: number }
  /** `from` returned before `to` was called. */
  | { readonly kind: 'real-time' }
  /**
   * `from` (t₂) writes, with `write`, the key that `read` of some t₃ reads from `to` (t₁); since t₂ is visible to t₃, it
   * must come before t₁. `visible` leads from t₂ to t₃ as the level asks for it: at read committed, the earlier read of
   * t₃ from t₂ as a single edge; at read atomic, a single session or read-from edge; at causal, a path of those.
   */
  | { readonly kind: 'overwritten'; readonly write: number; readonly read: number; readonly visible: readonly Edge[] }
  /**
   * The same axiom the other way round: t₃ = `from` reads what `to` overwrites: `from` must come before `to`. `order`
   * leads from the transaction that `read` reads from (the initial one: −1) to `to`.
   */
  | { readonly kind: 'overwrites'; readonly read: number; readonly write: number; readonly order: readonly Edge[] }
  /** The edge is what a case around it assumes; see CasesCertificate. */
  | { readonly kind: 'assumed' };

/**
 * One of two facts must hold: each case says why it cannot be, where `ifFirst` may use the edge from `first` to `second`
 * for the reason that it is assumed, and `ifSecond` the edge from `second` to `first`. For levels that take a choice.
 */
export interface CasesCertificate {
  readonly kind: 'cases';
  /** Two writers of a key, of which one comes first. */
  readonly first: number;
  readonly second: number;
  readonly key: number;
  readonly ifFirst: ViolationCertificate;
  readonly ifSecond: ViolationCertificate;
}

/** A certificate as a file: for which history and verdict it speaks. */
export interface CertificateFile {
  readonly isolab: 'certificate';
  readonly version: 1;
  readonly level: LevelName;
  readonly checker: string;
  /** Counts of the history as it was read, not lowered, so that a certificate of another one is noticed at once. */
  readonly history: { readonly transactions: number; readonly operations: number };
  readonly verdict: 'satisfied' | 'violated';
  readonly certificate: SatisfiedCertificate | ViolationCertificate;
}
