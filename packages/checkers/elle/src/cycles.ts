import { cyclicComponents, topologicalOrder } from '@isolab/graph';
import { type DependencyGraph, type Layout, Relation, nodeAt, project, withHubs } from './graph.ts';
import type { LevelRule } from './levels.ts';
import { type Cycle, searchComponent } from './search.ts';

const layoutOf = ({ cycles }: LevelRule): Layout => (cycles === 'nonadjacent' ? 'events' : 'serial');

export const relationsOf = ({ cycles, process, realTime }: LevelRule): number =>
  Relation.WW |
  Relation.WR |
  (cycles === 'dependencies' ? 0 : Relation.RW) |
  (process ? Relation.Process : 0) |
  (realTime ? Relation.RealTime : 0);

/** A short forbidden cycle of each kind in each component, or only the first cycle found, smallest component first. */
export function findCycles(
  graph: DependencyGraph,
  rule: LevelRule,
  { findAll, tick }: { readonly findAll: boolean; readonly tick: (steps: number) => void },
): Cycle[] {
  const layout = layoutOf(rule);
  const whole = project(graph, withHubs(relationsOf(rule)), layout);
  tick(whole.numNodes + whole.target.length);
  if (topologicalOrder(whole).length === whole.numNodes) return [];

  let found = cyclicComponents(whole);
  if (!findAll) found = [found.reduce((a, b) => (b.length < a.length ? b : a))];
  const componentOf = new Int32Array(graph.numNodes + graph.numHubs).fill(-1);
  const local = new Int32Array(componentOf.length);
  const cycles: Cycle[] = [];
  found.forEach((places, component) => {
    // In a layout of events, a component may hold the begin of a transaction, its commit, or both.
    const members: number[] = [];
    for (const place of places) {
      const node = nodeAt(place, graph.numNodes, layout);
      if (componentOf[node] === component) continue;
      componentOf[node] = component;
      members.push(node);
    }
    members.sort((a, b) => a - b); // hubs last
    members.forEach((node, i) => (local[node] = i));
    const inside = new Set(places);
    const edges: number[] = [];
    for (const place of places) {
      for (let i = whole.start[place]; i < whole.start[place + 1]; i++) {
        if (whole.edge[i] >= 0 && inside.has(whole.target[i])) edges.push(whole.edge[i]);
      }
    }
    tick(places.length + edges.length);
    const part = partOf(graph, members, edges, local);
    for (const cycle of searchComponent(part, rule, { findAll, tick })) {
      const backTo = (node: number): number => members[node]!;
      cycles.push(
        fromFirst({ ...cycle, edges: cycle.edges.map((e) => ({ ...e, from: backTo(e.from), to: backTo(e.to) })) }),
      );
    }
  });
  return cycles;
}

/** Subgraph of the given nodes, renumbered, and the given edges between them. */
function partOf(
  graph: DependencyGraph,
  members: readonly number[],
  edges: readonly number[],
  local: Int32Array,
): DependencyGraph {
  const numNodes = members.reduce((sum, node) => sum + (node < graph.numNodes ? 1 : 0), 0);
  return {
    numNodes,
    numHubs: members.length - numNodes,
    from: Int32Array.from(edges, (e) => local[graph.from[e]]),
    to: Int32Array.from(edges, (e) => local[graph.to[e]]),
    relation: Uint8Array.from(edges, (e) => graph.relation[e]),
    numEdges: edges.length,
  };
}

/** The cycle, rotated to start at its first transaction. */
function fromFirst({ name, edges }: Cycle): Cycle {
  let first = 0;
  edges.forEach((edge, i) => {
    if (edge.from < edges[first]!.from) first = i;
  });
  return { name, edges: [...edges.slice(first), ...edges.slice(0, first)] };
}
