import type { ListsCertificate } from '@isolab/contract';
import { type Digraph, EdgeColumns, digraphOf, grown } from '@isolab/graph';
import { NO_NODE } from './model.ts';

/** The versions of all keys and their known order. Version `k` is the initial state of key `k`. */
export interface InferredVersions {
  readonly numKeys: number;
  readonly key: Int32Array;
  /** Node that left each version; NO_NODE for an initial state. */
  readonly writer: Int32Array;
  /** Last write or append of this node to the key, by version; −1 for an initial state. */
  readonly write: Int32Array;
  readonly left: Digraph;
  /** Version left by another transaction that each read saw, by operation; −1 for all others. */
  readonly versionRead: Int32Array;
  /** An edge leads from a version to a later version; implied edges are left out. */
  readonly order: Digraph;
  readonly why: Uint8Array;
  /** Earlier and later transaction of each edge of the order that was inferred from two transactions. */
  readonly earlier: Int32Array;
  readonly later: Int32Array;
  readonly lists: ListFindings;
}

export interface ListFindings {
  /** Read that shows the order of each key's versions. */
  readonly longestRead: Int32Array;
  /** Lists that no version order explains. */
  readonly conflicts: readonly ListsCertificate[];
  /** Places where an aborted append precedes another append. */
  readonly dirtyUpdates: readonly DirtyUpdate[];
}

/** Two transactions, as the history numbers them. */
export interface DirtyUpdate {
  readonly aborted: number;
  readonly updated: number;
}

/** Reason why a version is known to precede another. */
export const Inference = {
  /** Initial states come first. */
  Initial: 0,
  /** A list shows one after the other. */
  Shown: 1,
  /** A list shows the first version, and no list shows the second. */
  Unshown: 2,
  /** A transaction reads the first version and writes the second. */
  WritesFollowReads: 3,
  /** Two transactions of a session touch the key one after the other. */
  Session: 4,
  /** Two transactions touch the key, one after the other has returned. */
  RealTime: 5,
} as const;

export class VersionBuilder {
  readonly key: Int32Array;
  readonly writer: Int32Array;
  readonly write: Int32Array;
  readonly versionRead: Int32Array;
  readonly #numKeys: number;
  readonly #edges = new EdgeColumns();
  #why = new Uint8Array(1024);
  readonly #earlier = new EdgeColumns(0); // pairs of nodes, for the edges from #firstPair on
  #firstPair = -1;
  #count: number;

  constructor(numKeys: number, capacity: number, numOps: number) {
    this.#numKeys = numKeys;
    this.#count = numKeys;
    this.key = new Int32Array(numKeys + capacity);
    this.writer = new Int32Array(numKeys + capacity).fill(NO_NODE);
    this.write = new Int32Array(numKeys + capacity).fill(-1);
    this.versionRead = new Int32Array(numOps).fill(-1);
    for (let k = 0; k < numKeys; k++) this.key[k] = k;
  }

  get count(): number {
    return this.#count;
  }

  addVersion(key: number, writer: number, write: number): number {
    const version = this.#count++;
    this.key[version] = key;
    this.writer[version] = writer;
    this.write[version] = write;
    return version;
  }

  addEdge(from: number, to: number, why: number): void {
    const e = this.#edges.add(from, to);
    this.#why = grown(this.#why, e + 1);
    this.#why[e] = why;
  }

  /** Adds an edge implied by two nodes; all further edges must be of this kind, up to the edges from initial states. */
  addPair(from: number, to: number, why: number, earlier: number, later: number): void {
    if (this.#firstPair < 0) this.#firstPair = this.#edges.count;
    this.addEdge(from, to, why);
    this.#earlier.add(earlier, later);
  }

  /** Puts the initial state of every key before the versions without other predecessors. */
  finish(numNodes: number, lists: ListFindings = NO_LISTS): InferredVersions {
    const numKeys = this.#numKeys;
    const count = this.#count;
    const hasPredecessor = new Uint8Array(count);
    for (let e = 0; e < this.#edges.count; e++) hasPredecessor[this.#edges.to[e]] = 1;
    for (let v = numKeys; v < count; v++) {
      if (hasPredecessor[v] === 0) this.addEdge(this.key[v], v, Inference.Initial);
    }
    const numEdges = this.#edges.count;
    const pairs = this.#earlier;
    const first = this.#firstPair;
    const earlier = new Int32Array(pairs.count === 0 ? 0 : first + pairs.count);
    const later = new Int32Array(earlier.length);
    if (pairs.count > 0) {
      earlier.set(pairs.from.subarray(0, pairs.count), first);
      later.set(pairs.to.subarray(0, pairs.count), first);
    }
    const left = Int32Array.from({ length: count - numKeys }, (_, i) => numKeys + i);
    return {
      numKeys,
      left: digraphOf(numNodes, this.writer.subarray(numKeys, count), left),
      key: this.key.subarray(0, count),
      writer: this.writer.subarray(0, count),
      write: this.write.subarray(0, count),
      versionRead: this.versionRead,
      order: this.#edges.digraph(count),
      why: this.#why.subarray(0, numEdges),
      earlier,
      later,
      lists,
    };
  }
}

const NO_LISTS: ListFindings = { longestRead: new Int32Array(0), conflicts: [], dirtyUpdates: [] };
