import { type Digraph, EdgeColumns, digraphOf, grown } from '@isolab/graph';
import type { Model } from './model.ts';
import { timeLine } from './real-time.ts';
import type { InferredVersions } from './versions.ts';

/** The relations between transactions, as bits. */
export const Relation = {
  /** Overwrites a version that the other transaction wrote. */
  WW: 1,
  /** Reads the other transaction's version. */
  WR: 2,
  /** Overwrites a version that the other transaction read: an anti-dependency. */
  RW: 4,
  /** Comes later in a session, which Elle calls a process. */
  Process: 8,
  /** Is called after the other transaction returned. */
  RealTime: 16,
  /** Continues through a hub that was entered by an anti-dependency. */
  ThroughRW: 32,
  /** Continues through a hub that was entered by real time. */
  ThroughTime: 64,
} as const;

/**
 * The dependency graph. Its first nodes are the nodes of the model; the others are hubs, which abbreviate many edges:
 * an edge into a hub and any number of edges through hubs, up to the next node of the model, are one edge of the
 * relation through which the first hub was entered. No hub leads a node back to itself.
 */
export interface DependencyGraph {
  readonly numNodes: number;
  readonly numHubs: number;
  readonly from: Int32Array;
  readonly to: Int32Array;
  readonly relation: Uint8Array;
  readonly numEdges: number;
}

export interface Wanted {
  readonly antiDependencies: boolean;
  readonly process: boolean;
  readonly realTime: boolean;
}

export function dependencyGraph(model: Model, versions: InferredVersions, wanted: Wanted): DependencyGraph {
  const builder = new GraphBuilder(model.numNodes);
  addVersionOrder(builder, versions);
  addReads(builder, model, versions, wanted.antiDependencies);
  if (wanted.process) addSessions(builder, model);
  if (wanted.realTime) addRealTime(builder, model);
  return builder.finish();
}

class GraphBuilder {
  readonly #numNodes: number;
  readonly #edges = new EdgeColumns(4096);
  #relation = new Uint8Array(4096);
  #numHubs = 0;

  constructor(numNodes: number) {
    this.#numNodes = numNodes;
  }

  add(from: number, to: number, relation: number): void {
    if (from === to || from < 0 || to < 0) return;
    const e = this.#edges.add(from, to);
    this.#relation = grown(this.#relation, e + 1);
    this.#relation[e] = relation;
  }

  /** Adds `count` hubs and returns the first. */
  addHubs(count: number): number {
    const first = this.#numNodes + this.#numHubs;
    this.#numHubs += count;
    return first;
  }

  finish(): DependencyGraph {
    const { from, to, count } = this.#edges;
    return {
      numNodes: this.#numNodes,
      numHubs: this.#numHubs,
      from: from.subarray(0, count),
      to: to.subarray(0, count),
      relation: this.#relation.subarray(0, count),
      numEdges: count,
    };
  }
}

function addVersionOrder(builder: GraphBuilder, { order, writer }: InferredVersions): void {
  for (let v = 0; v < writer.length; v++) {
    if (writer[v] < 0) continue;
    for (let i = order.start[v]; i < order.start[v + 1]; i++)
      builder.add(writer[v], writer[order.target[i]], Relation.WW);
  }
}

/** A version with more successors gets hubs for its readers. */
const FEW = 4;

function addReads(
  builder: GraphBuilder,
  { nodeOfOp }: Model,
  versions: InferredVersions,
  antiDependencies: boolean,
): void {
  const { versionRead, order, writer } = versions;
  const { start, target } = order;
  const fanned = new EdgeColumns(0); // readers of versions with many successors: version → node
  let previousVersion = -1;
  let previousNode = -1;
  for (let op = 0; op < versionRead.length; op++) {
    const version = versionRead[op];
    if (version < 0) continue;
    const node = nodeOfOp[op];
    if (version === previousVersion && node === previousNode) continue;
    previousVersion = version;
    previousNode = node;
    builder.add(writer[version], node, Relation.WR);
    if (!antiDependencies) continue;
    if (start[version + 1] - start[version] > FEW) fanned.add(version, node);
    else for (let i = start[version]; i < start[version + 1]; i++) builder.add(node, writer[target[i]], Relation.RW);
  }
  if (fanned.count > 0) addFans(builder, versions, fanned);
}

/**
 * Many readers and many successors of one version: hubs in two rows along the successors. One row leads backwards and
 * the other forwards, so a reader that is also a successor reaches all others, and not itself.
 */
function addFans(builder: GraphBuilder, { order, writer }: InferredVersions, fanned: EdgeColumns): void {
  const readers = fanned.digraph(writer.length);
  const place = new Map<number, number>(); // of a successor's writer
  for (let version = 0; version < writer.length; version++) {
    if (readers.start[version] === readers.start[version + 1]) continue;
    place.clear();
    for (let i = order.start[version]; i < order.start[version + 1]; i++) {
      const node = writer[order.target[i]];
      if (!place.has(node)) place.set(node, place.size);
    }
    const count = place.size;
    const back = builder.addHubs(count);
    const forth = builder.addHubs(count);
    for (const [node, i] of place) {
      builder.add(back + i, node, Relation.ThroughRW);
      builder.add(forth + i, node, Relation.ThroughRW);
      if (i > 0) builder.add(back + i, back + i - 1, Relation.ThroughRW);
      if (i > 0) builder.add(forth + i - 1, forth + i, Relation.ThroughRW);
    }
    for (let r = readers.start[version]; r < readers.start[version + 1]; r++) {
      const reader = readers.target[r];
      const own = place.get(reader) ?? -1;
      if (own > 0) builder.add(reader, back + own - 1, Relation.RW);
      if (own + 1 < count) builder.add(reader, forth + own + 1, Relation.RW);
    }
  }
}

function addSessions(builder: GraphBuilder, { history, numNodes, txnOf }: Model): void {
  const { txnSession } = history;
  for (let node = 1; node < numNodes; node++) {
    if (txnSession[txnOf[node]] === txnSession[txnOf[node - 1]]) builder.add(node - 1, node, Relation.Process);
  }
}

/** Adds a hub for every time at which a call follows a return; hubs lead forward in time. */
function addRealTime(builder: GraphBuilder, model: Model): void {
  let hub = -1;
  let isOpen = false; // whether the hub collects returns, without a call since
  for (const event of timeLine(model)) {
    const node = event >> 1;
    if ((event & 1) === 0) {
      if (hub >= 0) builder.add(hub, node, Relation.ThroughTime);
      isOpen = false;
    } else {
      if (!isOpen) {
        const next = builder.addHubs(1);
        if (hub >= 0) builder.add(hub, next, Relation.ThroughTime);
        hub = next;
        isOpen = true;
      }
      builder.add(node, hub, Relation.RealTime);
    }
  }
}

/**
 * The representation of transactions: `serial`, one node each; or `events`, a begin (2 × node) and a commit (2 × node +
 * 1), where an anti-dependency orders only the begin before the commit, and all other relations the commit before the
 * begin. A cycle of events is a cycle of transactions without two adjacent anti-dependencies. Hubs follow at the end.
 */
export type Layout = 'serial' | 'events';

/**
 * A part of the dependency graph with the edges of some relations (`edge` has their numbers; −1 from begin to commit).
 */
export function project(graph: DependencyGraph, relations: number, layout: Layout): Digraph {
  const { numNodes, numHubs, numEdges, relation } = graph;
  const inner = layout === 'events' ? numNodes : 0;
  let count = inner;
  for (let e = 0; e < numEdges; e++) if ((relation[e] & relations) !== 0) count++;
  const from = new Int32Array(count);
  const to = new Int32Array(count);
  const number = new Int32Array(count).fill(-1);
  for (let node = 0; node < inner; node++) {
    from[node] = 2 * node;
    to[node] = 2 * node + 1;
  }
  const width = layout === 'events' ? 2 : 1;
  let next = inner;
  for (let e = 0; e < numEdges; e++) {
    if ((relation[e] & relations) === 0) continue;
    number[next] = e;
    const isAnti = (relation[e] & (Relation.RW | Relation.ThroughRW)) !== 0;
    from[next] = placeOf(graph.from[e], numNodes, width, !isAnti);
    to[next] = placeOf(graph.to[e], numNodes, width, isAnti);
    next++;
  }
  const placed = digraphOf(width * numNodes + numHubs, from, to);
  const { edge } = placed;
  for (let i = 0; i < edge.length; i++) edge[i] = number[edge[i]];
  return placed;
}

function placeOf(node: number, numNodes: number, width: number, isCommit: boolean): number {
  if (node >= numNodes) return node + (width - 1) * numNodes;
  return width === 2 ? 2 * node + (isCommit ? 1 : 0) : node;
}

/** The node, or hub, of the dependency graph for a place of a projection. */
export function nodeAt(place: number, numNodes: number, layout: Layout): number {
  if (layout === 'serial') return place;
  return place < 2 * numNodes ? place >> 1 : place - numNodes;
}

/** The given relations, and the relations through hubs that they enter. */
export const withHubs = (relations: number): number =>
  relations |
  ((relations & Relation.RW) !== 0 ? Relation.ThroughRW : 0) |
  ((relations & Relation.RealTime) !== 0 ? Relation.ThroughTime : 0);
