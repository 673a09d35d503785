/**
 * Content of a picture of a history, as plain data (JSON). The code that explains a verdict produces it, and this
 * package draws it. All ids are strings, unique among transactions, operations and edges. Texts are plain text with
 * arbitrary content.
 */
export interface Story {
  /** Short name of the violation, such as "Lost update"; for a satisfied history, the level that holds. */
  readonly title: string;
  readonly verdict: 'violated' | 'satisfied';
  /** The level that was checked: "snapshot-isolation". */
  readonly level: string;
  /** The canonical name of the anomaly and its aliases; null if there is no violation. */
  readonly anomaly: { readonly name: string; readonly aliases: readonly string[] } | null;
  /** Summary of the events in one sentence, with the values of this history. */
  readonly summary: string;
  /** General meaning of the anomaly: "Lost update: two transactions overwrite the same version, which … forbids." */
  readonly meaning?: string;
  /** Evidence for the verdict on a satisfied history: "The verdict rests on …". */
  readonly restsOn?: string;
  /** Whether the story shows only a part of the checked history. */
  readonly isPart?: boolean;
  /** Levels that the whole history keeps and does not keep, as text, if several levels were checked. */
  readonly answer?: {
    readonly kept: string | null;
    readonly notKept: string | null;
    readonly notDecided: readonly string[];
  };
  /** Levels that the shown part rules out. */
  readonly ruledOut?: readonly string[];
  /** Levels that the shown part does not rule out, although the whole history may; absent if undecided. */
  readonly leftStanding?: readonly string[];
  /** Lanes, in drawing order. */
  readonly sessions: readonly StorySession[];
  /** In session order. */
  readonly transactions: readonly StoryTransaction[];
  /** The edges of the cycle, the edges that justify other edges, and the refuted edges. */
  readonly edges: readonly StoryEdge[];
  readonly prose: readonly StorySentence[];
  /** Size of the part of the checked history that is not in the picture. */
  readonly hidden?: StoryHidden;
  /** The versions of the relevant keys. */
  readonly timelines?: readonly StoryTimeline[];
  /** Times of the transactions, if faults were injected into the database meanwhile. */
  readonly clock?: StoryClock;
  /** Throughput, aborts and latency of the whole history. */
  readonly course?: StoryCourse;
  /** Steps of an interpretation, such as PolySI's raw, restored, resolved, finalized. */
  readonly stages?: readonly StoryStage[];
  /** An order that explains a satisfied history. */
  readonly witness?: StoryWitness;
  /** Checks of a satisfied history. A story without transactions shows nothing else. */
  readonly checked?: StoryChecked;
  /** Texts for the copy buttons. Markdown is generated from the story if it is absent. */
  readonly copies?: StoryCopies;
  /** Origin, shown at the foot of the page. */
  readonly origin?: StoryOrigin;
}

export interface StorySession {
  readonly id: string;
  readonly label: string;
  /** Number of transactions of this session omitted after the last drawn transaction. */
  readonly hiddenAfter?: number;
}

export interface StoryTransaction {
  readonly id: string;
  /** The session, which determines the lane; null for the initial transaction, which is drawn above all lanes. */
  readonly session: string | null;
  readonly label: string;
  readonly status: 'committed' | 'aborted' | 'unknown' | 'initial';
  /** Whether the transaction is part of the cycle, a reason for an edge, or only context. */
  readonly role: 'cycle' | 'reason' | 'context';
  readonly operations: readonly StoryOperation[];
  /** Name in the source: "transaction 14". */
  readonly name?: string;
  /** Place in the source: "line 12". */
  readonly place?: string;
  /** Times of call and return, as text. */
  readonly time?: string;
  /** Number of transactions of the session omitted before this transaction. */
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
  /** Label in the picture: "x := 1", "x → 0". Long labels are truncated in the picture and shown in full on demand. */
  readonly text: string;
  /** The label with all columns of its row, if `text` leaves some out. */
  readonly full?: string;
  /** Whether the text wraps in the picture instead of being truncated, as texts about rows and conditions do. */
  readonly wraps?: boolean;
  readonly place?: string;
  /** Reason for showing the operation: the read or write of the violation, an end of an edge, or context. */
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
  /** An operation of the transaction. If absent, the edge ends at the transaction. */
  readonly operation?: string;
}

export interface StoryEdge {
  readonly id: string;
  readonly from: StoryEnd;
  readonly to: StoryEnd;
  readonly kind: StoryEdgeKind;
  readonly key?: string;
  /** cycle: part of the violation; reason: justifies another edge; refuted: impossible, dashed; context: also holds. */
  readonly part: 'cycle' | 'reason' | 'refuted' | 'context';
  /** Drawn only in the stages that include it. */
  readonly onlyInStages?: boolean;
  /** Position in the cycle, from 1. */
  readonly number?: number;
  /** Reason why the edge holds: "T1 comes before T2, which reads x = 1 from it." */
  readonly sentence: string;
  readonly derivation?: StoryDerivation;
}

/** Reason why an edge that was not observed must hold. */
export interface StoryDerivation {
  readonly text: string;
  /** Edges that imply the derived edge. */
  readonly because: readonly string[];
  /**
   * The alternative, and the edges that make it impossible, including the alternative's own edges (of part `refuted`).
   */
  readonly refuted?: { readonly text: string; readonly edges: readonly string[] };
}

export interface StorySentence {
  readonly text: string;
  readonly edges: readonly string[];
  /** Operations mentioned where there is no edge, as in internal anomalies. */
  readonly operations?: readonly string[];
}

export interface StoryHidden {
  readonly transactions: number;
  readonly sessions: number;
  readonly operations?: number;
  /** Reason for omitting the rest: "removing any one of those shown makes the violation go away". */
  readonly reason?: string;
}

export interface StoryTimeline {
  readonly key: string;
  /** Versions in order. */
  readonly versions: readonly StoryVersion[];
  /** Note on the known and assumed parts of this order. */
  readonly note?: string;
}

export interface StoryVersion {
  readonly value: string;
  readonly writer: StoryEnd | null;
  readonly readers: readonly StoryEnd[];
  /** The edge that places this version after the previous version. */
  readonly edge?: string;
}

/** Times of a single clock. */
export interface StoryClock {
  /** Milliseconds, or numbers of events; not shown if absent. */
  readonly unit?: 'ms' | 'events';
  readonly spans: readonly StorySpan[];
  readonly faults: readonly StoryFault[];
}

export interface StorySpan {
  readonly transaction: string;
  readonly beginMs: number;
  /** Answer to the first request; absent if it was not observed. */
  readonly begunMs?: number;
  /** Call of COMMIT; absent if it was not observed. */
  readonly committingMs?: number;
  /** Null if the end was not observed. */
  readonly endMs: number | null;
}

/** Fault that a collector injected into the database, or into the connection to it. */
export interface StoryFault {
  /** "node 1 was ended with kill −9". */
  readonly text: string;
  readonly beginMs: number;
  readonly endMs: number | null;
  /** The transactions that ran during the fault. */
  readonly during: readonly string[];
}

/** Course of a history on a real clock, in slots of one length that begin with its first transaction. */
export interface StoryCourse {
  readonly slotMs: number;
  /** Committed and aborted transactions a second in each slot. */
  readonly committed: readonly number[];
  readonly aborted: readonly number[];
  /** Latency of half of the slot's transactions, and of nineteen in twenty; null for a slot without transactions. */
  readonly medianMs: readonly (number | null)[];
  readonly slowMs: readonly (number | null)[];
  readonly faults: readonly Omit<StoryFault, 'during'>[];
}

export interface StoryStage {
  readonly name: string;
  readonly text: string;
  readonly transactions: readonly string[];
  readonly edges: readonly string[];
  /** Edges that may still change, drawn dashed. */
  readonly uncertain?: readonly string[];
}

export interface StoryWitness {
  readonly text: string;
  readonly initial: readonly StoryBinding[];
  readonly steps: readonly StoryStep[];
}

/** Checks of a history: the evidence for the verdict, and the result for every level. */
export interface StoryChecked {
  /** Content of the history: "transactions", "4,011: 4,000 committed, 11 aborted". */
  readonly holds: readonly StoryCount[];
  /** Parts of the history that could have shown a violation. */
  readonly evidence: readonly StoryCount[];
  /** Results for the requested levels. */
  readonly asked: readonly StoryCount[];
  /** "Serializability and everything weaker". */
  readonly kept: string;
  /** Results for the levels of the lattice, by name; undecided levels are absent. */
  readonly levels: Readonly<Record<string, 'kept' | 'not kept'>>;
}

export interface StoryCount {
  readonly what: string;
  readonly count: string;
}

/** A key and its value. */
export interface StoryBinding {
  readonly key: string;
  readonly value: string;
}

export interface StoryStep {
  readonly event: 'transaction' | 'begin' | 'commit';
  readonly transaction: string;
  readonly text: string;
  /** Changes of the database in this step; other keys keep their values. */
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
