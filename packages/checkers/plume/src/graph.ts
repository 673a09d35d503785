import { type Digraph, EdgeColumns, IntList, PathFinder, digraphOf, rowsBy } from '@isolab/graph';
import type { Model } from './model.ts';

/**
 * The dependency graph G_CO or G_CM over the nodes of a model: implicit session order (a node and the next node of its
 * session), and labelled edges, forwards and backwards.
 * A label below the number of rows of the model's reads is the WR row; higher labels are CM edges.
 */
export interface Graph {
  readonly numNodes: number;
  readonly session: Int32Array;
  /** First outgoing edge of each node, with one extra slot at the end. */
  readonly outStart: Int32Array;
  readonly outTarget: Int32Array;
  readonly outLabel: Int32Array;
  readonly inStart: Int32Array;
  readonly inSource: Int32Array;
}

export const SESSION_LABEL = -1;

/** The edges of CO: session order and WR. */
export function buildCoGraph({ numNodes, session, reads }: Model): Graph {
  const from = new IntList();
  const to = new IntList();
  const label = new IntList();
  for (let row = 0; row < reads.writer.length; row++) {
    if (reads.writer[row] < 0) continue;
    from.push(reads.writer[row]);
    to.push(reads.reader[row]);
    label.push(row);
  }
  return buildGraph(numNodes, session, from.view(), to.view(), label.view());
}

/** CO with further edges, labelled from `firstLabel` on. */
export function extendGraph(co: Graph, from: Int32Array, to: Int32Array, firstLabel: number): Graph {
  const known = co.outTarget.length;
  const all = { from: new Int32Array(known + from.length), to: new Int32Array(known + from.length) };
  const label = new Int32Array(known + from.length);
  for (let node = 0; node < co.numNodes; node++) all.from.fill(node, co.outStart[node], co.outStart[node + 1]);
  all.from.set(from, known);
  all.to.set(co.outTarget);
  all.to.set(to, known);
  label.set(co.outLabel);
  for (let i = 0; i < from.length; i++) label[known + i] = firstLabel + i;
  return buildGraph(co.numNodes, co.session, all.from, all.to, label);
}

function buildGraph(numNodes: number, session: Int32Array, from: Int32Array, to: Int32Array, label: Int32Array): Graph {
  const { start: outStart, target: outTarget, edge: outLabel } = digraphOf(numNodes, from, to);
  for (let i = 0; i < outLabel.length; i++) outLabel[i] = label[outLabel[i]];
  const { start: inStart, item: inSource } = rowsBy(to, numNodes);
  for (let i = 0; i < inSource.length; i++) inSource[i] = from[inSource[i]];
  return { numNodes, session, outStart, outTarget, outLabel, inStart, inSource };
}

/** All nodes: first, in topological order, the `placed` nodes that are neither on a cycle nor after one (Kahn 1962). */
export function topologicalOrder(graph: Graph): { readonly order: Int32Array; readonly placed: number } {
  const { numNodes, session, outStart, outTarget, inStart } = graph;
  const order = new Int32Array(numNodes);
  const missing = new Int32Array(numNodes); // number of unplaced predecessors
  let end = 0;
  for (let v = 0; v < numNodes; v++) {
    missing[v] = inStart[v + 1] - inStart[v] + (v > 0 && session[v - 1] === session[v] ? 1 : 0);
    if (missing[v] === 0) order[end++] = v;
  }
  for (let next = 0; next < end; next++) {
    const v = order[next];
    if (v + 1 < numNodes && session[v + 1] === session[v] && --missing[v + 1] === 0) order[end++] = v + 1;
    for (let e = outStart[v], last = outStart[v + 1]; e < last; e++) {
      if (--missing[outTarget[e]] === 0) order[end++] = outTarget[e];
    }
  }
  const placed = end;
  for (let v = 0; v < numNodes; v++) if (missing[v] > 0) order[end++] = v;
  return { order, placed };
}

/** The first nodes of all sessions, then the second nodes, and so on: the order of the published Plume. */
export function roundRobinOrder({ numNodes, position }: Pick<Model, 'numNodes' | 'position'>): Int32Array {
  let longest = 0;
  for (let v = 0; v < numNodes; v++) longest = Math.max(longest, position[v]);
  return rowsBy(position, longest + 1).item;
}

export interface PathStep {
  readonly from: number;
  readonly to: number;
  readonly label: number;
}

/** Shortest paths, for repeated searches over one graph. */
export class LabelledPaths {
  /** The graph with explicit session order. */
  readonly digraph: Digraph;
  readonly #edges: EdgeColumns;
  readonly #label: Int32Array; // by edge
  readonly #paths: PathFinder;

  constructor({ numNodes, session, outStart, outTarget, outLabel }: Graph) {
    const edges = new EdgeColumns(numNodes + outTarget.length);
    const label = new Int32Array(numNodes + outTarget.length);
    for (let v = 0; v < numNodes; v++) {
      if (v + 1 < numNodes && session[v + 1] === session[v]) label[edges.add(v, v + 1)] = SESSION_LABEL;
      for (let e = outStart[v]; e < outStart[v + 1]; e++) label[edges.add(v, outTarget[e])] = outLabel[e];
    }
    this.#edges = edges;
    this.#label = label;
    this.digraph = edges.digraph(numNodes);
    this.#paths = new PathFinder(this.digraph);
  }

  /** A shortest path of at least one edge, or null. */
  path(from: number, to: number): PathStep[] | null {
    const { from: source, to: target } = this.#edges;
    const path = this.#paths.shortest(from, to);
    return path && path.map((e) => ({ from: source[e], to: target[e], label: this.#label[e] }));
  }
}
