import * as graph from '@isolab/graph';
import { mulberry32 } from './generate.ts';
import type { Kernel } from './kernel.ts';

/**
 * A graph whose edges mostly lead a short way forward, like those between transactions; `back` is the share of the
 * others.
 */
function someGraph(numNodes: number, degree: number, back: number): graph.Digraph {
  const random = mulberry32(1);
  const count = numNodes * degree;
  const [from, to] = [new Int32Array(count), new Int32Array(count)];
  for (let e = 0; e < count; e++) {
    const one = Math.floor(random() * numNodes);
    const other = Math.min(numNodes - 1, one + 1 + Math.floor(random() * 1000));
    const turned = random() < back;
    from[e] = turned ? other : one;
    to[e] = turned ? one : other;
  }
  // The last node's edge to itself would be a cycle.
  const kept = from.map((node, e) => (node === to[e] ? 0 : node));
  return graph.digraphOf(numNodes, kept, to);
}

const kernels: readonly Kernel[] = [
  {
    name: 'graph in rows',
    setUp: (quick) => {
      const { numNodes, start, target } = someGraph(quick ? 20_000 : 200_000, 5, 0);
      const from = new Int32Array(target.length);
      for (let n = 0; n < numNodes; n++) from.fill(n, start[n], start[n + 1]);
      return { run: () => graph.digraphOf(numNodes, from, target) };
    },
  },
  {
    name: 'topological order',
    setUp: (quick) => {
      const acyclic = someGraph(quick ? 20_000 : 200_000, 5, 0);
      return { run: () => graph.topologicalOrder(acyclic) };
    },
  },
  {
    name: 'components',
    setUp: (quick) => {
      const cyclic = someGraph(quick ? 20_000 : 200_000, 5, 0.001);
      return { run: () => graph.components(cyclic) };
    },
  },
  {
    name: 'closure',
    setUp: (quick) => {
      const acyclic = someGraph(quick ? 2000 : 6000, 5, 0);
      const order = graph.topologicalOrder(acyclic);
      return { run: () => graph.closure(acyclic, order) };
    },
  },
  {
    name: 'short cycles',
    setUp: (quick) => {
      const cyclic = someGraph(quick ? 5000 : 50_000, 5, 0.01);
      return { run: () => graph.shortCycles(cyclic).next() };
    },
  },
];
export default kernels;
