import { NO_TIME } from '@isolab/history';
import type { BaseRelation } from '@isolab/levels';
import { refusePredicates } from './predicates.ts';
import { refuse } from '../verdict/flaw.ts';
import { callOf, returnOf, timeFrom, timeTo } from '../facts/real-time.ts';
import { NO_READ, NO_WRITER, type World, rowOf } from './world.ts';

// Each relation in a world, as edges from a node `a` + x to a node `b` + y for each of its pairs; through nodes in between
// where whatever lies beyond some place of a line belongs to it.

/** Edges that grow in number, and nodes. */
export class Edges {
  from = new Int32Array(1024);
  to = new Int32Array(1024);
  count = 0;
  numNodes = 0;
  /** Whether relations are put in backwards. */
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

/** Number of nodes that a sort has: the initial transaction, and its events, come last. */
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

export function addRelation(edges: Edges, world: World, name: BaseRelation, a: number, b: number): void {
  const { history } = world;
  const n = history.txnStatus.length;
  switch (name) {
    case 'so':
      return addSessions(edges, world, a, b);
    case 'rt':
      return addTimes(
        edges,
        world,
        a,
        b,
        (t) => returnOf(history, t),
        (t) => callOf(history, t),
        n,
      );
    case 'time':
      return addTimes(
        edges,
        world,
        a,
        b,
        (e) => timeFrom(history, e),
        (e) => timeTo(history, e),
        2 * n,
      );
    case 'ww':
      return addVersions(edges, world, a, b);
    case 'rw':
    case 'missed':
      return addOverwrites(edges, world, name === 'rw', a, b);
    case 'co': {
      const line = addLine(edges, world.commits, b);
      return addPlaces(edges, world.commits, a, line, [a + n]);
    }
    case 'before': {
      const line = addLine(edges, world.events, b);
      edges.add(a + 2 * n, b + 2 * n + 1);
      return addPlaces(edges, world.events, a, line, [a + 2 * n, a + 2 * n + 1]);
    }
    case 'conflict':
      return addConflicts(edges, world, a, b);
    case 'same-key':
      return addSame(edges, world, (op) => String(world.history.opKey[op]), a, b);
    case 'same-value':
      return addSame(edges, world, (op) => `${world.history.opKey[op]} ${world.shown[op]}`, a, b);
    case 'wr':
    case 'seen':
    case 'reads':
    case 'po':
      return addReads(edges, world, name, a, b);
    default:
      return addOwn(edges, world, name, a, b);
  }
}

/** Nodes in a row; each leads to its item and to the next node. */
function addLine(edges: Edges, items: Int32Array, b: number): number {
  const line = edges.nodes(items.length);
  for (let i = 0; i < items.length; i++) {
    edges.add(line + i, b + items[i]);
    if (i + 1 < items.length) edges.add(line + i, line + i + 1);
  }
  return line;
}

/** Each item leads to the place behind its own; some nodes to the first place. */
function addPlaces(edges: Edges, items: Int32Array, a: number, line: number, first: readonly number[]): void {
  if (items.length > 0) for (const node of first) edges.add(node, line);
  for (let i = 0; i + 1 < items.length; i++) edges.add(a + items[i], line + i + 1);
}

function addSessions(edges: Edges, { history, happened }: World, a: number, b: number): void {
  const { sessionStart } = history;
  for (let s = 0; s + 1 < sessionStart.length; s++) {
    const members: number[] = [];
    for (let t = sessionStart[s]; t < sessionStart[s + 1]; t++) if (happened[t] === 1) members.push(t);
    const items = Int32Array.from(members);
    addPlaces(edges, items, a, addLine(edges, items, b), []);
  }
}

function addTimes(
  edges: Edges,
  world: World,
  a: number,
  b: number,
  leaves: (node: number) => bigint,
  arrives: (node: number) => bigint,
  numNodes: number,
): void {
  const perTxn = numNodes / Math.max(1, world.history.txnStatus.length);
  const nodes = Array.from({ length: numNodes }, (_, node) => node).filter(
    (node) => world.happened[Math.floor(node / perTxn)] === 1,
  );
  const compare = (x: bigint, y: bigint): number => (x < y ? -1 : x > y ? 1 : 0);
  const later = nodes.filter((node) => arrives(node) !== NO_TIME).toSorted((x, y) => compare(arrives(x), arrives(y)));
  const earlier = nodes.filter((node) => leaves(node) !== NO_TIME).toSorted((x, y) => compare(leaves(x), leaves(y)));
  const line = addLine(edges, Int32Array.from(later), b);
  let at = 0;
  for (const node of earlier) {
    while (at < later.length && arrives(later[at]!) <= leaves(node)) at++;
    if (at < later.length) edges.add(a + node, line + at);
  }
}

function addVersions(edges: Edges, world: World, a: number, b: number): void {
  const { versions, history } = world;
  for (let key = 0; key + 1 < versions.start.length; key++) {
    const items = versions.item.subarray(versions.start[key], versions.start[key + 1]);
    addPlaces(edges, items, a, addLine(edges, items, b), [a + history.txnStatus.length]);
  }
}

function addOverwrites(edges: Edges, world: World, byTransaction: boolean, a: number, b: number): void {
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

/** To all writers of a key but oneself: those on the one side, and those on the other. */
function addConflicts(edges: Edges, { versions }: World, a: number, b: number): void {
  for (let key = 0; key + 1 < versions.start.length; key++) {
    const items = versions.item.subarray(versions.start[key], versions.start[key + 1]);
    addPlaces(edges, items, a, addLine(edges, items, b), []);
    const back = items.toReversed();
    addPlaces(edges, back, a, addLine(edges, back, b), []);
  }
}

function addSame(edges: Edges, world: World, group: (op: number) => string, a: number, b: number): void {
  const hubs = new Map<string, number>();
  for (let op = 0; op < world.from.length; op++) {
    if (world.from[op] === NO_READ) continue;
    let hub = hubs.get(group(op));
    if (hub === undefined) hubs.set(group(op), (hub = edges.nodes(1)));
    edges.add(a + op, hub);
    edges.add(hub, b + op);
  }
}

function addReads(edges: Edges, { from, txnOf, history }: World, name: string, a: number, b: number): void {
  const n = history.txnStatus.length;
  if (name === 'po') {
    const all = Int32Array.from(from.keys()).filter((op) => from[op] !== NO_READ);
    for (let i = 0; i < all.length;) {
      let end = i + 1;
      while (end < all.length && txnOf[all[end]] === txnOf[all[i]]) end++;
      const items = all.subarray(i, end);
      addPlaces(edges, items, a, addLine(edges, items, b), []);
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

/** Relations between a transaction or event and itself, or its events. */
function addOwn(edges: Edges, world: World, name: BaseRelation, a: number, b: number): void {
  const n = world.history.txnStatus.length;
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
