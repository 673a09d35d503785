import { type Digraph, digraphOf, topologicalOrder } from '@isolab/graph';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BitRows } from '../src/index.ts';

const tick = (): void => {};

/** Acyclic: edges lead from smaller to greater numbers, under a shuffling of the nodes. */
const graphs = fc
  .record({
    numNodes: fc.integer({ min: 1, max: 80 }),
    edges: fc.array(fc.tuple(fc.nat(79), fc.nat(79)), { maxLength: 160 }),
    stride: fc.constantFrom(1, 7, 83, 89),
    kept: fc.array(fc.boolean(), { minLength: 80, maxLength: 80 }),
  })
  .map(({ numNodes, edges, stride, kept }) => {
    const name = (n: number): number => (n * stride) % 97;
    const ranks = Array.from({ length: numNodes }, (_, n) => n).toSorted((a, b) => name(a) - name(b));
    const forward = edges
      .map(([a, b]) => [a % numNodes, b % numNodes] as const)
      .filter(([a, b]) => a !== b)
      .map(([a, b]) => [ranks[Math.min(a, b)]!, ranks[Math.max(a, b)]!] as const);
    const graph = digraphOf(
      numNodes,
      forward.map(([from]) => from),
      forward.map(([, to]) => to),
    );
    return { graph, kept: Uint8Array.from(kept.slice(0, numNodes), Number) };
  });

/** Reachability by a search from every node. */
function reachedFrom({ start, target }: Digraph, from: number): Set<number> {
  const reached = new Set<number>();
  const pending = [from];
  for (let n = pending.pop(); n !== undefined; n = pending.pop()) {
    for (let i = start[n]!; i < start[n + 1]!; i++) {
      if (reached.has(target[i]!)) continue;
      reached.add(target[i]!);
      pending.push(target[i]!);
    }
  }
  return reached;
}

test('rows of bits agree with searches of the graph', () => {
  fc.assert(
    fc.property(graphs, ({ graph }) => {
      const rows = new BitRows(graph, topologicalOrder(graph), tick);
      for (let from = 0; from < graph.numNodes; from++) {
        const reached = reachedFrom(graph, from);
        const found = Array.from({ length: graph.numNodes }, (_, to) => to).filter((to) => rows.has(from, to));
        expect(found).toEqual([...reached].toSorted((a, b) => a - b));
      }
    }),
    { numRuns: 100, seed: 3 },
  );
});

test('the reduction of some nodes preserves reachability with the fewest edges', () => {
  fc.assert(
    fc.property(graphs, ({ graph, kept }) => {
      const rows = new BitRows(graph, topologicalOrder(graph), tick);
      const edges: (readonly [number, number])[] = [];
      rows.reduced(kept, (from, to) => edges.push([from, to]), tick);
      const reduced = (without = -1): Digraph => {
        const rest = edges.filter((_, e) => e !== without);
        return digraphOf(
          graph.numNodes,
          rest.map(([from]) => from),
          rest.map(([, to]) => to),
        );
      };
      for (let from = 0; from < graph.numNodes; from++) {
        const expected = kept[from] ? [...reachedFrom(graph, from)].filter((to) => kept[to]) : [];
        expect([...reachedFrom(reduced(), from)].toSorted()).toEqual(expected.toSorted());
      }
      edges.forEach(([from, to], e) => expect(reachedFrom(reduced(e), from).has(to)).toBe(false));
    }),
    { numRuns: 100, seed: 4 },
  );
});
