import { type Edge, INITIAL_TXN } from '@isolab/contract';
import { EdgeKind, type KnownEdges, type BeginCommitVersions, keyOfVersion, readerRow } from '@isolab/polygraph';

/** An edge of the graph, with its label (see EdgeKind). */
export interface LabelledEdge {
  readonly from: number;
  readonly to: number;
  readonly kind: number;
  readonly a: number;
  readonly b: number;
}

export const edgeAt = ({ columns, kind, a, b }: KnownEdges, edge: number): LabelledEdge => ({
  from: columns.from[edge],
  to: columns.to[edge],
  kind: kind[edge],
  a: a[edge],
  b: b[edge],
});

/** Order of two versions of one key: the writer of `version` comes before the writer of `later`. */
export interface Order {
  readonly version: number;
  readonly later: number;
}

/** Returns the reason for every edge. Reasons of long chains are divided at *milestones*, derived separately. */
export class Reasons {
  readonly #versions: BeginCommitVersions;
  readonly #place: Int32Array; // by version: its place in its chain
  /** Milestones that the edges returned so far assume. */
  readonly milestones: Order[] = [];

  constructor(versions: BeginCommitVersions) {
    this.#versions = versions;
    this.#place = placesInChains(versions);
  }

  /** Converts a cycle of the graph to a cycle of transactions, without relay nodes. */
  cycle(cycle: readonly LabelledEdge[]): Edge[] {
    const numEvents = 2 * this.#versions.numTxns;
    const start = cycle.findIndex(({ from }) => from < numEvents);
    const edges: Edge[] = [];
    let leaving = cycle[start]!;
    for (let i = 0; i < cycle.length; i++) {
      const edge = cycle[(start + i) % cycle.length]!;
      if (edge.from < numEvents) leaving = edge;
      if (edge.to >= numEvents || leaving.from >> 1 === edge.to >> 1) continue;
      edges.push(this.#edge(leaving.from >> 1, edge.to >> 1, edge));
    }
    return edges;
  }

  #edge(from: number, to: number, { kind, a, b }: LabelledEdge): Edge {
    switch (kind) {
      case EdgeKind.ReadFrom:
        return { from, to, reason: { kind: 'read-from', read: this.#versions.read[a] } };
      case EdgeKind.Session:
        return { from, to, reason: { kind: 'session' } };
      case EdgeKind.RealTime:
        return { from, to, reason: { kind: 'real-time' } };
      case EdgeKind.Order:
        return this.#order(a, b);
      default:
        return this.overwrites(from, a, b);
    }
  }

  /** Returns the edge from a reader of a version to the writer of a later version. */
  overwrites(reader: number, version: number, later: number): Edge {
    return this.#overwritesBy(reader, version, later, this.#order(version, later));
  }

  #overwritesBy(reader: number, version: number, later: number, order: Edge): Edge {
    const { writer, write, read } = this.#versions;
    const row = readerRow(this.#versions, version, reader);
    const reason = { kind: 'overwrites', read: read[row], write: write[later], order: [order] } as const;
    return { from: reader, to: writer[later], reason };
  }

  /**
   * Returns the edge between the writers of two versions: a list shows their order, the later writer reads the earlier
   * version, or the order follows from their chains.
   */
  #order(version: number, later: number): Edge {
    const versions = this.#versions;
    const { numWritten, writer, read, previous, longestRead } = versions;
    const from = writer[version];
    const to = writer[later];
    // Versions that lists show have a known predecessor.
    if (longestRead !== null && version < numWritten && previous[version] >= 0)
      return { from, to, reason: { kind: 'version', read: longestRead[keyOfVersion(versions, version)] } };
    if (previous[later] === version && version < numWritten)
      return { from, to, reason: { kind: 'read-from', read: read[readerRow(versions, version, to)] } };
    const stage = this.#place[version] - (this.#place[version] % STAGE);
    return this.#derive(version, later, stage);
  }

  /** Returns evidence for a milestone: a cycle that follows from its opposite and maybe the previous milestone. */
  milestone({ version, later }: Order): Edge[] {
    const { writer } = this.#versions;
    return [
      this.#derive(version, later, this.#place[version] - STAGE),
      { from: writer[later], to: writer[version], reason: { kind: 'assumed' } },
    ];
  }

  /** Returns the premise of a milestone: the previous milestone, the heads of the chains, or null (initial version). */
  premise({ version, later }: Order): Order | null {
    const premise = this.#back(version, this.#place[version] - STAGE).at(-1)!;
    return premise >= this.#versions.numWritten ? null : { version: premise, later };
  }

  isMilestone({ version }: Order): boolean {
    return this.#place[version] > 0;
  }

  /** Follows the chain: a reader that overwrites a version comes before other overwriters of it. */
  #derive(version: number, later: number, place: number): Edge {
    const { numWritten, writer } = this.#versions;
    const links = this.#back(version, place);
    let before = links.pop()!;
    let edge: Edge;
    if (before >= numWritten) edge = { from: INITIAL_TXN, to: writer[later], reason: { kind: 'initial' } };
    else {
      edge = { from: writer[before], to: writer[later], reason: { kind: 'assumed' } };
      if (place > 0) this.milestones.push({ version: before, later });
    }
    for (let link = links.pop(); link !== undefined; link = links.pop()) {
      edge = this.#overwritesBy(writer[link], before, later, edge);
      before = link;
    }
    return edge;
  }

  /** Returns the versions from a version back to a place of its chain. */
  #back(version: number, place: number): number[] {
    const links = [version];
    for (let v = version; this.#place[v] > place;) links.push((v = this.#versions.previous[v]));
    return links;
  }
}

function placesInChains({ next, previous }: BeginCommitVersions): Int32Array {
  const place = new Int32Array(next.length);
  for (let head = 0; head < next.length; head++) {
    if (previous[head] >= 0) continue;
    for (let v = next[head], at = 1; v >= 0; v = next[v]) place[v] = at++;
  }
  return place;
}

/** Number of chain links in one reason. */
const STAGE = 100;
