import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  EdgeColumns,
  IntList,
  PathFinder,
  closure,
  components,
  cyclicComponents,
  digraphOf,
  grown,
  positions,
  prefixSums,
  renumbered,
  reversed,
  rowStarts,
  rowsBy,
  shortCycles,
  topologicalOrder,
} from '../src/index.ts';

type Pairs = readonly (readonly [number, number])[];

const of = (numNodes: number, pairs: Pairs) =>
  digraphOf(
    numNodes,
    pairs.map(([from]) => from),
    pairs.map(([, to]) => to),
  );

/** Reachability of nodes by at least one edge, by Warshall's algorithm on plain arrays. */
function reaches(numNodes: number, pairs: Pairs): boolean[][] {
  const reach = Array.from({ length: numNodes }, () => Array<boolean>(numNodes).fill(false));
  for (const [from, to] of pairs) reach[from]![to] = true;
  for (let k = 0; k < numNodes; k++)
    for (let i = 0; i < numNodes; i++)
      for (let j = 0; j < numNodes; j++) reach[i]![j] ||= reach[i]![k]! && reach[k]![j]!;
  return reach;
}

const someGraph = fc
  .integer({ min: 1, max: 9 })
  .chain((n) =>
    fc.tuple(fc.constant(n), fc.array(fc.tuple(fc.nat({ max: n - 1 }), fc.nat({ max: n - 1 })), { maxLength: 2 * n })),
  );

function onGraphs(check: (numNodes: number, pairs: Pairs) => void): void {
  fc.assert(
    fc.property(someGraph, ([n, pairs]) => check(n, pairs)),
    { numRuns: 500 },
  );
}

describe('on random graphs', () => {
  test('rows hold every edge once, and so do the rows of the reversed graph', () =>
    onGraphs((n, pairs) => {
      for (const [graph, swap] of [
        [of(n, pairs), false],
        [reversed(of(n, pairs)), true],
      ] as const) {
        expect([...graph.edge].toSorted((a, b) => a - b)).toEqual(pairs.map((_, e) => e));
        for (let node = 0; node < n; node++) {
          for (let i = graph.start[node]!; i < graph.start[node + 1]!; i++) {
            const [from, to] = pairs[graph.edge[i]!]!;
            expect([node, graph.target[i]]).toEqual(swap ? [to, from] : [from, to]);
          }
        }
      }
    }));

  test('components are nodes that reach each other, in reverse order', () =>
    onGraphs((n, pairs) => {
      const reach = reaches(n, pairs);
      const { count, of: component, rows } = components(of(n, pairs));
      expect(rows.start.length).toBe(count + 1);
      expect([...rows.item].toSorted()).toEqual([...reach.keys()]);
      for (let c = 0; c < count; c++)
        for (const node of rows.item.subarray(rows.start[c], rows.start[c + 1])) expect(component[node]).toBe(c);
      for (let i = 0; i < n; i++) {
        for (let j = 0; j < n; j++) {
          const together = i === j || (reach[i]![j]! && reach[j]![i]!);
          expect(component[i] === component[j]).toBe(together);
          if (!together && reach[i]![j]!) expect(component[i]).toBeGreaterThan(component[j]!);
        }
      }
    }));

  test('cyclic components are those whose nodes reach themselves', () =>
    onGraphs((n, pairs) => {
      const reach = reaches(n, pairs);
      const inCycle = cyclicComponents(of(n, pairs)).flat();
      expect(inCycle.toSorted()).toEqual(Array.from(reach.keys()).filter((i) => reach[i]![i]));
    }));

  test('a topological order holds all nodes that no cycle leads to', () =>
    onGraphs((n, pairs) => {
      const reach = reaches(n, pairs);
      const order = topologicalOrder(of(n, pairs));
      const position = positions(order, n);
      for (let i = 0; i < n; i++) {
        const behindCycle = reach.some((row, j) => row[j] && (row[i] || i === j));
        expect(position[i] === -1).toBe(behindCycle);
      }
      for (const [from, to] of pairs) if (position[to] !== -1) expect(position[from]).toBeLessThan(position[to]!);
    }));

  test('a renumbered graph has the same edges in ascending rows', () =>
    onGraphs((n, pairs) => {
      const order = Int32Array.from({ length: n }, (_, i) => (i * 7 + 3) % n);
      if (new Set(order).size < n) return;
      const { start, target, edge } = renumbered(of(n, pairs), order);
      expect([...edge].toSorted((a, b) => a - b)).toEqual(pairs.map((_, e) => e));
      for (let p = 0; p < n; p++) {
        for (let i = start[p]!; i < start[p + 1]!; i++) {
          expect([order[p], order[target[i]!]]).toEqual(pairs[edge[i]!]);
          if (i > start[p]!) expect(target[i]).toBeGreaterThanOrEqual(target[i - 1]!);
        }
      }
    }));

  test('the closure of an acyclic graph equals that of Warshall', () =>
    onGraphs((n, pairs) => {
      const forward = pairs.filter(([from, to]) => from < to);
      const graph = of(n, forward);
      const reach = closure(graph, topologicalOrder(graph));
      const expected = reaches(n, forward);
      for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) expect(reach.has(i, j)).toBe(expected[i]![j]);
    }));

  test('a shortest path is as short as that of Bellman and Ford', () =>
    onGraphs((n, pairs) => {
      const paths = new PathFinder(of(n, pairs));
      for (let from = 0; from < n; from++) {
        const distance = Array<number>(n).fill(Infinity);
        for (const [a, b] of pairs) if (a === from) distance[b] = 1;
        for (let round = 0; round < n; round++)
          for (const [a, b] of pairs) distance[b] = Math.min(distance[b]!, distance[a]! + 1);
        for (let to = 0; to < n; to++) {
          const path = paths.shortest(from, to);
          expect(path?.length ?? Infinity).toBe(distance[to]);
          if (path) {
            expect(pairs[path[0]!]![0]).toBe(from);
            expect(pairs[path.at(-1)!]![1]).toBe(to);
            for (let i = 1; i < path.length; i++) expect(pairs[path[i]!]![0]).toBe(pairs[path[i - 1]!]![1]);
            expect(paths.shortest(from, to, path.length)).toBeNull();
          }
        }
      }
    }));

  test('there is a shortest cycle for every cyclic component', () =>
    onGraphs((n, pairs) => {
      const graph = of(n, pairs);
      const paths = new PathFinder(graph);
      const found = [...shortCycles(graph)];
      const expected = cyclicComponents(graph);
      expect(found.length).toBe(expected.length);
      found.forEach((cycle, i) => {
        const lengths = expected[i]!.map((node) => paths.shortest(node, node)!.length);
        expect(cycle.length).toBe(Math.min(...lengths));
        cycle.forEach((e, j) => expect(pairs[e]![1]).toBe(pairs[cycle[(j + 1) % cycle.length]!]![0]));
      });
    }));
});

describe('rows', () => {
  const groups = fc.array(fc.integer({ min: -1, max: 5 }), { maxLength: 30 });

  test('rows hold the items of each group in ascending order, without items of no group', () =>
    fc.assert(
      fc.property(groups, (group) => {
        const { start, item } = rowsBy(Int32Array.from(group), 6);
        for (let g = 0; g < 6; g++) {
          const expected = [...group.keys()].filter((i) => group[i] === g);
          expect([...item.subarray(start[g], start[g + 1])]).toEqual(expected);
        }
        expect(rowStarts(group, 6)).toEqual(start);
        expect(item.length).toBe(start[6]);
      }),
    ));

  test('rows may be empty, and may count only some of the groups', () => {
    expect(rowsBy(new Int32Array(0), 0)).toEqual({ start: new Int32Array(1), item: new Int32Array(0) });
    expect([...rowStarts([1, 0, 1, 1], 2, 3)]).toEqual([0, 1, 3]);
  });

  test('sizes of rows become starts in place', () => {
    const sizes = Int32Array.of(0, 3, 0, 2);
    expect(prefixSums(sizes)).toBe(sizes);
    expect([...sizes]).toEqual([0, 3, 3, 5]);
  });
});

test('a list of integers grows, and its view and its copy have exactly the pushed numbers', () => {
  const list = new IntList(0);
  for (let i = 0; i < 1000; i++) list.push(i * i);
  const expected = Array.from({ length: 1000 }, (_, i) => i * i);
  expect([...list.view()]).toEqual(expected);
  expect([...list.toArray()]).toEqual(expected);
  list.view()[3] = -1;
  expect(list.items[3]).toBe(-1);
  list.length = 4;
  expect([...list.toArray()]).toEqual([0, 1, 4, -1]);
});

test('a column that is long enough is not copied, and a copy has the same type', () => {
  const column = Float64Array.of(1, 2);
  expect(grown(column, 2)).toBe(column);
  const larger = grown(column, 3);
  expect(larger).toBeInstanceOf(Float64Array);
  expect([...larger.subarray(0, 3)]).toEqual([1, 2, 0]);
});

test('columns of edges grow', () => {
  const edges = new EdgeColumns(1);
  for (let i = 0; i < 100; i++) expect(edges.add(i, i + 1)).toBe(i);
  const graph = edges.digraph(101);
  expect([...topologicalOrder(graph)]).toEqual(Array.from({ length: 101 }, (_, i) => i));
});

test('a path of a million nodes does not overflow the stack', () => {
  const n = 1_000_000;
  const from = Int32Array.from({ length: n }, (_, i) => i);
  const to = from.map((i) => (i + 1) % n);
  expect(components(digraphOf(n, from, to)).count).toBe(1);
});
