// Generalized polygraphs (Huang et al., PVLDB 16(6), section 3.1 and Algorithm 1, CreateKnownGraph and
// GenerateConstraints): known dependencies between transactions, and constraints that each require one of two sets of
// further dependencies.

import { IntList, rowsBy } from '@isolab/graph';
import { type Dependencies, DependencyColumns, DependencyType } from './generalized-dependencies.ts';
import { INITIAL_NODE, type VersionTable } from './generalized-versions.ts';

const { SO, WR, WW, RW } = DependencyType;

/** The two sides of a constraint: `first` precedes `second`, or vice versa. */
export const Side = { Either: 0, Or: 1 } as const;

/**
 * Constraint c concerns the order of the writers `first[c]` and `second[c]`. All edges from `start[c]` to `middle[c]`
 * hold if the first writer precedes the second, otherwise all edges from `middle[c]` to `start[c + 1]`.
 */
export interface GeneralizedConstraints {
  readonly count: number;
  readonly first: Int32Array;
  readonly second: Int32Array;
  readonly start: Int32Array;
  readonly middle: Int32Array;
  readonly edges: Dependencies;
}

export interface GeneralizedPolygraph {
  readonly versions: VersionTable;
  readonly known: Dependencies;
  readonly constraints: GeneralizedConstraints;
  /** Size if the initial transaction were an ordinary writer of all keys, as in Table 3. */
  readonly size: PolygraphSize;
  /**
   * Size if the initial transaction wrote only the keys whose initial state was read, as in the artifact with Cobra's
   * logs.
   */
  readonly sizeOfRead: PolygraphSize;
}

export interface PolygraphSize {
  readonly constraints: number;
  readonly unknownDependencies: number;
}

/**
 * Builds a generalized polygraph. `compact` makes one constraint per pair of writers, for all keys that both write, as
 * PolySI does; otherwise each key has a constraint for each pair of writers, and for each reader of either (the plain
 * polygraph, Definition 8).
 * Edges that session order implies are omitted: of the initial transaction's edges, only the edge to the first
 * transaction of every session remains, and of the edges from a known version's readers to the writers in a session,
 * only the edge to the first writer.
 */
export function generalizedPolygraph(
  versions: VersionTable,
  { compact = true, tick = () => {} }: { compact?: boolean; tick?: (steps: number) => void } = {},
): GeneralizedPolygraph {
  const known = knownGraph(versions, tick);
  const builder = new ConstraintBuilder(versions);
  if (compact) builder.addPairs(tick);
  else builder.addPairsByKey(tick);
  const constraints = builder.finish();
  return {
    versions,
    known,
    constraints,
    size: sizeOf(versions, constraints, compact, false),
    sizeOfRead: sizeOf(versions, constraints, compact, true),
  };
}

function knownGraph(versions: VersionTable, tick: (steps: number) => void): Dependencies {
  const { numNodes, initialFirst, session, previous, keyStart, numOrdered, writer, readerStart, reader } = versions;
  const known = new DependencyColumns(2 * numNodes + reader.length);
  for (let node = 0; node < numNodes; node++) if (previous[node] >= 0) known.add(previous[node], node, SO, -1);
  const initialIsFirst = (v: number): boolean => initialFirst && writer[v] === INITIAL_NODE;
  for (let key = 0; key + 1 < keyStart.length; key++) {
    const ordered = keyStart[key] + numOrdered[key];
    const end = keyStart[key + 1];
    const before = known.count;
    for (let v = keyStart[key]; v < end; v++) {
      if (v < ordered && initialIsFirst(v)) continue;
      for (let i = readerStart[v]; i < readerStart[v + 1]; i++) known.add(writer[v], reader[i], WR, key);
    }
    for (let v = keyStart[key]; v < ordered; v++) {
      const isLast = v + 1 === ordered;
      const next = isLast ? end : v + 2;
      let previousSession = -1;
      for (let u = v + 1; u < next; u++) {
        if (session[writer[u]] === previousSession) continue;
        previousSession = session[writer[u]];
        if (!initialIsFirst(v)) known.add(writer[v], writer[u], WW, key);
        for (let i = readerStart[v]; i < readerStart[v + 1]; i++)
          if (reader[i] !== writer[u]) known.add(reader[i], writer[u], RW, key);
      }
    }
    tick(known.count - before);
  }
  return known;
}

class ConstraintBuilder {
  readonly #versions: VersionTable;
  readonly #edges = new DependencyColumns();
  readonly #first = new IntList();
  readonly #second = new IntList();
  readonly #start = new IntList();
  readonly #middle = new IntList();

  constructor(versions: VersionTable) {
    this.#versions = versions;
    this.#start.push(0);
  }

  /** Adds a constraint for each pair of writers, for all keys whose order is open between them. */
  addPairs(tick: (steps: number) => void): void {
    const { numNodes, keyStart, writer } = this.#versions;
    const { rowStart, row, keyOf } = openVersions(this.#versions);
    // For the current writer: the other writers met so far, each with a list of pairs of versions.
    const head = new Int32Array(numNodes).fill(-1);
    const tail = new Int32Array(numNodes);
    const others: number[] = [];
    const mine: number[] = [];
    const theirs: number[] = [];
    const next: number[] = [];
    for (let t = 0; t < numNodes; t++) {
      others.length = mine.length = theirs.length = next.length = 0;
      for (let i = rowStart[t]; i < rowStart[t + 1]; i++) {
        // The open versions of a key are sorted by writer.
        for (let v = row[i], u = v + 1, end = keyStart[keyOf[v] + 1]; u < end; u++) {
          const s = writer[u];
          if (head[s] < 0) {
            head[s] = mine.length;
            others.push(s);
          } else {
            next[tail[s]] = mine.length;
          }
          tail[s] = mine.length;
          mine.push(v);
          theirs.push(u);
          next.push(-1);
        }
      }
      const before = this.#edges.count;
      for (const s of others) {
        for (let p = head[s]; p >= 0; p = next[p]) this.#addSide(mine[p], theirs[p], keyOf[mine[p]]);
        const middle = this.#edges.count;
        for (let p = head[s]; p >= 0; p = next[p]) this.#addSide(theirs[p], mine[p], keyOf[mine[p]]);
        this.#close(t, s, middle);
        head[s] = -1;
      }
      tick(this.#edges.count - before + 1);
    }
  }

  /** Adds plain constraints with two edges each. */
  addPairsByKey(tick: (steps: number) => void): void {
    const { keyStart, numOrdered, writer, readerStart, reader } = this.#versions;
    const edges = this.#edges;
    const addReaders = (v: number, u: number, key: number): void => {
      for (let i = readerStart[v]; i < readerStart[v + 1]; i++) {
        if (reader[i] === writer[u]) continue;
        edges.add(reader[i], writer[u], RW, key);
        edges.add(writer[u], writer[v], WW, key);
        this.#close(writer[v], writer[u], edges.count - 1);
      }
    };
    for (let key = 0; key + 1 < keyStart.length; key++) {
      const before = edges.count;
      for (let v = keyStart[key] + numOrdered[key]; v < keyStart[key + 1]; v++) {
        for (let u = v + 1; u < keyStart[key + 1]; u++) {
          edges.add(writer[v], writer[u], WW, key);
          edges.add(writer[u], writer[v], WW, key);
          this.#close(writer[v], writer[u], edges.count - 1);
          addReaders(v, u, key);
          addReaders(u, v, key);
        }
      }
      tick(edges.count - before + 1);
    }
  }

  finish(): GeneralizedConstraints {
    return {
      count: this.#first.length,
      first: this.#first.view(),
      second: this.#second.view(),
      start: this.#start.view(),
      middle: this.#middle.view(),
      edges: this.#edges,
    };
  }

  /** Adds the edges for version v before version u: from the writer of v and its readers to the writer of u. */
  #addSide(v: number, u: number, key: number): void {
    const { writer, readerStart, reader } = this.#versions;
    const edges = this.#edges;
    const to = writer[u];
    edges.add(writer[v], to, WW, key);
    for (let i = readerStart[v]; i < readerStart[v + 1]; i++) if (reader[i] !== to) edges.add(reader[i], to, RW, key);
  }

  /** Makes a constraint of the edges added since the last constraint; the second set begins at `middle`. */
  #close(first: number, second: number, middle: number): void {
    this.#first.push(first);
    this.#second.push(second);
    this.#middle.push(middle);
    this.#start.push(this.#edges.count);
  }
}

/** Returns the versions without a known order, sorted by writer, and the key of each version. */
function openVersions({ numNodes, keyStart, numOrdered, writer }: VersionTable) {
  const keyOf = new Int32Array(writer.length);
  const openWriter = writer.slice();
  for (let key = 0; key + 1 < keyStart.length; key++) {
    keyOf.fill(key, keyStart[key], keyStart[key + 1]);
    openWriter.fill(-1, keyStart[key], keyStart[key] + numOrdered[key]);
  }
  const { start: rowStart, item: row } = rowsBy(openWriter, numNodes);
  return { rowStart, row, keyOf };
}

/**
 * Counts the constraints that are settled because the initial transaction is first; the known order of lists leaves no
 * choice.
 */
function sizeOf(
  versions: VersionTable,
  { count, edges }: GeneralizedConstraints,
  compact: boolean,
  ifRead: boolean,
): PolygraphSize {
  const { numNodes, keyStart, numOrdered, writer, readerStart, reader } = versions;
  const isWriter = new Uint8Array(numNodes);
  let pairs = 0;
  let readers = 0;
  for (let key = 0; key + 1 < keyStart.length; key++) {
    const initial = keyStart[key];
    if (numOrdered[key] !== 1 || (ifRead && readerStart[initial] === readerStart[initial + 1])) continue;
    for (let v = initial + 1; v < keyStart[key + 1]; v++) {
      isWriter[writer[v]] = 1;
      pairs++;
      readers += readerStart[initial + 1] - readerStart[initial] + readerStart[v + 1] - readerStart[v];
      for (let i = readerStart[initial]; i < readerStart[initial + 1]; i++) if (reader[i] === writer[v]) readers--;
    }
  }
  if (!compact)
    return { constraints: count + pairs + readers, unknownDependencies: edges.count + 2 * (pairs + readers) };
  const writers = isWriter.reduce((sum, is) => sum + is, 0);
  return { constraints: count + writers, unknownDependencies: edges.count + 2 * pairs + readers };
}
