import { EdgeColumns, positions, reversed, topologicalOrder } from '@isolab/graph';
import { BitRows, Decision, Known, type Polygraph, type Regions, type SerialVersions, tailOf } from '@isolab/polygraph';
import { chosenEdges } from '../polygraph/decide.ts';
import type { Problem } from '../polygraph/problem.ts';
import type { Window } from './window.ts';

export interface Decided {
  readonly problem: Problem;
  readonly polygraph: Polygraph;
  readonly regions: Regions;
  readonly decisions: Uint8Array;
  /** 1 for each settled node. */
  readonly settled: Uint8Array;
  /** States that no further transaction will arrive, so that all can be removed. */
  readonly isLast: boolean;
}

/**
 * Garbage collection: removes settled transactions without dependants, and remembers their effects.
 * A component of the superposition can be removed if all its transactions are settled and no later transaction can read
 * a version that one of its open constraints concerns, because a settled transaction has overwritten the version. Then
 * the solver's decisions of these constraints are as good as all others. A later edge that closes a cycle with them
 * also closes a cycle without them.
 */
export function collect(
  decided: Decided,
  window: Window,
  kept: EdgeColumns | null,
  tick: (steps: number) => void,
): number {
  const { polygraph, problem, settled } = decided;
  const { txnOf } = problem.versions;
  const graph = polygraph.known.ends.digraph(polygraph.numNodes);
  const reach = new BitRows(graph, topologicalOrder(graph), tick);
  const goes = whoGoes(decided, reach, window, tick);
  if (kept) rememberEdges(decided, goes, kept);
  rememberVersions(decided, goes, reach, window);

  const isPast = whoIsPast(decided);
  const stays = new Uint8Array(polygraph.numNodes);
  window.live = [];
  for (let n = 0; n < txnOf.length; n++) {
    if (goes[n]) {
      window.letGo(txnOf[n]);
      continue;
    }
    stays[n] = 1;
    window.live.push(txnOf[n]);
    window.isPast[txnOf[n]] = isPast[n] | settled[n];
  }
  window.shortcuts = new EdgeColumns();
  reach.reduced(stays, (from, to) => window.shortcuts.add(txnOf[from], txnOf[to]), tick);
  return txnOf.length - window.live.length;
}

function whoGoes(decided: Decided, reach: BitRows, window: Window, tick: (steps: number) => void): Uint8Array {
  const { polygraph, problem, regions, settled } = decided;
  if (decided.isLast) return new Uint8Array(settled.length).fill(1);
  const { constraints } = polygraph;
  const { component } = regions;
  const stays = new Uint8Array(polygraph.numNodes); // by component; there are at most as many components as nodes
  for (let n = 0; n < settled.length; n++) if (!settled[n]) stays[component[n]] = 1;
  const isOverwritten = overwrittenBySettled(decided, reach, window);
  for (let c = 0; c < constraints.count; c++) {
    if (constraints.decision.items[c] !== Decision.Open) continue;
    tick(1);
    const { first, second } = constraints;
    const tails = [tailOf(problem.chains, first.items[c]), tailOf(problem.chains, second.items[c])];
    if (tails.every(isOverwritten)) continue;
    for (let e = constraints.start[2 * c]; e < constraints.start[2 * c + 2]; e++) {
      stays[component[constraints.from.items[e]]] = 1;
      stays[component[constraints.to.items[e]]] = 1;
    }
  }
  return settled.map((_, n) => (stays[component[n]] ? 0 : 1));
}

/** Returns whether a version certainly precedes a version of a settled transaction. */
function overwrittenBySettled(
  { problem, settled }: Decided,
  reach: BitRows,
  window: Window,
): (version: number) => boolean {
  const { node, key, keyStart, write } = problem.versions;
  const known = new Map<number, boolean>();
  const find = (version: number): boolean => {
    if (window.beforeBase[write[version]]) return true;
    for (let v = keyStart[key[version]]; v < keyStart[key[version] + 1]; v++)
      if (settled[node[v]] && reach.has(node[version], node[v])) return true;
    return false;
  };
  return (version) => {
    const before = known.get(version);
    if (before !== undefined) return before;
    const found = find(version);
    known.set(version, found);
    return found;
  };
}

/** Keeps known and chosen edges for the certificate; some of them follow from versions in the window. */
function rememberEdges({ polygraph, problem, decisions }: Decided, goes: Uint8Array, kept: EdgeColumns): void {
  const { known, numNodes } = polygraph;
  const { txnOf } = problem.versions;
  const gate = numNodes - 1;
  const chosen = chosenEdges(polygraph, decisions);
  for (let e = 0; e < chosen.count; e++) {
    const from = chosen.from[e];
    const to = chosen.to[e];
    const isKnown = e < known.count;
    if (from === gate || to === gate || (isKnown ? known.kind.items[e] === Known.Shortcut : !goes[from])) continue;
    kept.add(txnOf[from], txnOf[to]);
  }
}

/** The latest removed version of a key becomes its base. */
function rememberVersions(
  { polygraph, problem, decisions }: Decided,
  goes: Uint8Array,
  reach: BitRows,
  window: Window,
): void {
  const { versions } = problem;
  const { node, key, keyStart, write, txnOf } = versions;
  const order = topologicalOrder(chosenEdges(polygraph, decisions).digraph(polygraph.numNodes));
  const position = positions(order, polygraph.numNodes);
  for (const v of leaving(versions, goes).toSorted((a, b) => position[node[a]] - position[node[b]])) {
    if (window.beforeBase[write[v]]) continue;
    window.base[key[v]] = txnOf[node[v]];
    for (let u = keyStart[key[v]]; u < keyStart[key[v] + 1]; u++)
      if (!goes[node[u]] && reach.has(node[u], node[v])) window.beforeBase[write[u]] = 1;
  }
}

function leaving({ node }: SerialVersions, goes: Uint8Array): Int32Array {
  const found: number[] = [];
  for (let v = 0; v < node.length; v++) if (goes[node[v]]) found.push(v);
  return Int32Array.from(found);
}

/** The nodes that reach a settled node, or the gate. */
function whoIsPast({ polygraph, settled }: Decided): Uint8Array {
  const { known, numNodes } = polygraph;
  const { start, target } = reversed(known.ends.digraph(numNodes));
  const met = new Uint8Array(numNodes);
  const pending = [numNodes - 1];
  for (let n = 0; n < settled.length; n++) if (settled[n]) pending.push(n);
  for (const n of pending) met[n] = 1;
  for (let n = pending.pop(); n !== undefined; n = pending.pop()) {
    for (let i = start[n]; i < start[n + 1]; i++) {
      if (met[target[i]]) continue;
      met[target[i]] = 1;
      pending.push(target[i]);
    }
  }
  return met;
}
