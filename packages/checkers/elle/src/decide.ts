import { type Digraph, topologicalOrder } from '@isolab/graph';
import { NO_TIME, TimeBounds } from '@isolab/history';
import { type DependencyGraph, nodeAt, project, withHubs } from './graph.ts';
import type { Model } from './model.ts';
import type { InferredVersions } from './versions.ts';

/**
 * Decides whether a level holds. Elle's inference may leave version orders open. An order of the transactions settles
 * them, and if every read sees the correct version in this order, the level holds, regardless of the source of the order.
 * The candidate orders contain all edges of the graph. If version orders are total, any of these orders suffices (Adya,
 * section 4.4.2); appends that lists leave open were not read, so any serial order of them suffices.
 */

/** The nodes in an order that contains these relations, or null if they have a cycle. */
export function dependencyOrder(graph: DependencyGraph, relations: number): Int32Array | null {
  const digraph = project(graph, withHubs(relations), 'serial');
  const order = topologicalOrder(digraph);
  return order.length < digraph.numNodes ? null : order.filter((node) => node < graph.numNodes);
}

/** A serial order of the nodes in which every read sees the latest version; null if none is found. */
export function serialOrder(
  model: Model,
  versions: InferredVersions,
  graph: DependencyGraph,
  relations: number,
): Int32Array | null {
  const order = dependencyOrder(graph, relations);
  if (order === null) return null;
  const store = new Store(model, versions);
  for (let i = 0; i < order.length; i++) {
    if (!store.shows(order[i])) return null;
    store.apply(order[i]);
  }
  return order;
}

/** An order in which begins see the latest versions and writers of a key do not overlap; null if none is found. */
export function eventOrder(
  model: Model,
  versions: InferredVersions,
  graph: DependencyGraph,
  relations: number,
): Int32Array | null {
  const digraph = project(graph, withHubs(relations), 'events');
  const order = commitsFirst(digraph, 2 * graph.numNodes);
  if (order === null) return null;
  const store = new Store(model, versions);
  for (let i = 0; i < order.length; i++) {
    const node = nodeAt(order[i], graph.numNodes, 'events');
    if ((order[i] & 1) === 1) store.apply(node);
    else if (!store.shows(node) || !store.open(node)) return null;
  }
  return order;
}

export function eventsOf(order: Int32Array): Int32Array {
  const events = new Int32Array(2 * order.length);
  for (let i = 0; i < order.length; i++) {
    events[2 * i] = 2 * order[i];
    events[2 * i + 1] = 2 * order[i] + 1;
  }
  return events;
}

export const commitsOf = (events: Int32Array): Int32Array =>
  events.filter((event) => (event & 1) === 1).map((event) => event >> 1);

/** The begins and commits in a topological order that commits as early as possible; null if there is a cycle. */
function commitsFirst({ numNodes, start, target }: Digraph, numEvents: number): Int32Array | null {
  const missing = new Int32Array(numNodes);
  for (let i = 0; i < target.length; i++) missing[target[i]]++;
  const order = new Int32Array(numEvents);
  const begins = new Int32Array(numNodes); // a queue
  let numBegins = 0;
  let nextBegin = 0;
  const others: number[] = [];
  const isBegin = (place: number): boolean => place < numEvents && (place & 1) === 0;
  for (let place = 0; place < numNodes; place++) {
    if (missing[place] > 0) continue;
    if (isBegin(place)) begins[numBegins++] = place;
    else others.push(place);
  }
  let count = 0;
  let visited = 0;
  for (;;) {
    const place = others.pop() ?? (nextBegin < numBegins ? begins[nextBegin++] : -1);
    if (place < 0) break;
    visited++;
    if (place < numEvents) order[count++] = place;
    for (let i = start[place]; i < start[place + 1]; i++) {
      const next = target[i];
      if (--missing[next] > 0) continue;
      if (isBegin(next)) begins[numBegins++] = next;
      else others.push(next);
    }
  }
  return visited < numNodes ? null : order;
}

/** The latest version of every key, as transactions are executed one after the other. */
class Store {
  readonly #model: Model;
  readonly #versions: InferredVersions;
  readonly #latest: Int32Array;
  readonly #open: Int32Array; // by key: the open node that will write it, or −1

  constructor(model: Model, versions: InferredVersions) {
    const { numKeys } = versions;
    this.#model = model;
    this.#versions = versions;
    this.#latest = Int32Array.from({ length: numKeys }, (_, key) => key);
    this.#open = new Int32Array(numKeys).fill(-1);
  }

  /** Returns whether a node's reads of other transactions match the current versions. */
  shows(node: number): boolean {
    const { txnStart, opKey } = this.#model.history;
    const { versionRead } = this.#versions;
    const t = this.#model.txnOf[node];
    for (let op = txnStart[t], end = txnStart[t + 1]; op < end; op++) {
      if (versionRead[op] >= 0 && this.#latest[opKey[op]] !== versionRead[op]) return false;
    }
    return true;
  }

  /** Reserves the keys that a node will write; false if another open node has reserved one of them. */
  open(node: number): boolean {
    const { key, left } = this.#versions;
    const { start, target } = left;
    for (let i = start[node]; i < start[node + 1]; i++) {
      const k = key[target[i]];
      if (this.#open[k] >= 0 && this.#open[k] !== node) return false;
      this.#open[k] = node;
    }
    return true;
  }

  apply(node: number): void {
    const { key, left } = this.#versions;
    const { start, target } = left;
    for (let i = start[node]; i < start[node + 1]; i++) {
      this.#latest[key[target[i]]] = target[i];
      this.#open[key[target[i]]] = -1;
    }
  }
}

/** Returns whether begins and commits respect the real-time order of strong snapshot isolation. */
export function respectsRealTime({ history, txnOf }: Model, events: Int32Array): boolean {
  const bounds = new TimeBounds(history);
  const isBefore = (latest: bigint, earliest: bigint): boolean =>
    latest !== NO_TIME && earliest !== NO_TIME && latest < earliest;
  const first = (time: bigint, other: bigint): bigint =>
    time === NO_TIME || (other !== NO_TIME && other < time) ? other : time;
  let begin = NO_TIME; // minimum, from the end, of the latest times of the visited begins
  let commit = NO_TIME; // and of the visited commits
  for (let i = events.length - 1; i >= 0; i--) {
    const t = txnOf[events[i] >> 1];
    if ((events[i] & 1) === 1) {
      const at = bounds.earliestCommit(t);
      if (isBefore(begin, at) || isBefore(commit, at)) return false;
      commit = first(commit, bounds.latestCommit(t));
    } else {
      if (isBefore(commit, bounds.earliestBegin(t))) return false;
      begin = first(begin, bounds.latestBegin(t));
    }
  }
  return true;
}
