import type { History } from '@isolab/history';
import type { LevelName } from '@isolab/contract';
import { type PartFacts, INITIAL } from './facts.ts';
import { closureOf, emptyRelation, relate, relates } from './relation.ts';
import type { World } from './weak.ts';

// The strong levels, decided by dependency graphs. A level holds if, for some order of each key's writers, the level's
// graph has no cycle. The nodes are begins and commits, or whole transactions for serial levels.

export interface StrongModel {
  /**
   * Whether begin and commit are separate events, and whether one of two writers must commit before the other begins.
   */
  readonly events: 'one' | 'two' | 'two-exclusive';
  readonly sessions: boolean;
  readonly realTime: 'none' | 'returned' | 'commits' | 'snapshots';
  /** Checks each key separately. */
  readonly byKey?: true;
}

const serial = (sessions: boolean, realTime: StrongModel['realTime']): StrongModel => ({
  events: 'one',
  sessions,
  realTime,
});
const snapshot = (sessions: boolean, realTime: StrongModel['realTime']): StrongModel => ({
  events: 'two-exclusive',
  sessions,
  realTime,
});

export const STRONG_MODELS = {
  prefix: { events: 'two', sessions: true, realTime: 'none' },
  'adya-snapshot-isolation': snapshot(false, 'none'),
  'generalized-snapshot-isolation': snapshot(false, 'commits'),
  'snapshot-isolation': snapshot(true, 'none'),
  'strong-session-snapshot-isolation': snapshot(true, 'commits'),
  'strong-snapshot-isolation': snapshot(true, 'snapshots'),
  'plain-serializable': serial(false, 'none'),
  serializable: serial(true, 'none'),
  'strict-serializable': serial(true, 'returned'),
  linearizable: { ...serial(true, 'returned'), byKey: true },
} as const satisfies Partial<Record<LevelName, StrongModel>>;

export type StrongLevel = keyof typeof STRONG_MODELS;

/** Order of the writers of each key. */
export type WriteOrder = ReadonlyMap<number, readonly number[]>;

/**
 * Returns all write orders that agree with lists and with reads of overwritten versions; null if there are too many.
 * Keys that the same transactions write, such as a row and its matches with predicates, share one order, because two
 * different orders make a cycle of writes in every execution. The orders may differ only where each key is checked
 * separately.
 */
export function writeOrders(world: World): WriteOrder[] | null {
  const { facts } = world;
  if (facts.txns.length > MAX_TXNS) return null;
  const fixed = new Map<number, readonly number[]>();
  let chosen: WriteOrder[] = [new Map()];
  for (const [writers, keys] of keysByWriters(facts)) {
    const arranged = ordersOf(world, writers, keys);
    if (arranged === null || arranged.length * chosen.length > MAX_ORDERS) return null;
    // Most keys have a single order, which is not copied into thousands of maps.
    if (arranged.length === 1) for (const key of keys) fixed.set(key, arranged[0]!);
    else
      chosen = chosen.flatMap((order) =>
        arranged.map((one) => new Map([...order, ...keys.map((key) => [key, one] as const)])),
      );
  }
  return chosen.map((order) => new Map([...fixed, ...order]));
}

function keysByWriters({ writers }: PartFacts): (readonly [writers: readonly number[], keys: number[]])[] {
  const found = new Map<string, readonly [readonly number[], number[]]>();
  for (const [key, all] of writers) {
    const known = found.get(all.join());
    if (known === undefined) found.set(all.join(), [all, [key]]);
    else known[1].push(key);
  }
  return [...found.values()];
}

/**
 * Returns the orders of the writers of some keys, as known from lists and from transactions that read and overwrite a
 * version.
 */
function ordersOf({ facts, from }: World, writers: readonly number[], keys: readonly number[]): number[][] | null {
  const order = emptyRelation(facts.txns.length);
  for (const version of facts.versions) if (keys.includes(version.key)) relate(order, version.first, version.second);
  facts.reads.forEach((read, i) => {
    if (from[i] !== INITIAL && keys.includes(read.key)) relate(order, from[i]!, read.reader);
  });
  const before = closureOf(order);
  return arrangements(writers, (a, b) => relates(before, a, b));
}

/** Returns the orders of some elements that respect a relation; null if there are too many. */
function arrangements(elements: readonly number[], mustPrecede: (a: number, b: number) => boolean): number[][] | null {
  let found: number[][] = [[]];
  for (let length = 0; length < elements.length; length++) {
    found = found.flatMap((begun) => {
      const left = elements.filter((e) => !begun.includes(e));
      return left.filter((e) => !left.some((other) => other !== e && mustPrecede(other, e))).map((e) => [...begun, e]);
    });
    if (found.length > MAX_ORDERS) return null;
  }
  return found;
}

/** Returns whether some write order leaves the level's graph without a cycle; null if there are too many to try. */
export function satisfiesStrong(world: World, level: StrongLevel, orders: readonly WriteOrder[]): boolean | null {
  const model: StrongModel = STRONG_MODELS[level];
  if (model.byKey !== true) return orders.some((order) => !hasCycle(graphOf(world, level, order, null)));
  const { writers, reads } = world.facts;
  let holds: boolean | null = true;
  for (const key of new Set([...writers.keys(), ...reads.map((read) => read.key)])) {
    const arranged = ordersOf(world, writers.get(key) ?? [], [key]);
    if (arranged === null) holds = null;
    else if (!arranged.some((one) => !hasCycle(graphOf(world, level, new Map([[key, one]]), key)))) return false;
  }
  return holds;
}

/** Includes reads whose result is unknown, because their transaction happened anyway. */
const hasKey = ({ txnStart, opKey }: History, t: number, key: number): boolean =>
  opKey.subarray(txnStart[t], txnStart[t + 1]).includes(key);

/** The edges of a level's graph, with a mark on anti-dependencies. */
interface Graph {
  readonly size: number;
  readonly from: number[];
  readonly to: number[];
  readonly isAnti: boolean[];
}

function graphOf({ facts, from }: World, level: StrongLevel, order: WriteOrder, onlyKey: number | null): Graph {
  const model: StrongModel = STRONG_MODELS[level];
  const { txns, session, reads } = facts;
  const two = model.events !== 'one';
  const begin = (t: number): number => (two ? 2 * t : t);
  const commit = (t: number): number => (two ? 2 * t + 1 : t);
  const graph: Graph = { size: two ? 2 * txns.length : txns.length, from: [], to: [], isAnti: [] };
  const add = (a: number, b: number, anti = false): void => {
    graph.from.push(a);
    graph.to.push(b);
    graph.isAnti.push(anti);
  };
  const counts = (t: number): boolean => onlyKey === null || hasKey(facts.history, txns[t]!, onlyKey);
  for (let a = 0; a < txns.length; a++) {
    if (!counts(a)) continue;
    if (two) add(begin(a), commit(a));
    for (let b = 0; b < txns.length; b++) {
      if (a === b || !counts(b)) continue;
      if (model.sessions && a < b && session[a] === session[b]) add(commit(a), begin(b));
      realTimeEdges(facts, model.realTime, a, b, (leaves, arrives) =>
        add(leaves === 'begin' ? begin(a) : commit(a), arrives === 'begin' ? begin(b) : commit(b)),
      );
    }
  }
  for (const [key, writers] of order) {
    if (onlyKey !== null && key !== onlyKey) continue;
    for (let i = 1; i < writers.length; i++)
      add(commit(writers[i - 1]), model.events === 'two' ? commit(writers[i]) : begin(writers[i]));
  }
  reads.forEach(({ reader, key }, i) => {
    if (onlyKey !== null && key !== onlyKey) return;
    if (from[i] !== INITIAL) add(commit(from[i]), begin(reader));
    if (facts.misses?.[key] === 1) return;
    const writers = order.get(key) ?? [];
    for (const later of writers.slice(writers.indexOf(from[i]) + 1))
      if (later !== reader) add(begin(reader), commit(later), true);
  });
  return graph;
}

type Ends = (leaves: 'begin' | 'commit', arrives: 'begin' | 'commit') => void;

function realTimeEdges(facts: PartFacts, asked: StrongModel['realTime'], a: number, b: number, add: Ends): void {
  const [began, ended] = [facts.begunBy[a], facts.end[a]];
  const [begins, commits] = [facts.begin[b], facts.commitsAfter[b]];
  const isBefore = (one: bigint | null, other: bigint | null): boolean => one !== null && other !== null && one < other;
  if ((asked === 'returned' || asked === 'snapshots') && isBefore(ended, begins)) add('commit', 'begin');
  if (asked !== 'commits' && asked !== 'snapshots') return;
  if (isBefore(began, commits)) add('begin', 'commit');
  if (isBefore(ended, commits)) add('commit', 'commit');
}

const hasCycle = (graph: Graph): boolean => fewestAntis(graph) !== null;

/** Returns the least number of anti-dependencies in any cycle; null if there is no cycle. */
function fewestAntis({ size, from, to, isAnti }: Graph): number | null {
  const cost = new Uint8Array(size * size).fill(FAR);
  for (let e = 0; e < from.length; e++) {
    const at = from[e] * size + to[e];
    cost[at] = Math.min(cost[at], isAnti[e] ? 1 : 0);
  }
  for (let k = 0; k < size; k++) {
    for (let i = 0; i < size; i++) {
      const first = cost[i * size + k];
      if (first === FAR) continue;
      for (let j = 0; j < size; j++) cost[i * size + j] = Math.min(cost[i * size + j], first + cost[k * size + j]);
    }
  }
  let fewest = FAR;
  for (let i = 0; i < size; i++) fewest = Math.min(fewest, cost[i * size + i]);
  return fewest === FAR ? null : fewest;
}

/**
 * Returns the least number of anti-dependencies that suffices for a cycle under every write order. Each order has a
 * cycle.
 */
export function antisNeeded(world: World, level: StrongLevel, orders: readonly WriteOrder[]): number {
  return Math.max(...orders.map((order) => fewestAntis(graphOf(world, level, order, null)) ?? 0));
}

/**
 * Returns whether an order of the writes satisfies snapshot isolation, and satisfies serializability once a transaction
 * without writes is left out. The order is that of all transactions: a transaction that only shows it does not count.
 */
export function isReadOnlyAnomaly(world: World, orders: readonly WriteOrder[]): boolean {
  const { txns, writers } = world.facts;
  const writing = new Set([...writers.values()].flat());
  const reading = txns.flatMap((_, t) => (writing.has(t) ? [] : [t]));
  const allowed = orders.filter((order) => !hasCycle(graphOf(world, 'adya-snapshot-isolation', order, null)));
  return allowed.some((order) => {
    const graph = graphOf(world, 'plain-serializable', order, null);
    return hasCycle(graph) && reading.some((t) => !hasCycle(without(graph, t)));
  });
}

function without({ size, from, to, isAnti }: Graph, node: number): Graph {
  const kept = from.flatMap((a, e) => (a === node || to[e] === node ? [] : [e]));
  return { size, from: kept.map((e) => from[e]!), to: kept.map((e) => to[e]!), isAnti: kept.map((e) => isAnti[e]!) };
}

const MAX_TXNS = 15;
const MAX_ORDERS = 3000;
const FAR = 100;
