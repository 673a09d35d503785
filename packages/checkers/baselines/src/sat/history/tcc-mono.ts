/**
 * TCC-Mono, a baseline of Plume (section 6): the edges of the causal axiom are computed from the closure, and a solver
 * looks for a cycle.
 */
import { Stop } from '@isolab/contract';
import { EdgeColumns, closure, shortCycles, topologicalOrder } from '@isolab/graph';
import { INITIAL } from '@isolab/graph/relations';
import { type GraphProblem, addEdge, emptyGraph } from '../formula/problem.ts';
import type { EncodedFacts } from './facts.ts';

export interface TccMono {
  /** The last node is the initial transaction. */
  readonly graph: GraphProblem;
  /** The nodes of a cycle of session order and read-from, which makes the closure useless. */
  readonly cycle: readonly number[] | null;
}

export function encodeTccMono(facts: EncodedFacts, maxBytes: number, tick: (steps: number) => void): TccMono {
  const { numNodes: n, session, readFrom, writers } = facts;
  const initial = n;
  const graph = emptyGraph(n + 1);
  const known = new EdgeColumns();
  const addKnown = (from: number, to: number): void => {
    known.add(from, to);
    addEdge(graph, from, to);
  };
  for (let node = 0; node < n; node++) {
    const isFirst = node === 0 || session[node] !== session[node - 1];
    addKnown(isFirst ? initial : node - 1, node);
  }
  for (const { reader, writer } of readFrom) if (writer !== INITIAL) addKnown(writer, reader);
  tick(known.count);

  const digraph = known.digraph(n + 1);
  const order = topologicalOrder(digraph);
  if (order.length <= n) return { graph, cycle: cycleOf(graph) };
  const bytes = 4 * (n + 1) * ((n + 32) >>> 5);
  if (bytes > maxBytes) throw new Stop('memory', `the closure takes ${bytes} bytes, more than maxBytes (${maxBytes})`);
  const reach = closure(digraph, order);
  tick(reach.words.length);
  for (const { reader, key, writer } of readFrom) {
    const source = writer === INITIAL ? initial : writer;
    for (const other of writers[key]!)
      if (other !== writer && other !== reader && reach.has(other, reader)) addEdge(graph, other, source);
    tick(writers[key]!.length);
  }
  return { graph, cycle: null };
}

/** The nodes of a short cycle of unconditional edges, or null. */
export function cycleOf({ numNodes, from, to }: GraphProblem): readonly number[] | null {
  const edges = new EdgeColumns(from.length);
  for (let e = 0; e < from.length; e++) edges.add(from[e]!, to[e]!);
  for (const cycle of shortCycles(edges.digraph(numNodes))) return cycle.map((edge) => from[edge]!);
  return null;
}
