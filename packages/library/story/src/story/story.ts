/**
 * Content of a picture of a history, as plain data (JSON): made by the code that explains a verdict, drawn here. All
 * ids are strings, unique among transactions, operations and edges; texts are plain text and may hold anything.
 */
export interface Story {
  /** Violation in a few words: "Lost update"; for a satisfied history, the level that holds. */
  readonly title: string;
  readonly verdict: 'violated' | 'satisfied';
  /** The level that was checked: "snapshot-isolation". */
  readonly level: string;
  /** The canonical name of the anomaly and its aliases; null if nothing was violated. */
  readonly anomaly: { readonly name: string; readonly aliases: readonly string[] } | null;
  /** One sentence as a summary: the events, in the values of this history. */
  readonly summary: string;
  /** Meaning of the anomaly in general: "Lost update: two transactions overwrite the same version, which … forbids." */
  readonly meaning?: string;
  /** Evidence for the verdict on a satisfied history: "The verdict rests on …". */
  readonly restsOn?: string;
  /** Whether the story shows only a part of the history that was checked. */
  readonly isPart?: boolean;
  /** Levels that the whole history keeps and does not keep, in words, where several were checked. */
  readonly answer?: {
    readonly kept: string | null;
    readonly notKept: string | null;
    readonly notDecided: readonly string[];
  };
  /** Levels that the part shown rules out. */
  readonly ruledOut?: readonly string[];
  /** Levels that it leaves standing, which the whole history need not; absent where that was not decided. */
  readonly leftStanding?: readonly string[];
  /** Lanes, in the order in which they are drawn. */
  readonly sessions: readonly StorySession[];
  /** In the order of each session. */
  readonly transactions: readonly StoryTransaction[];
  /** The edges of the cycle, the edges that are a reason for others, and the refuted edges. */
  readonly edges: readonly StoryEdge[];
  /** The explanation, in order. */
  readonly prose: readonly StorySentence[];
  /** Size of the part of the checked history that is not in the picture. */
  readonly hidden?: StoryHidden;
  /** The versions of the keys that matter. */
  readonly timelines?: readonly StoryTimeline[];
  /** When its transactions ran, where something was done to the database meanwhile. */
  readonly clock?: StoryClock;
  /** How an interpretation got here, such as PolySI's raw, restored, resolved, finalized. */
  readonly stages?: readonly StoryStage[];
  /** An order that explains a satisfied history. */
  readonly witness?: StoryWitness;
  /** Checks made on a satisfied history. A story of no transactions has nothing else to show. */
  readonly checked?: StoryChecked;
  /** Texts that the buttons copy. Markdown is made from the story if it is not given. */
  readonly copies?: StoryCopies;
  /** Origin, shown at the foot of the page. */
  readonly origin?: StoryOrigin;
}

export interface StorySession {
  readonly id: string;
  readonly label: string;
  /** Transactions of this session that are left out after the last one drawn. */
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
  /** Name in the source: "transaction 14". */
  readonly name?: string;
  /** Place in the source: "line 12". */
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
  /** Text in the picture: "x := 1", "x → 0". Long texts are cut in the picture and shown whole on demand. */
  readonly text: string;
  /** Whether it takes several lines in the picture instead of being cut: texts about rows and conditions do. */
  readonly wraps?: boolean;
  readonly place?: string;
  /** Reason for its presence: the read or write of the violation, an end of an edge, or context. */
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
  /** An operation of the transaction; without it the edge ends at the transaction. */
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
  /** Reason why the edge holds: "T1 comes before T2, which reads x = 1 from it." */
  readonly sentence: string;
  readonly derivation?: StoryDerivation;
}

/** Reason why an edge that was not observed must hold. */
export interface StoryDerivation {
  readonly text: string;
  /** Edges that it follows from. */
  readonly because: readonly string[];
  /** The alternative, and the edges that make it impossible, its own (of part `refuted`) among them. */
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
  /** Reason why they may be left out: "removing any one of those shown makes the violation go away". */
  readonly reason?: string;
}

export interface StoryTimeline {
  readonly key: string;
  /** Versions from the first to the last; null for the initial state. */
  readonly versions: readonly StoryVersion[];
  /** Note on the parts of this order that are known, or assumed. */
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
  /** Null where the end was not seen. */
  readonly endMs: number | null;
}

/** Fault that a collector injected into the database, or into the way to it. */
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
  /** Transactions and edges that the stage shows. */
  readonly transactions: readonly string[];
  readonly edges: readonly string[];
  /** Edges that may still turn out otherwise; drawn dashed. */
  readonly uncertain?: readonly string[];
}

export interface StoryWitness {
  readonly text: string;
  readonly initial: readonly StoryBinding[];
  readonly steps: readonly StoryStep[];
}

/** Checks of a history, the evidence for the verdict, and the result for every level. */
export interface StoryChecked {
  /** Content of the history: "transactions", "4,011: 4,000 committed, 11 aborted". */
  readonly holds: readonly StoryCount[];
  /** Parts of the history that could have shown a violation. */
  readonly evidence: readonly StoryCount[];
  /** The levels that were asked for, with the result of each. */
  readonly asked: readonly StoryCount[];
  /** "Serializability and everything weaker". */
  readonly kept: string;
  /** Results for the levels of the lattice, by name; a level that is missing was not decided. */
  readonly levels: Readonly<Record<string, 'kept' | 'not kept'>>;
}

export interface StoryCount {
  readonly what: string;
  readonly count: string;
}

/** A key and its content. */
export interface StoryBinding {
  readonly key: string;
  readonly value: string;
}

export interface StoryStep {
  readonly event: 'transaction' | 'begin' | 'commit';
  readonly transaction: string;
  readonly text: string;
  /** Changes that the step makes in the database; the rest stays as it was. */
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
