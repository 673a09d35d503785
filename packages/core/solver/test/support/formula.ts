import type { Literal, Solver } from '../../src/index.ts';

export interface Edge {
  readonly from: number;
  readonly to: number;
  readonly literal?: Literal;
  readonly weight: 0 | 1;
}

export interface Graph {
  readonly numNodes: number;
  readonly isLight: boolean; // only cycles of weight 0 and 1 are forbidden
  readonly edges: Edge[];
}

/** Input of a solver, kept apart from it. */
export class Formula {
  numVariables = 0;
  readonly clauses: Literal[][] = [];
  readonly graphs: Graph[] = [];
  /** The graph of every edge and its place there, by the edge's number. */
  readonly edges: { readonly graph: number; readonly edge: Edge }[] = [];

  addVariables(solver: Solver, count: number): void {
    for (let i = 0; i < count; i++) solver.newVariable();
    this.numVariables += count;
  }

  addClause(solver: Solver, clause: readonly Literal[]): boolean {
    this.clauses.push([...clause]);
    return solver.addClause(clause);
  }

  addGraph(solver: Solver, numNodes: number, isLight = false): number {
    this.graphs.push({ numNodes, isLight, edges: [] });
    return solver.addGraph(numNodes, isLight ? { weightLimit: 1 } : {});
  }

  addEdge(solver: Solver, graph: number, edge: Edge): number {
    this.graphs[graph]!.edges.push(edge);
    this.edges.push({ graph, edge });
    return solver.addEdge(graph, edge.from, edge.to, edge.literal, edge.weight);
  }
}

export type IsTrue = (literal: Literal) => boolean;

/** Returns whether clauses, assumptions and graphs hold under an assignment. */
function holds(formula: Formula, isTrue: IsTrue, assumptions: readonly Literal[] = []): boolean {
  return (
    assumptions.every(isTrue) &&
    formula.clauses.every((clause) => clause.some(isTrue)) &&
    formula.graphs.every((graph) => graphHolds(graph, isTrue))
  );
}

function presentEdges(graph: Graph, isTrue: IsTrue): Edge[] {
  return graph.edges.filter((edge) => edge.literal === undefined || isTrue(edge.literal));
}

/** Warshall's closure over the present edges of weight 0; edges of weight 1 may close no cycle with it. */
function graphHolds(graph: Graph, isTrue: IsTrue): boolean {
  const n = graph.numNodes;
  const present = presentEdges(graph, isTrue);
  const reaches = Array.from({ length: n }, () => Array.from({ length: n }, () => false));
  for (const { from, to, weight } of present) if (!graph.isLight || weight === 0) reaches[from]![to] = true;
  for (let k = 0; k < n; k++) {
    for (let i = 0; i < n; i++) {
      if (reaches[i]![k]) for (let j = 0; j < n; j++) if (reaches[k]![j]) reaches[i]![j] = true;
    }
  }
  if (reaches.some((row, i) => row[i])) return false;
  return !graph.isLight || present.every((e) => e.weight === 0 || (e.from !== e.to && !reaches[e.to]![e.from]));
}

/** Tries every assignment. */
export function isSatisfiable(formula: Formula, assumptions: readonly Literal[] = []): boolean {
  for (let bits = 0; bits < 2 ** formula.numVariables; bits++) {
    if (holds(formula, (literal) => ((bits >> (literal >> 1)) & 1) !== (literal & 1), assumptions)) return true;
  }
  return false;
}

/** Fault of the model of a solver and its orders, or null. */
export function faultOfModel(solver: Solver, formula: Formula, assumptions: readonly Literal[] = []): string | null {
  const isTrue = (literal: Literal) => solver.value(literal >> 1) !== ((literal & 1) === 1);
  if (!assumptions.every(isTrue)) return 'an assumption is false';
  const broken = formula.clauses.find((clause) => !clause.some(isTrue));
  if (broken) return `clause ${broken.join(' ')} is false`;
  for (const [id, graph] of formula.graphs.entries()) {
    if (graph.numNodes <= 20 && !graphHolds(graph, isTrue)) return `graph ${id} has a cycle`;
    const place = new Int32Array(graph.numNodes).fill(-1);
    for (const [at, node] of solver.order(id).entries()) place[node] = at;
    if (place.includes(-1)) return `the order of graph ${id} lacks a node`;
    for (const { from, to, weight } of presentEdges(graph, isTrue)) {
      if (!(graph.isLight && weight === 1) && place[from]! >= place[to]!) return `edge ${from}, ${to} leads backward`;
    }
  }
  return null;
}
