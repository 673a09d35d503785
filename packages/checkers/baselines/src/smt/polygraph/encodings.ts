/**
 * Ways to keep the chosen edges acyclic: CobraSAT's encodings for an SMT solver, and one more. Edges are Boolean
 * variables e0, e1, …; each function adds its own declarations.
 */
import type { PolygraphEdges } from '../../polygraph-edges.ts';
import type { Text } from '../../text.ts';

export const edgeName = (edge: number): string => `e${edge}`;

/** topo-bv: every node has a number of ⌈log₂ n⌉ bits, and edges lead to greater numbers. */
export function topoBitVectors(text: Text, nodes: number, edges: PolygraphEdges): void {
  const bits = bitsFor(nodes);
  for (let i = 0; i < nodes; i++) text.add(`(declare-const n${i} (_ BitVec ${bits}))`);
  assertOrder(text, edges, 'bvult');
}

/** topo-int: every node has an integer, and edges lead to greater integers. */
export function topoIntegers(text: Text, nodes: number, edges: PolygraphEdges): void {
  for (let i = 0; i < nodes; i++) text.add(`(declare-const n${i} Int)`);
  assertOrder(text, edges, '<');
}

/** linear-order: Z3's theory of linear orders; the relation means "not after" here. */
export function linearOrder(text: Text, nodes: number, edges: PolygraphEdges): void {
  declareNodes(text, nodes);
  assertOrder(text, edges, '(_ linear-order 0)');
}

function assertOrder(text: Text, { from, to }: PolygraphEdges, less: string): void {
  for (let edge = 0; edge < from.length; edge++) {
    const term = from[edge] === to[edge] ? 'false' : `(${less} n${from[edge]} n${to[edge]})`;
    text.assert(`(=> ${edgeName(edge)} ${term})`);
  }
}

/**
 * tc: a relation that contains all chosen edges, and its transitive closure in Z3. This closure relates every node to
 * itself, so the published ¬TC(i, i) is not enough: no edge may run against the closure.
 */
export function transitiveClosure(text: Text, nodes: number, { from, to }: PolygraphEdges): void {
  declareNodes(text, nodes);
  text.add('(declare-fun r (Node Node) Bool)');
  for (let edge = 0; edge < from.length; edge++) {
    const name = edgeName(edge);
    text.assert(`(=> ${name} (r n${from[edge]} n${to[edge]}))`);
    text.assert(`(=> ${name} (not ((_ transitive-closure r) n${to[edge]} n${from[edge]})))`);
  }
}

/**
 * tree-bv: the distance to a leaf as a bit vector, for every pair of nodes. An edge exists if, and only if, it leads to
 * a smaller distance. A leaf has distance 0, and any other node has an edge to a node whose distance is one less.
 */
export function treeBitVectors(text: Text, nodes: number, { from, to }: PolygraphEdges): void {
  const bits = bitsFor(nodes);
  const zero = `(_ bv0 ${bits})`;
  const one = `(_ bv1 ${bits})`;
  const pair = (i: number, j: number): string => `a${i}_${j}`;
  for (let i = 0; i < nodes; i++) text.add(`(declare-const n${i} (_ BitVec ${bits}))`);
  for (let i = 0; i < nodes; i++) {
    const children: string[] = [];
    for (let j = 0; j < nodes; j++) {
      text.add(`(declare-const ${pair(i, j)} Bool)`);
      text.assert(i === j ? `(not ${pair(i, j)})` : `(= ${pair(i, j)} (bvugt n${i} n${j}))`);
      if (i !== j) children.push(`(and ${pair(i, j)} (= n${i} (bvadd n${j} ${one})))`);
    }
    text.assert(`(or (= n${i} ${zero}) ${children.join(' ')})`);
  }
  for (let edge = 0; edge < from.length; edge++) text.assert(`(= ${edgeName(edge)} ${pair(from[edge]!, to[edge]!)})`);
}

const bitsFor = (count: number): number => Math.max(1, Math.ceil(Math.log2(count)));

function declareNodes(text: Text, nodes: number): void {
  text.add('(declare-sort Node)');
  for (let i = 0; i < nodes; i++) text.add(`(declare-const n${i} Node)`);
  if (nodes > 1) text.assert(`(distinct ${Array.from({ length: nodes }, (_, i) => `n${i}`).join(' ')})`);
}
