import { type History, NO_TIME, type OperationId, isEarlierStatement } from '@isolab/history';
import { type BaseRelation, levelSelectedBy } from '@isolab/levels';
import { isSelected } from './selected.ts';
import { refusePredicates } from './predicates.ts';
import { refuse } from '../verdict/flaw.ts';
import { callOf, returnOf, timeFrom, timeTo } from '../facts/real-time.ts';
import { NO_READ, NO_WRITER, type World, rowOf } from './world.ts';

// Represents each relation in a world by edges from node `a` + x to node `b` + y for each of its pairs. Relations that
// include all elements after some position of a sequence use intermediate nodes.

/** A growing graph of nodes and edges. */
export class Edges {
  from = new Int32Array(1024);
  to = new Int32Array(1024);
  count = 0;
  numNodes = 0;
  /** Whether edges are added in the inverse direction. */
  isInverse = false;

  nodes(count: number): number {
    this.numNodes += count;
    return this.numNodes - count;
  }

  add(from: number, to: number): void {
    if (this.count === this.from.length) {
      if (this.count > MOST_EDGES) refuse('it takes too many steps to verify');
      const [from2, to2] = [new Int32Array(2 * this.count), new Int32Array(2 * this.count)];
      from2.set(this.from);
      to2.set(this.to);
      this.from = from2;
      this.to = to2;
    }
    this.from[this.count] = this.isInverse ? to : from;
    this.to[this.count++] = this.isInverse ? from : to;
  }
}

const MOST_EDGES = 200_000_000;

/** Number of nodes of a sort. The initial transaction and its events come last. */
export const sizeOf = ({ history }: World, sort: string): number => {
  const n = history.txnStatus.length;
  return sort === 'transaction' ? n + 1 : sort === 'event' ? 2 * n + 2 : history.opKind.length;
};

export function exists(world: World, sort: string, node: number): boolean {
  const n = world.history.txnStatus.length;
  if (sort === 'read') return world.from[node] !== NO_READ;
  const t = sort === 'event' ? node >> 1 : node;
  return t === n || world.happened[t] === 1;
}

/** A world, and the nodes that the edges of a relation connect. */
interface Layers {
  readonly edges: Edges;
  readonly world: World;
  readonly a: number;
  readonly b: number;
}

export function addRelation(layers: Layers, name: BaseRelation): void {
  const { edges, world, a, b } = layers;
  const { history } = world;
  const n = history.txnStatus.length;
  switch (name) {
    case 'so':
      return addSessions(layers);
    case 'rt':
      return addTimes(layers, returnOf, callOf, n);
    case 'time':
      return addTimes(layers, timeFrom, timeTo, 2 * n);
    case 'ww':
      return addVersions(layers);
    case 'rw':
    case 'missed':
      return addOverwrites(layers, name === 'rw');
    case 'co':
      return addChain(layers, world.commits, [a + n]);
    case 'before':
      edges.add(a + 2 * n, b + 2 * n + 1);
      return addChain(layers, world.events, [a + 2 * n, a + 2 * n + 1]);
    case 'conflict':
      return addConflicts(layers);
    case 'same-key':
      return addSame(layers, (op) => String(history.opKey[op]));
    case 'same-value':
      return addSame(layers, (op) => `${history.opKey[op]} ${world.shown[op]}`);
    case 'wr':
    case 'seen':
    case 'reads':
    case 'po':
      return addReads(layers, name);
    default:
      return addOwn(layers, name);
  }
}

/** Adds a chain of nodes, each with an edge to its item and to the next node. */
function addLine({ edges, b }: Layers, items: Int32Array): number {
  const line = edges.nodes(items.length);
  for (let i = 0; i < items.length; i++) {
    edges.add(line + i, b + items[i]);
    if (i + 1 < items.length) edges.add(line + i, line + i + 1);
  }
  return line;
}

/** Adds edges from each item to all later items, and from the `first` nodes to all items. */
function addChain(layers: Layers, items: Int32Array, first: readonly number[] = []): void {
  const { edges, a } = layers;
  const line = addLine(layers, items);
  if (items.length > 0) for (const node of first) edges.add(node, line);
  for (let i = 0; i + 1 < items.length; i++) edges.add(a + items[i], line + i + 1);
}

/** Adds edges from each read of a transaction to all reads of its later statements. */
function addStatements({ edges, world, a, b }: Layers, reads: Int32Array): void {
  const line = edges.nodes(reads.length + 1);
  let next = reads.length; // first read of the next statement
  for (let i = reads.length - 1; i >= 0; i--) {
    edges.add(line + i, b + reads[i]);
    if (i + 1 < reads.length) edges.add(line + i, line + i + 1);
    if (i + 1 < reads.length && isEarlierStatement(world.history, reads[i], reads[i + 1])) next = i + 1;
    if (next < reads.length) edges.add(a + reads[i], line + next);
  }
}

function addSessions(layers: Layers): void {
  const { history, happened } = layers.world;
  const { sessionStart } = history;
  for (let s = 0; s + 1 < sessionStart.length; s++) {
    const members: number[] = [];
    for (let t = sessionStart[s]; t < sessionStart[s + 1]; t++) if (happened[t] === 1) members.push(t);
    addChain(layers, Int32Array.from(members));
  }
}

type TimeOf = (history: History, node: number) => bigint;

function addTimes(layers: Layers, leavesAt: TimeOf, arrivesAt: TimeOf, numNodes: number): void {
  const { edges, world, a } = layers;
  const leaves = (node: number): bigint => leavesAt(world.history, node);
  const arrives = (node: number): bigint => arrivesAt(world.history, node);
  const perTxn = numNodes / Math.max(1, world.history.txnStatus.length);
  const nodes = Array.from({ length: numNodes }, (_, node) => node).filter(
    (node) => world.happened[Math.floor(node / perTxn)] === 1,
  );
  const compare = (x: bigint, y: bigint): number => (x < y ? -1 : x > y ? 1 : 0);
  const later = nodes.filter((node) => arrives(node) !== NO_TIME).toSorted((x, y) => compare(arrives(x), arrives(y)));
  const earlier = nodes.filter((node) => leaves(node) !== NO_TIME).toSorted((x, y) => compare(leaves(x), leaves(y)));
  const line = addLine(layers, Int32Array.from(later));
  let at = 0;
  for (const node of earlier) {
    while (at < later.length && arrives(later[at]!) <= leaves(node)) at++;
    if (at < later.length) edges.add(a + node, line + at);
  }
}

function addVersions(layers: Layers): void {
  const { versions, history } = layers.world;
  for (let key = 0; key + 1 < versions.start.length; key++) {
    const items = versions.item.subarray(versions.start[key], versions.start[key + 1]);
    addChain(layers, items, [layers.a + history.txnStatus.length]);
  }
}

function addOverwrites({ edges, world, a, b }: Layers, byTransaction: boolean): void {
  const { versions, history, from, txnOf, keys, placeOfVersion } = world;
  const line = edges.nodes(versions.item.length);
  for (let key = 0; key + 1 < versions.start.length; key++)
    for (let i = versions.start[key]; i < versions.start[key + 1]; i++) {
      edges.add(line + i, b + versions.item[i]);
      if (i + 1 < versions.start[key + 1]) edges.add(line + i, line + i + 1);
    }
  for (let op = 0; op < from.length; op++) {
    if (from[op] <= NO_WRITER) continue;
    const key = history.opKey[op];
    const node = a + (byTransaction ? txnOf[op] : op);
    let first = from[op] < 0 ? versions.start[key] : placeOfVersion[rowOf(keys, from[op], key)] + 1;
    const own = rowOf(keys, txnOf[op], key);
    if (own >= 0 && placeOfVersion[own] >= first) {
      for (; first < placeOfVersion[own]; first++) edges.add(node, b + versions.item[first]);
      first++;
    }
    if (first < versions.start[key + 1]) edges.add(node, line + first);
  }
}

/** Adds edges from each writer of a key to all other writers of the key. */
function addConflicts(layers: Layers): void {
  const { versions } = layers.world;
  for (let key = 0; key + 1 < versions.start.length; key++) {
    const items = versions.item.subarray(versions.start[key], versions.start[key + 1]);
    addChain(layers, items);
    addChain(layers, items.toReversed());
  }
}

function addSame({ edges, world, a, b }: Layers, group: (op: OperationId) => string): void {
  const hubs = new Map<string, number>();
  for (let op = 0; op < world.from.length; op++) {
    if (world.from[op] === NO_READ) continue;
    let hub = hubs.get(group(op));
    if (hub === undefined) hubs.set(group(op), (hub = edges.nodes(1)));
    edges.add(a + op, hub);
    edges.add(hub, b + op);
  }
}

function addReads(layers: Layers, name: string): void {
  const { edges, world, a, b } = layers;
  const { from, txnOf, history } = world;
  const n = history.txnStatus.length;
  if (name === 'po') {
    const all = Int32Array.from(from.keys()).filter((op) => from[op] !== NO_READ);
    for (let i = 0; i < all.length;) {
      let end = i + 1;
      while (end < all.length && txnOf[all[end]] === txnOf[all[i]]) end++;
      addStatements(layers, all.subarray(i, end));
      i = end;
    }
    return;
  }
  for (let op = 0; op < from.length; op++) {
    if (from[op] === NO_READ) continue;
    if (name === 'reads') edges.add(a + txnOf[op], b + op);
    else if (from[op] !== NO_WRITER) edges.add(a + (from[op] < 0 ? n : from[op]), b + (name === 'wr' ? txnOf[op] : op));
  }
}

/** Adds relations between a transaction or event and itself, or its events. */
function addOwn({ edges, world, a, b }: Layers, name: BaseRelation): void {
  const n = world.history.txnStatus.length;
  const selected = levelSelectedBy(name);
  if (selected !== null) {
    const sort = selected.isOfReads ? 'read' : 'transaction';
    const count = selected.isOfReads ? world.from.length : n;
    for (let v = 0; v < count; v++)
      if (exists(world, sort, v) && isSelected(world.history, name, v, world.txnOf)) edges.add(a + v, b + v);
    return;
  }
  if (name === '[predicate]') return refusePredicates(world.history);
  for (let t = name === '[initial]' ? n : 0; t <= n; t++) {
    if (t < n && world.happened[t] === 0) continue;
    if (name === '[writer]' && t < n && world.isWriter[t] === 0) continue;
    if (name === '[initial]' || name === '[writer]') edges.add(a + t, b + t);
    else if (name === 'begin') edges.add(a + t, b + 2 * t);
    else if (name === 'commit') edges.add(a + t, b + 2 * t + 1);
    else if (name === '[begin]') edges.add(a + 2 * t, b + 2 * t);
    else if (name === '[commit]') edges.add(a + 2 * t + 1, b + 2 * t + 1);
    else refuse(`there is no relation ${name}`);
  }
}
