import type { NamedRows } from '@isolab/history';
import type {
  InternalCertificate,
  ListsCertificate,
  TimestampsCertificate,
  UpdatesCertificate,
} from './flat-certificates.ts';
import type { LevelName } from '@isolab/levels';

/**
 * Evidence for a verdict that can be checked without the checker that found it. Transactions, operations and events are
 * numbers of the history, lowered to registers where it holds exchanges or range reads (see toRegisters); the initial
 * transaction is −1.
 */
export type SatisfiedCertificate =
  | InspectionCertificate
  | CommitOrderCertificate
  | EventOrderCertificate
  | VersionOrdersCertificate
  | EachKeyCertificate;

/** Rows of aggregates, where reads of single rows do not give all of them. */
export interface OfRows {
  /**
   * Aggregates, as operations of the history as it was read, each with reads of the history in which it also reads
   * every row that it may have been of, and whether these matched: of a count or sum one of each row, of an extreme
   * one.
   */
  readonly rows?: readonly (readonly [aggregate: number, reads: readonly (readonly [number, boolean])[]])[];
}

/** The level can be seen by examining every read once (cut isolation). */
export interface InspectionCertificate extends OfRows {
  readonly kind: 'inspection';
  /** The transactions that happened; where none is named, those that may have. */
  readonly happened?: readonly number[];
}

/**
 * Order of all transactions that happened, in which the level's axioms hold. It contains the session order (unless the
 * level has none) and every read-from; the initial transaction, first, is not listed. It lists any transactions of
 * unknown outcome; the writers that the others read from must be among them.
 */
export interface CommitOrderCertificate extends OfRows {
  readonly kind: 'commit-order';
  readonly order: readonly number[];
  /** Given at the weak levels, and at those that are judged by their axioms. */
  readonly sources?: Sources;
}

/**
 * Sources of reads where values repeat: each read with the transaction that it saw (the initial one: −1), among all
 * possible writers of the value. −2 means that no transaction need have left it, at levels that allow such a read. A
 * read with only one possible source need not be here.
 */
export type Sources = readonly (readonly [number, number])[];

/** Begins (2t) and commits (2t + 1) of all transactions that happened, in an order, for prefix and the snapshot levels. */
export interface EventOrderCertificate extends OfRows {
  readonly kind: 'event-order';
  readonly events: readonly number[];
  /** Given at levels that are judged by their axioms. */
  readonly sources?: Sources;
}

/** Certificate for levels whose axioms are about no order but those of the versions of each key. */
export interface VersionOrdersCertificate extends OfRows {
  readonly kind: 'version-orders';
  /** All transactions that happened. */
  readonly happened: readonly number[];
  /** Keys, each with those that write it, in the order of their versions. A key of at most one writer need not be here. */
  readonly orders: readonly (readonly [number, readonly number[]])[];
  readonly sources?: Sources;
}

/** Certificate for levels that the history of each key by itself is to satisfy. */
export interface EachKeyCertificate {
  readonly kind: 'each-key';
  /** Certificate for the level's own axioms, if it has any; it states all outcomes. */
  readonly all: OrderCertificate;
  /** Keys that transactions which happened use, each with the order in which its history satisfies the other level. */
  readonly keys: readonly (readonly [number, OrderCertificate])[];
}

export type OrderCertificate = CommitOrderCertificate | EventOrderCertificate | VersionOrdersCertificate;

export type ViolationCertificate = ReadsCertificate | AggregatesCertificate;

/** Certificate about single reads. */
export type ReadsCertificate =
  | InternalCertificate
  | AxiomsCertificate
  | CycleCertificate
  | CasesCertificate
  | ProofCertificate
  | ListsCertificate
  | UpdatesCertificate
  | TimestampsCertificate;

/** Cycle of edges, each of which must hold in every order that the level admits. */
export interface CycleCertificate {
  readonly kind: 'cycle';
  readonly edges: readonly Edge[];
}

export interface Edge {
  readonly from: number;
  readonly to: number;
  readonly reason: Reason;
}

/** Reason for one transaction to come before another. No reason contains itself. */
export type Reason =
  /** Same session, earlier. */
  | { readonly kind: 'session' }
  /** The initial transaction comes before all others. */
  | { readonly kind: 'initial' }
  /** `to` reads, with this operation, a write of `from`; of a list, the last append that is not its own. */
  | { readonly kind: 'read-from'; readonly read: number }
  /** Read with several candidate writers, as a clause around it assumes; see ReadChoice. */
  | { readonly kind: 'assumed-read'; readonly read: number }
  /** `from` returned before `to` was called. */
  | { readonly kind: 'real-time' }
  /**
   * `from` (t₂) writes, with `write`, the key that `read` of some t₃ reads from `to` (t₁); since t₂ is visible to t₃,
   * it must come before t₁. `visible` leads from t₂ to t₃ as the level asks for it: at read committed, the earlier read
   * of t₃ from t₂ as a single edge; at read atomic, a single session or read-from edge; at causal, a path of those.
   */
  | { readonly kind: 'overwritten'; readonly write: number; readonly read: number; readonly visible: readonly Edge[] }
  /**
   * The axiom reversed: t₃ = `from` reads a version that `to` overwrites: `from` must come before `to`. `order` leads
   * from the transaction that `read` reads from (the initial one: −1) to `to`.
   */
  | { readonly kind: 'overwrites'; readonly read: number; readonly write: number; readonly order: readonly Edge[] }
  /**
   * Both append to the key of a list that `read` saw, which shows an append of `from`, and one of `to` only after it or
   * not at all. What the reader itself had appended, at the end of the list, does not count.
   */
  | { readonly kind: 'version'; readonly read: number }
  /** The edge is assumed by an enclosing case or clause; see CasesCertificate and ProofCertificate. */
  | { readonly kind: 'assumed' };

/**
 * Cases, one of which must hold, each with the reason why it cannot. `ifFirst` may assume the edge from `first` to
 * `second`, `ifSecond` the edge from `second` to `first`. For levels that need a choice.
 */
export interface CasesCertificate {
  readonly kind: 'cases';
  /** Two writers of a key; one of them comes first. */
  readonly first: number;
  readonly second: number;
  /** A key that both write, for the reader: the verifier does not examine it. */
  readonly key: number;
  readonly ifFirst: ReadsCertificate;
  readonly ifSecond: ReadsCertificate;
}

/** A clausal proof: each clause excludes a combination; the last, empty one excludes all. */
export interface ProofCertificate {
  readonly kind: 'proof';
  /** Variable v (1, 2, …) of the proof is true if choice v, counted from 1, goes as it says. */
  readonly choices: readonly ProofChoice[];
  readonly steps: readonly ProofStep[];
}

export type ProofChoice = OrderChoice | ReadChoice;

/**
 * Choice which of two writers of a key comes first: true if it is `first`. The key is any that both write: the choice
 * is between transactions, and says the same of all their keys. The verifier does not examine it. A writer of unknown
 * outcome counts where a read from it is assumed.
 */
export interface OrderChoice {
  readonly first: number;
  readonly second: number;
  readonly key: number;
}

/**
 * True if `read` saw the version of `writer` (the initial transaction: −1), one of several that may have been the last
 * to write that value. It stands for all reads of the key by the reader that must see the same. A read that can only
 * have seen one takes a choice, too, where its transaction need not have happened, nor the writer without it.
 */
export interface ReadChoice {
  readonly read: number;
  readonly writer: number;
}

/** A clause is a list of literals, as in DIMACS: v, or −v for the negation of variable v. */
export type ProofStep =
  /**
   * If every literal of the clause is false, the edges form a cycle. They may use, as `assumed` edges, the orders that
   * the literals deny, and where −v denies that a read saw a writer, that it did: as `assumed-read` edges, and in the
   * `read` of `overwritten` and `overwrites`.
   */
  | { readonly kind: 'cycle'; readonly clause: readonly number[]; readonly edges: readonly Edge[] }
  /**
   * `read` saw one of those that may have written its value: the clause has the variables of all of them, but for those
   * that come later in the reader's session, where sessions count. If its transaction is of unknown outcome and need
   * not have happened, the clause also has −v of a choice by which it did.
   */
  | { readonly kind: 'candidates'; readonly clause: readonly number[]; readonly read: number }
  /**
   * A transaction of unknown outcome cannot have happened, for its `read` shows the anomaly, as an InternalCertificate
   * says: the clause has −v of a choice by which it would have.
   */
  | {
      readonly kind: 'internal';
      readonly clause: readonly number[];
      readonly anomaly: string;
      readonly read: number;
      readonly other: number;
    }
  /** Follows from the clauses before it by unit propagation. The last step is the empty clause. */
  | { readonly kind: 'learned'; readonly clause: readonly number[] };

/**
 * A clausal proof from the axioms of a level's definition. Its choices are about the order that the level speaks of
 * (the order of two points), and about the writers that reads saw, each of which stands for itself.
 */
export interface AxiomsCertificate {
  readonly kind: 'axioms';
  /** The key whose history does not satisfy the level that each key is to satisfy; else it is about the level's own axioms. */
  readonly ofKey?: number;
  /** Points that are put in order: transactions, their begins and commits, or the writers of each key by themselves. */
  readonly order: 'commits' | 'events' | 'versions';
  /** Variable v (1, 2, …) of the proof is true if choice v, counted from 1, goes as it says. */
  readonly choices: readonly (PointChoice | ReadChoice)[];
  readonly steps: readonly AxiomsStep[];
}

/**
 * True if `first` is before `second`: transactions; at levels about begins and commits events (2t and 2t + 1); at
 * levels about versions alone writers of the key.
 */
export interface PointChoice {
  readonly first: number;
  readonly second: number;
  readonly key?: number;
}

export type AxiomsStep =
  /** If every literal of the clause is false, the walk is one that the axiom (counted from 0) forbids. */
  | {
      readonly kind: 'axiom';
      readonly clause: readonly number[];
      readonly axiom: number;
      /** Key of the axiom, for an axiom about each key. */
      readonly key?: number;
      readonly walk: readonly WalkStep[];
    }
  /** If every literal of the clause is false, the edges lead back to where they begin; of one key, where orders are. */
  | {
      readonly kind: 'cycle';
      readonly clause: readonly number[];
      readonly key?: number;
      readonly edges: readonly OrderEdge[];
    }
  /** The next two are as in a ProofStep, except that no candidate drops out. */
  | { readonly kind: 'candidates'; readonly clause: readonly number[]; readonly read: number }
  | {
      readonly kind: 'internal';
      readonly clause: readonly number[];
      readonly anomaly: string;
      readonly read: number;
      readonly other: number;
    }
  /** Follows from the clauses before it by unit propagation. The last step is the empty clause. */
  | { readonly kind: 'learned'; readonly clause: readonly number[] };

/**
 * A pair of a relation: transactions (the initial one: −1), operations that read, or events (of the initial one: −2,
 * −1). The ends are those of the relation itself, also where the walk goes along its inverse.
 */
export type WalkStep =
  | {
      readonly relation: string;
      readonly from: number;
      readonly to: number;
      readonly inverse?: true;
      /** For `ww`, a key that both write; for `rw` and `wr`, the read. */
      readonly key?: number;
      readonly read?: number;
      /** Writer that the read saw, for `rw` and `missed`. It is for the reader; the verifier does not examine it. */
      readonly writer?: number;
    }
  /** The walks of both sides of an intersection, or the one of the left side of a difference; with the ends of these. */
  | { readonly both: readonly [readonly WalkStep[], readonly WalkStep[]]; readonly from: number; readonly to: number }
  | { readonly without: readonly WalkStep[]; readonly from: number; readonly to: number };

/** Reason for one point to be before another. */
export type OrderEdge = { readonly from: number; readonly to: number } & (
  | { readonly kind: 'assumed' }
  /** A begin is before the commit of its transaction. */
  | { readonly kind: 'own' }
  /** A list that `read` saw shows it, see `version` among the reasons. */
  | { readonly kind: 'version'; readonly read: number }
  /** The order must contain this pair, or `to` before `from` ends the walk; else the walk is forbidden. */
  | { readonly kind: 'axiom'; readonly axiom: number; readonly walk: readonly WalkStep[] }
);

/**
 * Counts, sums, least and greatest values of several rows that no order explains, for any choice of their rows. In the
 * history of its numbers these aggregates read each row that they may have been of; it is unknown whether they were.
 */
export interface AggregatesCertificate {
  readonly kind: 'aggregates';
  /** Operations of the history as it was read, before it was lowered. */
  readonly aggregates: readonly number[];
  readonly cases: RowCases;
}

export type RowCases = RowSplit | TotalCertificate | ReadsCertificate;

/** Rows that an aggregate may have seen: all values of one row, or any row that held a minimum or maximum. */
export interface RowSplit {
  readonly kind: 'rows';
  readonly alternatives: readonly RowAlternative[];
}

/** The row of `read` was in one of the versions that the read is about (`matched`), or in none of them. */
export interface RowAlternative {
  readonly read: number;
  readonly matched: boolean;
  readonly cases: RowCases;
}

/** Whatever the other rows were, with those of the cases around it the aggregate comes to something else. */
export interface TotalCertificate {
  readonly kind: 'total';
  /** An operation of the history as it was read. */
  readonly aggregate: number;
}

/** A certificate as a file: for which history and verdict it speaks. */
export interface CertificateFile {
  readonly isolab: 'certificate';
  readonly version: 1;
  readonly level: LevelName;
  readonly checker: string;
  /** Counts of the history as it was read, not lowered. They expose a certificate of another history at once. */
  readonly history: { readonly transactions: number; readonly operations: number };
  readonly verdict: 'satisfied' | 'violated';
  readonly certificate: SatisfiedCertificate | ViolationCertificate;
  /** Rows that scans passed over and that count as reads in the certificate's numbers; all of them, unless given. */
  readonly passedOver?: NamedRows | undefined;
}
