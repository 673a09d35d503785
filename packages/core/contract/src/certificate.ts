import type { NamedRows, OperationId } from '@isolab/history';
import type {
  InternalCertificate,
  ListsCertificate,
  TimestampsCertificate,
  UpdatesCertificate,
} from './flat-certificates.ts';
import type { LevelName } from '@isolab/levels';

/**
 * Evidence for a verdict that can be checked without the checker that found it. Transactions, operations and events are
 * numbers in the history, which is lowered to registers if it contains exchanges or range reads (see toRegisters). The
 * initial transaction is −1.
 */
export type SatisfiedCertificate =
  | InspectionCertificate
  | CommitOrderCertificate
  | EventOrderCertificate
  | VersionOrdersCertificate
  | EachKeyCertificate;

/** Rows of aggregates, if reads of single rows do not determine all of them. */
export interface OfRows {
  /**
   * Aggregates, as operations of the history as it was read. Each has its reads in the history in which it also reads
   * every row that it may have included, with a flag for whether the row matched: one read per row for a count or sum,
   * a single read for an extreme.
   */
  readonly rows?: readonly (readonly [aggregate: OperationId, reads: readonly (readonly [OperationId, boolean])[]])[];
}

/** The level can be checked by examining every read once (cut isolation). */
export interface InspectionCertificate extends OfRows {
  readonly kind: 'inspection';
  /** The transactions that happened; if absent, every transaction that may have happened. */
  readonly happened?: readonly number[];
}

/**
 * Order of all transactions that happened, in which the level's axioms hold. It contains the session order (unless the
 * level has none) and every read-from. The initial transaction comes first and is not listed. Transactions of unknown
 * outcome may be listed, and must be if another listed transaction reads from them.
 */
export interface CommitOrderCertificate extends OfRows {
  readonly kind: 'commit-order';
  readonly order: readonly number[];
  /** Present at the weak levels, and at levels that are decided by their axioms. */
  readonly sources?: Sources;
}

/**
 * Sources of reads where values repeat: each read with the transaction that it saw (−1 for the initial transaction),
 * among all possible writers of the value. −2 means that the value needs no writer, at levels that allow such a read. A
 * read with only one possible source may be left out.
 */
export type Sources = readonly (readonly [read: OperationId, writer: number])[];

/**
 * Order of the begins (2t) and commits (2t + 1) of all transactions that happened, for prefix and the snapshot levels.
 */
export interface EventOrderCertificate extends OfRows {
  readonly kind: 'event-order';
  readonly events: readonly number[];
  readonly sources?: Sources;
}

/** Certificate for levels whose axioms mention no order except the version order of each key. */
export interface VersionOrdersCertificate extends OfRows {
  readonly kind: 'version-orders';
  readonly happened: readonly number[];
  /** Keys, each with its writers in the order of their versions. A key with at most one writer may be left out. */
  readonly orders: readonly (readonly [number, readonly number[]])[];
  readonly sources?: Sources;
}

/** Certificate for levels that the history of each key must satisfy separately. */
export interface EachKeyCertificate {
  readonly kind: 'each-key';
  /** Certificate for the axioms of the level itself. It states all outcomes. */
  readonly all: OrderCertificate;
  /** Keys used by transactions that happened, each with the order in which its history satisfies the other level. */
  readonly keys: readonly (readonly [number, OrderCertificate])[];
}

export type OrderCertificate = CommitOrderCertificate | EventOrderCertificate | VersionOrdersCertificate;

export type ViolationCertificate = ReadsCertificate | AggregatesCertificate;

export type ReadsCertificate =
  | InternalCertificate
  | AxiomsCertificate
  | CycleCertificate
  | CasesCertificate
  | ProofCertificate
  | ListsCertificate
  | UpdatesCertificate
  | TimestampsCertificate;

/** Cycle of edges, each of which must hold in every order that the level allows. */
export interface CycleCertificate {
  readonly kind: 'cycle';
  readonly edges: readonly Edge[];
}

export interface Edge {
  readonly from: number;
  readonly to: number;
  readonly reason: Reason;
}

/** Reason why one transaction comes before another. No reason contains itself. */
export type Reason =
  /** `from` is earlier in the same session. */
  | { readonly kind: 'session' }
  /** The initial transaction comes before all others. */
  | { readonly kind: 'initial' }
  /** `to` reads, with this operation, a write of `from`; of a list, the last append by another transaction. */
  | { readonly kind: 'read-from'; readonly read: OperationId }
  /** Read with several candidate writers; an enclosing clause assumes one of them (see ReadChoice). */
  | { readonly kind: 'assumed-read'; readonly read: OperationId }
  /** `from` returned before `to` was called. */
  | { readonly kind: 'real-time' }
  /**
   * `from` (t₂) writes, with `write`, the key that `read` of some t₃ reads from `to` (t₁). Because t₂ is visible to t₃,
   * it must come before t₁. `visible` leads from t₂ to t₃ as the level requires: at read committed, the earlier read of
   * t₃ from t₂ as a single edge; at read atomic, a single session or read-from edge; at causal, a path of these edges.
   */
  | {
      readonly kind: 'overwritten';
      readonly write: OperationId;
      readonly read: OperationId;
      readonly visible: readonly Edge[];
    }
  /**
   * The reversed axiom: t₃ = `from` reads a version that `to` overwrites, so `from` must come before `to`. `order`
   * leads from the transaction from which `read` reads (−1 for the initial transaction) to `to`.
   */
  | {
      readonly kind: 'overwrites';
      readonly read: OperationId;
      readonly write: OperationId;
      readonly order: readonly Edge[];
    }
  /**
   * Both append to the key of a list that `read` saw. The list shows an append of `from`, and shows an append of `to`
   * only later or not at all. Appends of the reader itself, at the end of the list, do not count.
   */
  | { readonly kind: 'version'; readonly read: OperationId }
  /** An enclosing case or clause assumes the edge; see CasesCertificate and ProofCertificate. */
  | { readonly kind: 'assumed' };

/**
 * Two cases, one of which must hold, each with a contradiction. `ifFirst` may assume the edge from `first` to `second`,
 * `ifSecond` the edge from `second` to `first`. For levels that need a choice.
 */
export interface CasesCertificate {
  readonly kind: 'cases';
  /** The two writers of a key, in one order or the other. */
  readonly first: number;
  readonly second: number;
  /** A key that both transactions write, for human readers: the verifier does not examine it. */
  readonly key: number;
  readonly ifFirst: ReadsCertificate;
  readonly ifSecond: ReadsCertificate;
}

/** A clausal proof: each clause excludes a combination of choices; the last clause, which is empty, excludes all. */
export interface ProofCertificate {
  readonly kind: 'proof';
  /** Variable v (1, 2, …) of the proof is true if choice v, counted from 1, holds. */
  readonly choices: readonly ProofChoice[];
  readonly steps: readonly ProofStep[];
}

export type ProofChoice = OrderChoice | ReadChoice;

/**
 * Order of two writers of a key: true if `first` comes first. The key may be any that both write, because the choice is
 * between transactions and applies to all their keys. The verifier does not examine the key. A writer of unknown
 * outcome is included if a read from it is assumed.
 */
export interface OrderChoice {
  readonly first: number;
  readonly second: number;
  readonly key: number;
}

/**
 * True if `read` saw the version of `writer` (−1 for the initial transaction), one of several possible last writers of
 * the value. The choice covers all reads of the key by the reader that must see the same version. A read with only one
 * possible writer also has a choice if neither its transaction nor the writer is certain to have happened.
 */
export interface ReadChoice {
  readonly read: OperationId;
  readonly writer: number;
}

/** A clause is a list of literals, as in DIMACS: v, or −v for the negation of variable v. */
export type ProofStep =
  /**
   * If every literal of the clause is false, the edges form a cycle. `assumed` edges may use the orders that the
   * literals deny. Where −v denies that a read saw a writer, `assumed-read` edges and the `read` of `overwritten` and
   * `overwrites` may use that read.
   */
  | { readonly kind: 'cycle'; readonly clause: readonly number[]; readonly edges: readonly Edge[] }
  /**
   * `read` saw one of the possible writers of its value. The clause has the variables of all these writers, except
   * writers later in the reader's session at levels with session order. If the transaction of `read` has an unknown
   * outcome and may not have happened, the clause also has −v of a choice that makes it happen.
   */
  | { readonly kind: 'candidates'; readonly clause: readonly number[]; readonly read: OperationId }
  /**
   * A transaction of unknown outcome cannot have happened, because its `read` shows the anomaly, as in an
   * InternalCertificate. The clause has −v of a choice that would make it happen.
   */
  | (InternalCertificate & { readonly clause: readonly number[] })
  /** Follows from the preceding clauses by unit propagation. The last step is the empty clause. */
  | { readonly kind: 'learned'; readonly clause: readonly number[] };

/**
 * A clausal proof from the axioms of a level's definition. Its choices are the order of two points, in the order that
 * the level constrains, and the writers that reads saw. Each read has its own choice.
 */
export interface AxiomsCertificate {
  readonly kind: 'axioms';
  /**
   * The key whose history does not satisfy the level required of each key; if absent, the proof is about the level's
   * own axioms.
   */
  readonly ofKey?: number;
  /** Points to be ordered: transactions, their begins and commits, or the writers of each key separately. */
  readonly order: 'commits' | 'events' | 'versions';
  readonly choices: readonly (PointChoice | ReadChoice)[];
  readonly steps: readonly AxiomsStep[];
}

/**
 * True if `first` is before `second`. The points are transactions, events (2t and 2t + 1) at levels about begins and
 * commits, or writers of the key at levels about versions alone.
 */
export interface PointChoice {
  readonly first: number;
  readonly second: number;
  readonly key?: number;
}

export type AxiomsStep =
  /** If every literal of the clause is false, the axiom (counted from 0) forbids the walk. */
  | {
      readonly kind: 'axiom';
      readonly clause: readonly number[];
      readonly axiom: number;
      readonly key?: number;
      readonly walk: readonly WalkStep[];
    }
  /** If every literal of the clause is false, the edges form a cycle, within one key if each key has its own order. */
  | {
      readonly kind: 'cycle';
      readonly clause: readonly number[];
      readonly key?: number;
      readonly edges: readonly OrderEdge[];
    }
  /** The next two kinds are as in a ProofStep, except that no candidate is left out. */
  | { readonly kind: 'candidates'; readonly clause: readonly number[]; readonly read: OperationId }
  | (InternalCertificate & { readonly clause: readonly number[] })
  /** Follows from the preceding clauses by unit propagation. The last step is the empty clause. */
  | { readonly kind: 'learned'; readonly clause: readonly number[] };

/**
 * A pair of a relation: transactions (−1 for the initial transaction), operations that read, or events (−2 and −1 for
 * the initial transaction). The ends are those of the relation itself, even where the walk follows its inverse.
 */
export type WalkStep =
  | {
      readonly relation: string;
      readonly from: number;
      readonly to: number;
      readonly inverse?: true;
      /** For `ww`, a key that both transactions write; for `rw` and `wr`, the read. */
      readonly key?: number;
      readonly read?: OperationId;
      /** Writer that the read saw, for `rw` and `missed`. It is for human readers; the verifier does not examine it. */
      readonly writer?: number;
    }
  /** The walks on both sides of an intersection, or on the left side of a difference, with the ends of these walks. */
  | { readonly both: readonly [readonly WalkStep[], readonly WalkStep[]]; readonly from: number; readonly to: number }
  | { readonly without: readonly WalkStep[]; readonly from: number; readonly to: number };

/** Reason why one point is before another. */
export type OrderEdge = { readonly from: number; readonly to: number } & (
  | { readonly kind: 'assumed' }
  | { readonly kind: 'own' }
  /** A list that `read` saw shows the order; see `version` in Reason. */
  | { readonly kind: 'version'; readonly read: OperationId }
  /**
   * The order must contain this pair: either the axiom requires the pair directly, or `to` before `from` would close a
   * walk that the axiom forbids.
   */
  | { readonly kind: 'axiom'; readonly axiom: number; readonly walk: readonly WalkStep[] }
);

/**
 * Counts, sums, minima and maxima of several rows that no order explains, for any choice of their rows. In the history
 * whose numbers are used, these aggregates read each row that they may have included; whether they included it is
 * unknown.
 */
export interface AggregatesCertificate {
  readonly kind: 'aggregates';
  /** Operations of the history as it was read, before it was lowered. */
  readonly aggregates: readonly OperationId[];
  readonly cases: RowCases;
}

export type RowCases = RowSplit | TotalCertificate | ReadsCertificate;

/** Rows that an aggregate may have seen: all values of one row, or any row that held a minimum or maximum. */
export interface RowSplit {
  readonly kind: 'rows';
  readonly alternatives: readonly RowAlternative[];
}

/** The row of `read` had one of the versions that the read mentions (`matched`), or none of them. */
export interface RowAlternative {
  readonly read: OperationId;
  readonly matched: boolean;
  readonly cases: RowCases;
}

/** With the rows assumed by the enclosing cases, the aggregate has another result, for any choice of the other rows. */
export interface TotalCertificate {
  readonly kind: 'total';
  readonly aggregate: OperationId;
}

/** A certificate as a file, with the history and verdict to which it belongs. */
export interface CertificateFile {
  readonly isolab: 'certificate';
  readonly version: 1;
  readonly level: LevelName;
  readonly checker: string;
  /** Counts of the history as it was read, not lowered. They quickly expose a certificate of another history. */
  readonly history: { readonly transactions: number; readonly operations: number };
  readonly verdict: 'satisfied' | 'violated';
  readonly certificate: SatisfiedCertificate | ViolationCertificate;
  /** Rows that scans passed over and that count as reads in the certificate's numbers; all of them if absent. */
  readonly passedOver?: NamedRows | undefined;
}
