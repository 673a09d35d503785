/**
 * CobraSI: reduces snapshot isolation to serializability (Biswas and Enea, OOPSLA 2019, section 4.3; PolySI, section
 * 5.4). Every transaction T is split in two: its snapshot, node 2T, reads, and its commit, node 2T + 1, writes. For any
 * two transactions T and S that write a common key, two fresh keys keep the commit of each from falling between the
 * snapshot and the commit of the other: on one fresh key the snapshot of T writes a version that the commit of T reads,
 * and the commit of S writes another version.
 * The constraints of these fresh keys are known, so the keys themselves are not created. No transaction remains a
 * read-modify-write, so there are no writes to combine.
 */
import { rowsBy } from '@isolab/graph';
import { Constraints, Known, KnownGraph, type SerialVersions, baseRow, countVersions } from '@isolab/polygraph';

interface SplitOptions {
  readonly sessions: boolean;
  readonly coalesce: boolean;
  readonly tick: (steps: number) => void;
}

const snapshotOf = (node: number): number => 2 * node;
const commitOf = (node: number): number => 2 * node + 1;

export function splitKnownEdges(versions: SerialVersions, { sessions, tick }: SplitOptions): KnownGraph {
  const { history, txnOf, keyStart, node, readerStart, reader, read } = versions;
  const known = new KnownGraph(reader.length + 2 * txnOf.length);
  for (let n = 0; n < txnOf.length; n++) {
    known.add(snapshotOf(n), commitOf(n), Known.Within);
    if (sessions && n > 0 && history.txnSession[txnOf[n]] === history.txnSession[txnOf[n - 1]])
      known.add(commitOf(n - 1), snapshotOf(n), Known.Session);
  }
  const numVersions = countVersions(versions);
  for (let v = 0; v < numVersions; v++) {
    for (let i = readerStart[v]; i < readerStart[v + 1]; i++)
      known.add(commitOf(node[v]), snapshotOf(reader[i]), Known.ReadFrom, read[i]);
  }
  tick(reader.length);
  for (let key = 0; key + 1 < keyStart.length; key++) {
    const row = baseRow(versions, key);
    for (let i = readerStart[row]; i < readerStart[row + 1]; i++) {
      for (let v = keyStart[key]; v < keyStart[key + 1]; v++)
        if (node[v] !== reader[i]) known.add(snapshotOf(reader[i]), commitOf(node[v]), Known.Overwritten, read[i], v);
      tick(keyStart[key + 1] - keyStart[key]);
    }
  }
  return known;
}

export function splitConstraints(versions: SerialVersions, options: SplitOptions): Constraints {
  const constraints = new Constraints();
  const { keyStart } = versions;
  for (let key = 0; key + 1 < keyStart.length; key++) {
    for (let v = keyStart[key]; v < keyStart[key + 1]; v++) {
      for (let u = v + 1; u < keyStart[key + 1]; u++) addPair(versions, constraints, v, u, options.coalesce);
      options.tick(keyStart[key + 1] - v);
    }
  }
  addFreshKeys(versions, constraints, options);
  return constraints;
}

/** Adds the constraint between two versions of a key. */
function addPair(versions: SerialVersions, constraints: Constraints, v: number, u: number, coalesce: boolean): void {
  const { node } = versions;
  const writes = (first: number, second: number): void => {
    constraints.edge(commitOf(node[first]), commitOf(node[second]), -1);
    constraints.endSide();
  };
  if (coalesce) {
    for (const [first, second] of [
      [v, u],
      [u, v],
    ] as const) {
      if (addReaders(versions, constraints, first, second) > 0) constraints.endSide();
      else writes(first, second);
    }
    constraints.end(v, u);
    return;
  }
  writes(v, u);
  writes(u, v);
  constraints.end(v, u);
  for (const [first, second] of [
    [v, u],
    [u, v],
  ] as const) {
    const { readerStart, reader, read } = versions;
    for (let i = readerStart[first]; i < readerStart[first + 1]; i++) {
      if (reader[i] === node[second]) continue;
      constraints.edge(snapshotOf(reader[i]), commitOf(node[second]), read[i]);
      constraints.endSide();
      writes(second, first);
      constraints.end(first, second);
    }
  }
}

function addReaders(
  { readerStart, reader, read, node }: SerialVersions,
  constraints: Constraints,
  version: number,
  later: number,
): number {
  let added = 0;
  for (let i = readerStart[version]; i < readerStart[version + 1]; i++) {
    if (reader[i] === node[later]) continue;
    constraints.edge(snapshotOf(reader[i]), commitOf(node[later]), read[i]);
    added++;
  }
  return added;
}

/** Adds the two fresh keys of any two transactions with a common key. */
function addFreshKeys(versions: SerialVersions, constraints: Constraints, { coalesce, tick }: SplitOptions): void {
  const { txnOf, keyStart, key, node } = versions;
  const { start, item: version } = rowsBy(versions.node, txnOf.length);
  const paired = new Int32Array(txnOf.length).fill(-1);
  for (let t = 0; t < txnOf.length; t++) {
    for (let i = start[t]; i < start[t + 1]; i++) {
      const v = version[i];
      // Within a key, versions are in the order of their nodes.
      for (let u = v + 1; u < keyStart[key[v] + 1]; u++) {
        if (paired[node[u]] === t) continue;
        paired[node[u]] = t;
        addFreshKey(versions, constraints, v, u, coalesce);
        addFreshKey(versions, constraints, u, v, coalesce);
      }
      tick(keyStart[key[v] + 1] - v);
    }
  }
}

/**
 * Adds the key on which the snapshot of T, the transaction of v, writes the version that its commit reads, and the
 * commit of S writes.
 */
function addFreshKey(
  { node }: SerialVersions,
  constraints: Constraints,
  v: number,
  u: number,
  coalesce: boolean,
): void {
  const t = node[v];
  const s = commitOf(node[u]);
  const froms = coalesce ? [commitOf(t)] : [snapshotOf(t), commitOf(t)];
  for (const from of froms) {
    constraints.edge(from, s, -1);
    constraints.endSide();
    constraints.edge(s, snapshotOf(t), -1);
    constraints.endSide();
    constraints.end(v, u);
  }
}
