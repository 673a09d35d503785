import type { History, PolygraphInput, ReadFromIndex } from '@isolab/history';
import { type Chains, chainsOf, headOf, tailOf } from './chains.ts';
import { Known, KnownGraph, Order } from './known-graph.ts';
import { Constraints } from './polygraph.ts';
import { BLIND, SerialVersionBuilder, type SerialVersions, baseRow, countVersions } from './serial-versions.ts';

export interface SerialOptions {
  /** Whether transactions of a session keep their order. */
  readonly sessions: boolean;
  /** Whether a single constraint determines the order of two chains. */
  readonly coalesce: boolean;
  /** 1 for each operation that wrote a version before its key's base, in a part that has a base. */
  readonly beforeBase?: Uint8Array | null;
  readonly tick: (steps: number) => void;
}

/** Builds the known graph of serializability: sessions, read-from, and anti-dependencies from chains and the base. */
export function serialKnownEdges(
  versions: SerialVersions,
  chains: Chains,
  combined: boolean,
  options: SerialOptions,
): KnownGraph {
  const known = new KnownGraph(versions.reader.length + versions.txnOf.length);
  if (options.sessions) addSessions(versions, known);
  const { readerStart, reader, read, node, overwrites } = versions;
  const numVersions = countVersions(versions);
  for (let v = 0; v < numVersions; v++) {
    for (let i = readerStart[v]; i < readerStart[v + 1]; i++) known.add(node[v], reader[i], Known.ReadFrom, read[i]);
  }
  options.tick(reader.length);
  if (combined) {
    // Readers of an overwritten version precede the node that overwrites it.
    for (let v = 0; v < numVersions; v++)
      if (overwrites[v] !== BLIND) addOverwritten(versions, known, overwrites[v], v, Order.Direct, options.tick);
  }
  for (let key = 0; key < chains.base.length; key++) addAfterBase(versions, chains, known, key, options);
  return known;
}

function addSessions({ history, txnOf }: SerialVersions, known: KnownGraph): void {
  for (let n = 1; n < txnOf.length; n++)
    if (history.txnSession[txnOf[n]] === history.txnSession[txnOf[n - 1]]) known.add(n - 1, n, Known.Session);
}

/** Adds edges from the readers of a row to the transaction that wrote a later version. */
function addOverwritten(
  { readerStart, reader, read, node }: SerialVersions,
  known: KnownGraph,
  row: number,
  version: number,
  order: number,
  tick: (steps: number) => void,
): number {
  let added = 0;
  for (let i = readerStart[row]; i < readerStart[row + 1]; i++) {
    if (reader[i] === node[version]) continue;
    known.add(reader[i], node[version], Known.Overwritten, read[i], version, order);
    added++;
  }
  tick(readerStart[row + 1] - readerStart[row]);
  return added;
}

/** Puts the chain of the base before all other chains of its key. */
function addAfterBase(
  versions: SerialVersions,
  chains: Chains,
  known: KnownGraph,
  key: number,
  { beforeBase = null, tick }: SerialOptions,
): void {
  const chain = chains.base[key];
  const row = chain < 0 ? baseRow(versions, key) : tailOf(chains, chain);
  const order = chain < 0 ? Order.Direct : Order.Base;
  if (chain < 0 && versions.readerStart[row] === versions.readerStart[row + 1]) return;
  for (let other = chains.keyStart[key]; other < chains.keyStart[key + 1]; other++) {
    const head = headOf(chains, other);
    if (other === chain || (beforeBase !== null && beforeBase[versions.write[head]] !== 0)) continue;
    const added = addOverwritten(versions, known, row, head, order, tick);
    if (added === 0 && chain >= 0) known.add(versions.node[row], versions.node[head], Known.Written, -1, head, order);
  }
}

/** Adds a constraint for each pair of chains of a key that the known edges leave unordered. */
export function serialConstraints(versions: SerialVersions, chains: Chains, options: SerialOptions): Constraints {
  const constraints = new Constraints();
  const { keyStart, base } = chains;
  for (let key = 0; key < base.length; key++) {
    for (let a = keyStart[key]; a < keyStart[key + 1]; a++) {
      if (a === base[key]) continue;
      for (let b = a + 1; b < keyStart[key + 1]; b++) {
        if (b === base[key]) continue;
        if (options.coalesce) addCoalesced(versions, chains, constraints, a, b);
        else addSeparate(versions, chains, constraints, a, b);
      }
      options.tick(keyStart[key + 1] - a);
    }
  }
  return constraints;
}

/** Adds a single constraint for two chains (Cobra's coalescing): the readers of one tail precede the other head. */
function addCoalesced(versions: SerialVersions, chains: Chains, constraints: Constraints, a: number, b: number): void {
  addSide(versions, constraints, tailOf(chains, a), headOf(chains, b));
  addSide(versions, constraints, tailOf(chains, b), headOf(chains, a));
  constraints.end(a, b);
}

function addSide(versions: SerialVersions, constraints: Constraints, tail: number, head: number): void {
  const { readerStart, reader, read, node } = versions;
  let added = 0;
  for (let i = readerStart[tail]; i < readerStart[tail + 1]; i++) {
    if (reader[i] === node[head]) continue;
    constraints.edge(reader[i], node[head], read[i]);
    added++;
  }
  // Anti-dependencies suffice if there are readers, because the tail precedes them.
  if (added === 0) constraints.edge(node[tail], node[head], -1);
  constraints.endSide();
}

/** Adds a constraint for the two tails and heads, and one for each reader of a tail. */
function addSeparate(versions: SerialVersions, chains: Chains, constraints: Constraints, a: number, b: number): void {
  const { readerStart, reader, read, node } = versions;
  const writes = (c: number, d: number): void => {
    constraints.edge(node[tailOf(chains, c)], node[headOf(chains, d)], -1);
    constraints.endSide();
  };
  writes(a, b);
  writes(b, a);
  constraints.end(a, b);
  for (const [c, d] of [
    [a, b],
    [b, a],
  ] as const) {
    const tail = tailOf(chains, c);
    const head = node[headOf(chains, d)];
    for (let i = readerStart[tail]; i < readerStart[tail + 1]; i++) {
      if (reader[i] === head) continue;
      constraints.edge(reader[i], head, read[i]);
      constraints.endSide();
      writes(d, c);
      constraints.end(c, d);
    }
  }
}

/**
 * Builds the plain polygraph of serializability: no combined writes, and two edges per constraint. Node i is `txns[i]`.
 */
export function plainPolygraph(
  history: History,
  index: ReadFromIndex,
  txns: Int32Array,
  { sessions, tick }: Pick<SerialOptions, 'sessions' | 'tick'>,
): PolygraphInput {
  const versions = new SerialVersionBuilder(history, index).build({ txns, base: null });
  const chains = chainsOf(versions, false);
  const options = { sessions, coalesce: false, tick };
  const known = serialKnownEdges(versions, chains, false, options).ends;
  // Without coalescing, every side has one edge.
  const sides = serialConstraints(versions, chains, options);
  return {
    name: 'history',
    nodes: txns.length,
    edges: inPairs(known.from, known.to, known.count),
    constraints: inPairs(sides.from.items, sides.to.items, 2 * sides.count),
  };
}

function inPairs(from: Int32Array, to: Int32Array, count: number): Int32Array {
  const pairs = new Int32Array(2 * count);
  for (let e = 0; e < count; e++) {
    pairs[2 * e] = from[e];
    pairs[2 * e + 1] = to[e];
  }
  return pairs;
}
