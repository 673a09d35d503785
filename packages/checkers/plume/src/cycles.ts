import { type Graph, PathFinder, type Step } from './graph.ts';

/**
 * The strongly connected components of more than one node (Tarjan 1972), as a number for each node, 0 for all others.
 * CyclicCO (TAP-g) has one instance for each of them: the transactions whose vectors are equal (Algorithm 1, line 9).
 */
function cyclicComponents({ numNodes, session, outStart, outTarget }: Graph): Int32Array {
  const component = new Int32Array(numNodes);
  const number = new Int32Array(numNodes); // order of discovery, from 1
  const low = new Int32Array(numNodes);
  const next = new Int32Array(numNodes); // edges tried; the first of a node is session order
  const isOpen = new Uint8Array(numNodes);
  const open: number[] = [];
  const path: number[] = [];
  let discovered = 0;
  let count = 0;

  const enter = (v: number): void => {
    number[v] = low[v] = ++discovered;
    isOpen[v] = 1;
    open.push(v);
    path.push(v);
  };
  const leave = (v: number): void => {
    path.pop();
    if (path.length > 0) low[path[path.length - 1]!] = Math.min(low[path[path.length - 1]!], low[v]);
    if (low[v] < number[v]) return;
    const isCyclic = open[open.length - 1] !== v;
    if (isCyclic) count++;
    for (;;) {
      const w = open.pop()!;
      isOpen[w] = 0;
      if (isCyclic) component[w] = count;
      if (w === v) return;
    }
  };
  for (let root = 0; root < numNodes; root++) {
    if (number[root] > 0) continue;
    enter(root);
    while (path.length > 0) {
      const v = path[path.length - 1]!;
      const edge = next[v]++;
      let w = -1;
      if (edge === 0) w = v + 1 < numNodes && session[v + 1] === session[v] ? v + 1 : v;
      else if (outStart[v] + edge - 1 < outStart[v + 1]) w = outTarget[outStart[v] + edge - 1];
      if (w < 0) leave(v);
      else if (number[w] === 0) enter(w);
      else if (isOpen[w] === 1) low[v] = Math.min(low[v], number[w]);
    }
  }
  return component;
}

/** A short cycle for every component: a shortest one through its first node. */
export function* cycles(graph: Graph): Generator<readonly Step[]> {
  const component = cyclicComponents(graph);
  const paths = new PathFinder(graph);
  const seen = new Set<number>();
  for (let v = 0; v < graph.numNodes; v++) {
    if (component[v] === 0 || seen.has(component[v])) continue;
    seen.add(component[v]);
    yield paths.path(v, v)!;
  }
}
