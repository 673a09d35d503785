import { type Digraph, EdgeColumns, grown } from '@isolab/graph';
import { type BeginCommitVersions, initialVersion } from './begin-commit-versions.ts';

export * from './begin-commit-versions.ts';

/**
 * The begin/commit polygraph of Viper (EuroSys 2023, section 3.1): a begin and a commit for every transaction, known
 * edges, and constraints with two sides, one of which holds. A history satisfies snapshot isolation if and only if some
 * choice of sides makes the graph acyclic.
 * The known edges go from each begin to its commit, from the commit of a writer to the begins of its readers, and
 * between events that the known version order implies. Levels add more edges (sessions, real time), with additional
 * nodes if necessary.
 * Versions in a known sequence form *chains* (Cobra's combining of writes). The initial version precedes all others, so
 * its chain precedes all other chains of the key. Each pair of the other chains is a constraint: one of them completely
 * precedes the other. This replaces the paper's separate constraints for each pair of writers and for each reader and
 * writer. Each side has the following edges (coalescing): from the commit of the last writer of the first chain to the
 * begin of the first writer of the second, and from the begin of each reader of the last version to the commit of that
 * first writer. The begins of several readers share one node, the *anchor* of the version.
 */
export interface BeginCommitPolygraph {
  readonly versions: BeginCommitVersions;
  /** Begins and commits of all transactions (beginOf, commitOf), then anchors, then additional nodes of levels. */
  numNodes: number;
  readonly edges: KnownEdges;
  /** First chain of each key after the chain of the initial version, with one extra slot. */
  readonly chainStart: Int32Array;
  /** First and last version of each of these chains. */
  readonly chainHead: Int32Array;
  readonly chainTail: Int32Array;
  /** Last version of the initial version's chain, for each key. */
  readonly initialTail: Int32Array;
  /**
   * Node where the begins of each version's readers meet: the begin of the only reader, an anchor, or −1 without
   * readers.
   */
  readonly anchor: Int32Array;
}

export const beginOf = (txn: number): number => 2 * txn;
export const commitOf = (txn: number): number => 2 * txn + 1;

/** Reason for an edge of the graph; gives the meaning of the labels `a` and `b`. */
export const EdgeKind = {
  /** A transaction's begin before its commit. */
  Within: 0,
  /** The commit of a version's writer before the begin of a reader; a: the reader's row, b: the version. */
  ReadFrom: 1,
  /** The begin of a reader before the anchor of the version; a: the reader's row, b: the version. */
  Anchor: 2,
  /** The anchor of version a before the commit of the writer of b, a later version of the key. */
  Overwrites: 3,
  /** The commit of the writer of version a before the begin of the writer of b, a later version of the key. */
  Order: 4,
  /** The commit of a transaction before the begin of a later transaction in its session. */
  Session: 5,
  /** An event before later events in real time, through nodes of the timeline. */
  RealTime: 6,
} as const;

/** Labelled edges of a graph. */
export class KnownEdges {
  readonly columns = new EdgeColumns(4096);
  kind = new Uint8Array(4096);
  a = new Int32Array(4096);
  b = new Int32Array(4096);

  get count(): number {
    return this.columns.count;
  }

  add(from: number, to: number, kind: number, a: number = -1, b: number = -1): number {
    const edge = this.columns.add(from, to);
    if (edge === this.kind.length) {
      this.kind = grown(this.kind, this.count);
      this.a = grown(this.a, this.count);
      this.b = grown(this.b, this.count);
    }
    this.kind[edge] = kind;
    this.a[edge] = a;
    this.b[edge] = b;
    return edge;
  }

  digraph(numNodes: number): Digraph {
    return this.columns.digraph(numNodes);
  }
}

/** Builds the polygraph of Adya's snapshot isolation without further requirements. */
export function beginCommitPolygraph(versions: BeginCommitVersions): BeginCommitPolygraph {
  const { numTxns, happened, numKeys, numWritten } = versions;
  const edges = new KnownEdges();
  for (let t = 0; t < numTxns; t++) if (happened[t] === 1) edges.add(beginOf(t), commitOf(t), EdgeKind.Within);
  addReadFrom(versions, edges);

  const chains = findChains(versions);
  const { anchor, numNodes } = addAnchors(versions, edges);
  for (let version = 0; version < numWritten + numKeys; version++) {
    const next = versions.next[version];
    if (next >= 0) addOrder(versions, anchor, version, next, edges);
  }
  for (let key = 0; key < numKeys; key++) {
    const tail = chains.initialTail[key];
    for (let chain = chains.chainStart[key]; chain < chains.chainStart[key + 1]; chain++)
      addOrder(versions, anchor, tail, chains.chainHead[chain], edges);
  }
  return { versions, numNodes, edges, ...chains, anchor };
}

function addReadFrom({ numWritten, writer, readerStart, reader }: BeginCommitVersions, edges: KnownEdges): void {
  for (let version = 0; version < numWritten; version++) {
    const commit = commitOf(writer[version]);
    for (let row = readerStart[version]; row < readerStart[version + 1]; row++)
      edges.add(commit, beginOf(reader[row]), EdgeKind.ReadFrom, row, version);
  }
}

/** Adds the edges from one version to a later version of the same key. */
function addOrder(
  versions: BeginCommitVersions,
  anchor: Int32Array,
  version: number,
  later: number,
  edges: KnownEdges,
): void {
  const { numWritten, writer } = versions;
  const isRead = anchor[version] >= 0 && anchor[version] !== beginOf(writer[later]);
  if (isRead) edges.add(anchor[version], commitOf(writer[later]), EdgeKind.Overwrites, version, later);
  if (version < numWritten)
    edges.add(commitOf(writer[version]), beginOf(writer[later]), EdgeKind.Order, version, later);
}

function addAnchors({ numTxns, numWritten, numKeys, readerStart, reader }: BeginCommitVersions, edges: KnownEdges) {
  const anchor = new Int32Array(numWritten + numKeys).fill(-1);
  let numNodes = 2 * numTxns;
  for (let version = 0; version < anchor.length; version++) {
    const from = readerStart[version];
    const to = readerStart[version + 1];
    if (from === to) continue;
    if (to - from === 1) {
      anchor[version] = beginOf(reader[from]);
      continue;
    }
    anchor[version] = numNodes++;
    for (let row = from; row < to; row++)
      edges.add(beginOf(reader[row]), anchor[version], EdgeKind.Anchor, row, version);
  }
  return { anchor, numNodes };
}

/**
 * Follows the known order of versions from each version without a known predecessor. Versions in a circle belong to no
 * chain.
 */
function findChains(versions: BeginCommitVersions) {
  const { numKeys, keyStart, next, previous } = versions;
  const chainStart = new Int32Array(numKeys + 1);
  const head: number[] = [];
  const tail: number[] = [];
  const initialTail = new Int32Array(numKeys);
  const endOf = (version: number): number => {
    let end = version;
    while (next[end] >= 0) end = next[end];
    return end;
  };
  for (let key = 0; key < numKeys; key++) {
    initialTail[key] = endOf(initialVersion(versions, key));
    for (let version = keyStart[key]; version < keyStart[key + 1]; version++) {
      if (previous[version] >= 0) continue;
      head.push(version);
      tail.push(endOf(version));
    }
    chainStart[key + 1] = head.length;
  }
  return { chainStart, chainHead: Int32Array.from(head), chainTail: Int32Array.from(tail), initialTail };
}

/** Counts the constraints here and in the paper's form, without combining and coalescing. */
export function countConstraints({ chainStart, versions }: BeginCommitPolygraph): {
  readonly pairs: number;
  readonly published: number;
} {
  const { numTxns, numKeys, keyStart, writer, readerStart, reader } = versions;
  const writesKey = new Int32Array(numTxns).fill(-1);
  let pairs = 0;
  let published = 0;
  for (let key = 0; key < numKeys; key++) {
    const chains = chainStart[key + 1] - chainStart[key];
    pairs += (chains * (chains - 1)) / 2;
    const writers = keyStart[key + 1] - keyStart[key];
    published += (writers * (writers - 1)) / 2;
    for (let version = keyStart[key]; version < keyStart[key + 1]; version++) writesKey[writer[version]] = key;
    for (let row = readerStart[keyStart[key]]; row < readerStart[keyStart[key + 1]]; row++)
      published += writers - (writesKey[reader[row]] === key ? 2 : 1);
  }
  return { pairs, published };
}
