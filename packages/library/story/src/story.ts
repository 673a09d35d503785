/**
 * What a picture of a history tells, as plain data (JSON): made by whoever explains a verdict, drawn here. All ids are
 * strings, unique among transactions, operations and edges; texts are plain text and may hold anything.
 */
export interface Story {
  /** What went wrong, in a few words: "Lost update"; for a satisfied history, what holds. */
  readonly title: string;
  readonly verdict: 'violated' | 'satisfied';
  /** The level that was checked: "snapshot-isolation". */
  readonly level: string;
  /** The canonical name of the anomaly and what else it is called; null if nothing was violated. */
  readonly anomaly: { readonly name: string; readonly aliases: readonly string[] } | null;
  /** One sentence for those who read only one: what happened, in the values of this history. */
  readonly summary: string;
  /** What that is in general: "Lost update: two transactions overwrite the same version, which … forbids." */
  readonly meaning?: string;
  /** Of a satisfied history, how much the verdict rests on: "The verdict rests on …". */
  readonly restsOn?: string;
  /** Whether it is told by a part of the history that was checked. */
  readonly isPart?: boolean;
  /** Of the whole history, where several levels were checked: which it keeps, which it does not, in words. */
  readonly answer?: {
    readonly kept: string | null;
    readonly notKept: string | null;
    readonly notDecided: readonly string[];
  };
  /** Levels that what is shown rules out. */
  readonly ruledOut?: readonly string[];
  /** Levels that it leaves standing, which the whole history need not; absent where that was not decided. */
  readonly leftStanding?: readonly string[];
  /** Lanes, in the order in which they are drawn. */
  readonly sessions: readonly StorySession[];
  /** In the order of each session. */
  readonly transactions: readonly StoryTransaction[];
  /** All edges: those of the cycle, those that are a reason for others, and those that were refuted. */
  readonly edges: readonly StoryEdge[];
  /** The explanation, in order. */
  readonly prose: readonly StorySentence[];
  /** Of the history that was checked, how much is not in the picture. */
  readonly hidden?: StoryHidden;
  /** The versions of the keys that matter. */
  readonly timelines?: readonly StoryTimeline[];
  /** When its transactions ran, where something was done to the database meanwhile. */
  readonly clock?: StoryClock;
  /** How an interpretation got here, such as PolySI's raw, restored, resolved, finalized. */
  readonly stages?: readonly StoryStage[];
  /** For a satisfied history, an order that explains it. */
  readonly witness?: StoryWitness;
  /** For a satisfied history, what was checked. A story of no transactions has nothing else to show. */
  readonly checked?: StoryChecked;
  /** What the buttons copy. Markdown is made from the story if it is not given. */
  readonly copies?: StoryCopies;
  /** Where it comes from: shown at the foot of the page. */
  readonly origin?: StoryOrigin;
}

export interface StorySession {
  readonly id: string;
  readonly label: string;
  /** Transactions of this session that are left out behind the last one drawn. */
  readonly hiddenAfter?: number;
}

export interface StoryTransaction {
  readonly id: string;
  /** Its lane; null for the initial transaction, which is drawn above all lanes. */
  readonly session: string | null;
  readonly label: string;
  readonly status: 'committed' | 'aborted' | 'unknown' | 'initial';
  /** Whether the violation takes it, or it is only there to be seen beside it. */
  readonly role: 'cycle' | 'reason' | 'context';
  readonly operations: readonly StoryOperation[];
  /** What the source calls it: "transaction 14". */
  readonly name?: string;
  /** Where it stands in the source: "line 12". */
  readonly place?: string;
  /** When it was called and returned, in words. */
  readonly time?: string;
  /** Transactions of its session that are left out between the one before and this one. */
  readonly hiddenBefore?: number;
}

export interface StoryOperation {
  readonly id: string;
  readonly kind:
    | 'read'
    | 'write'
    | 'append'
    | 'list-read'
    | 'range-read'
    | 'scan'
    | 'insert'
    | 'delete'
    | 'compare-and-set';
  readonly key: string | null;
  readonly value: string | null;
  /** As it is drawn: "x := 1", "x → 0". Long ones are cut in the picture and shown whole on demand. */
  readonly text: string;
  /** Whether it takes several lines in the picture instead of being cut: what is said of rows and conditions. */
  readonly wraps?: boolean;
  readonly place?: string;
  /** Why it is here: the read or the write that the violation is about, an end of an edge, or nothing of the kind. */
  readonly role: 'read' | 'write' | 'cycle' | 'context';
}

export type StoryEdgeKind =
  | 'session'
  | 'read-from'
  | 'write-order'
  | 'anti-dependency'
  | 'real-time'
  | 'version'
  | 'assumed';

export interface StoryEnd {
  readonly transaction: string;
  /** One of its operations; without one the edge ends at the transaction. */
  readonly operation?: string;
}

export interface StoryEdge {
  readonly id: string;
  readonly from: StoryEnd;
  readonly to: StoryEnd;
  readonly kind: StoryEdgeKind;
  readonly key?: string;
  /** cycle: of the violation; reason: makes an edge certain; refuted: impossible, dashed; context: holds as well. */
  readonly part: 'cycle' | 'reason' | 'refuted' | 'context';
  /** Drawn in stages that have it, and nowhere else. */
  readonly onlyInStages?: boolean;
  /** Its place in the cycle, from 1. */
  readonly number?: number;
  /** Why it holds: "T1 comes before T2, which reads x = 1 from it." */
  readonly sentence: string;
  readonly derivation?: StoryDerivation;
}

/** Why an edge that was not observed must hold. */
export interface StoryDerivation {
  readonly text: string;
  /** Edges that it follows from. */
  readonly because: readonly string[];
  /** What would be otherwise, and the edges that make it impossible, its own (of part `refuted`) among them. */
  readonly refuted?: { readonly text: string; readonly edges: readonly string[] };
}

export interface StorySentence {
  readonly text: string;
  readonly edges: readonly string[];
  /** Operations that it talks of, where there is no edge: internal anomalies. */
  readonly operations?: readonly string[];
}

export interface StoryHidden {
  readonly transactions: number;
  readonly sessions: number;
  readonly operations?: number;
  /** Why they may be left out: "removing any one of those shown makes the violation go away". */
  readonly reason?: string;
}

export interface StoryTimeline {
  readonly key: string;
  /** From the first to the last; null for the initial state. */
  readonly versions: readonly StoryVersion[];
  /** What of this order is known, or assumed. */
  readonly note?: string;
}

export interface StoryVersion {
  readonly value: string;
  readonly writer: StoryEnd | null;
  readonly readers: readonly StoryEnd[];
  /** The edge that says that it comes after the version before. */
  readonly edge?: string;
}

/** Milliseconds of one clock. */
export interface StoryClock {
  readonly spans: readonly StorySpan[];
  readonly faults: readonly StoryFault[];
}

export interface StorySpan {
  readonly transaction: string;
  readonly beginMs: number;
  /** Null where nobody saw it end. */
  readonly endMs: number | null;
}

/** What a collector did to the database, or to the way to it. */
export interface StoryFault {
  /** "node 1 was ended with kill −9". */
  readonly text: string;
  readonly beginMs: number;
  readonly endMs: number | null;
  /** The transactions that were under way. */
  readonly during: readonly string[];
}

export interface StoryStage {
  readonly name: string;
  readonly text: string;
  /** What it shows. */
  readonly transactions: readonly string[];
  readonly edges: readonly string[];
  /** Those of the edges that may still turn out otherwise; drawn dashed. */
  readonly uncertain?: readonly string[];
}

export interface StoryWitness {
  readonly text: string;
  readonly initial: readonly StoryBinding[];
  readonly steps: readonly StoryStep[];
}

/** What was checked, what the verdict rests on, and what is known of every level. */
export interface StoryChecked {
  /** What the history holds: "transactions", "4,011: 4,000 committed, 11 aborted". */
  readonly holds: readonly StoryCount[];
  /** What of it could have shown a violation. */
  readonly evidence: readonly StoryCount[];
  /** The levels that were asked for, with what is known of each. */
  readonly asked: readonly StoryCount[];
  /** "Serializability and everything weaker". */
  readonly kept: string;
  /** By name, what is known of the levels of the lattice; a level that is missing was not decided. */
  readonly levels: Readonly<Record<string, 'kept' | 'not kept'>>;
}

export interface StoryCount {
  readonly what: string;
  readonly count: string;
}

/** A key and what it holds. */
export interface StoryBinding {
  readonly key: string;
  readonly value: string;
}

export interface StoryStep {
  readonly event: 'transaction' | 'begin' | 'commit';
  readonly transaction: string;
  readonly text: string;
  /** What it changes in the database; the rest stays as it was. */
  readonly changes: readonly StoryBinding[];
}

export interface StoryCopies {
  readonly notation?: string;
  readonly markdown?: string;
  readonly history?: { readonly fileName: string; readonly text: string };
}

export interface StoryOrigin {
  readonly source?: string;
  readonly checker?: string;
  readonly command?: string;
}
