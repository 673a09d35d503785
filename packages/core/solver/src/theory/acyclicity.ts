/**
 * The theory of acyclic graphs (Bayless et al., SAT modulo monotonic theories, AAAI 2015): follows the trail, inserts
 * the edges of true literals into the graph, and reports a cycle when one closes.
 */
import { IntList, digraphOf, grown, shortCycles, topologicalOrder } from '@isolab/graph';
import type { Assignment } from '../state/assignment.ts';
import type { Clock } from '../state/clock.ts';
import type { Literal } from '../state/literals.ts';
import type { Statistics } from '../state/options.ts';
import { Adjacency, PairAdjacency } from './adjacency.ts';
import { ALWAYS, Edges } from './edges.ts';
import { LightCycles } from './light-cycles.ts';
import { LightestPath } from './lightest-path.ts';
import { Pairs } from './pairs.ts';
import { TopologicalOrder } from './topological-order.ts';

const ABSENT = -1;
const FACT = -1; // position of edges that backtracking never removes
// When this many edges lead backward together, sorting all nodes again is cheaper than inserting the edges one by one.
const MANY_BACKWARD = 100;
const MOST_LOOKED_AT = 4096; // pairs after one edge
const LOOKED_AT = 8; // edges of a literal that are examined to choose a value

export class Acyclicity {
  readonly edges = new Edges();
  /** Edges of the last cycle found, in order. */
  readonly cycle = new IntList();
  readonly #order = new TopologicalOrder();
  readonly #paths = new LightestPath();
  readonly #assignment: Assignment;
  readonly #statistics: Statistics;
  readonly #clock: Clock;
  #isStale = false; // whether edges or nodes are new, so that the following fields must be rebuilt

  #pairs = new Pairs(this.edges);
  #out = new PairAdjacency(this.#pairs.start); // present pairs of weight 0
  #into = new Adjacency(this.#pairs.start);
  #light: LightCycles | null = null; // present pairs of weight 1, if weights are possible
  #head = 0; // length of the part of the trail that the graph has processed

  // The present pairs, in order of insertion.
  readonly #present = new IntList();
  readonly #cause = new IntList(); // trail position of the literal that inserted the pair
  #position: Int32Array = new Int32Array(0); // by pair: its index among the present pairs, or ABSENT
  #edge: Int32Array = new Int32Array(0); // edge that inserted a present pair
  #horizon: Int32Array = new Int32Array(0); // by variable propagated here: number of pairs then present
  readonly #path = new IntList();

  constructor(assignment: Assignment, statistics: Statistics, clock: Clock) {
    this.#assignment = assignment;
    this.#statistics = statistics;
    this.#clock = clock;
  }

  addVariable(variable: number): void {
    this.edges.addVariable(variable);
    this.#horizon = grown(this.#horizon, variable + 1);
  }

  addGraph(numNodes: number, weightLimit: 0 | 1): number {
    this.#isStale = true;
    return this.edges.addGraph(numNodes, weightLimit);
  }

  addEdge(graph: number, from: number, to: number, literal: Literal, weight: number): number {
    this.#isStale = true;
    return this.edges.add(graph, from, to, literal, weight);
  }

  /** Processes the edges that were added since the last search. Returns false if `cycle` consists of facts. */
  prepare(): boolean {
    if (!this.#isStale) return true;
    this.#rebuild();
    if (!this.#insertFacts()) return false;
    this.#isStale = false;
    return true;
  }

  #rebuild(): void {
    const { numNodes } = this.edges;
    if (numNodes > this.#order.place.length) {
      this.#order.resize(numNodes);
      this.#paths.resize(numNodes);
    }
    const pairs = new Pairs(this.edges);
    this.#pairs = pairs;
    this.#out = new PairAdjacency(pairs.start);
    this.#into = new Adjacency(pairs.startOfEntering());
    this.#light = pairs.hasWeights ? new LightCycles(pairs.start) : null;
    this.#position = new Int32Array(pairs.count).fill(ABSENT);
    this.#edge = new Int32Array(pairs.count);
    this.#present.length = this.#cause.length = 0;
  }

  /** Inserts the edges that are always present and the edges of facts. */
  #insertFacts(): boolean {
    const { from, to, weight } = this.#pairs;
    const { place } = this.#order;
    const facts = this.#factEdges();
    let numBackward = 0;
    for (const e of facts) {
      const pair = this.#pairs.of[e];
      if (weight[pair] === 0 && place[from[pair]] >= place[to[pair]]) numBackward++;
    }
    if (numBackward > MANY_BACKWARD && !this.#sortAnew(facts)) return false;
    this.#head = this.#assignment.size;
    for (const e of facts) if (!this.#insert(e, FACT)) return false;
    return true;
  }

  /** Returns the edges of facts, starting with edges that are always present so that these insert the pairs. */
  #factEdges(): Int32Array {
    const { count, literal } = this.edges;
    const facts = new IntList(count);
    for (let e = 0; e < count; e++) if (literal[e] === ALWAYS) facts.push(e);
    for (let e = 0; e < count; e++) if (literal[e] !== ALWAYS && this.#assignment.isFact(literal[e])) facts.push(e);
    return facts.view();
  }

  #sortAnew(facts: Int32Array): boolean {
    const { numNodes, from, to, weight } = this.edges;
    const light = facts.filter((e) => weight[e] === 0);
    const graph = digraphOf(
      numNodes,
      light.map((e) => from[e]),
      light.map((e) => to[e]),
    );
    const nodes = topologicalOrder(graph);
    if (nodes.length === numNodes) {
      this.#order.assign(nodes);
      return true;
    }
    const [cycle] = shortCycles(graph);
    this.cycle.length = 0;
    for (const i of cycle) this.cycle.push(light[i]);
    return false;
  }

  /** Inserts the edges of new literals on the trail. Returns false if they close `cycle`. */
  propagate(): boolean {
    const { trail } = this.#assignment;
    const { firstOfLiteral, nextOfLiteral } = this.edges;
    const { of } = this.#pairs;
    const position = this.#position;
    while (this.#head < this.#assignment.size) {
      const cause = this.#head;
      const literal = trail[cause];
      for (let next = firstOfLiteral[literal]; next !== 0; next = nextOfLiteral[next - 1]) {
        if (position[of[next - 1]] === ABSENT && !this.#insert(next - 1, cause)) return false;
      }
      this.#head++;
    }
    return true;
  }

  #insert(edge: number, cause: number): boolean {
    const pair = this.#pairs.of[edge];
    if (this.#position[pair] !== ABSENT) return true;
    const x = this.#pairs.from[pair];
    const y = this.#pairs.to[pair];
    const leadsBackward = this.#order.place[x] >= this.#order.place[y];
    const isHeavy = this.#light !== null && this.#pairs.weight[pair] !== 0;
    this.#statistics.edgesInserted++;
    if (this.#light !== null && isHeavy) {
      if (x === y || (leadsBackward && this.#findPath(y, x))) return this.#closes(edge, y, x);
      this.#light.push(x, y, pair);
    } else {
      if (leadsBackward && !this.#reorder(x, y)) return this.#closes(edge, y, x);
      if (this.#light !== null && this.#closesWithWeight(edge, x, y, this.#light)) return false;
      this.#out.pushPair(x, y, pair);
      this.#into.push(y, x);
    }
    this.#position[pair] = this.#present.length;
    this.#edge[pair] = edge;
    this.#present.push(pair);
    this.#cause.push(cause);
    if (leadsBackward && !isHeavy) this.#propagateBetween();
    return true;
  }

  #reorder(x: number, y: number): boolean {
    this.#clock.tick();
    const order = this.#order;
    const isAcyclic = order.insert(x, y, this.#out, this.#into);
    this.#visited(order.numForward + order.numBackward);
    return isAcyclic;
  }

  #visited(numNodes: number): void {
    this.#statistics.nodesVisited += numNodes;
    this.#clock.count(numNodes);
  }

  /** Records the cycle of an edge and a lightest path from its end to its start, which must exist. */
  #closes(edge: number, from: number, to: number): false {
    this.cycle.length = 0;
    this.cycle.push(edge);
    this.#appendPath(from, to);
    return false;
  }

  /**
   * Returns whether an edge of weight 0 from x to y closes a cycle in which a single edge has weight 1, and records the
   * cycle.
   */
  #closesWithWeight(edge: number, x: number, y: number, light: LightCycles): boolean {
    this.#clock.tick();
    const heavy = light.crossing(x, y, this.#out, this.#into, this.#order.place);
    this.#visited(light.numVisited);
    if (heavy < 0) return false;
    this.cycle.length = 0;
    this.cycle.push(edge);
    this.#appendPath(y, this.#pairs.from[heavy]);
    this.cycle.push(this.#edge[heavy]);
    this.#appendPath(this.#pairs.to[heavy], x);
    return true;
  }

  /** Finds a path with few literals through pairs that were present when there were only `horizon` pairs. */
  #findPath(from: number, to: number, horizon: number = Infinity): boolean {
    const { literal } = this.edges;
    const position = this.#position;
    const edge = this.#edge;
    const cost = (pair: number): number => {
      if (position[pair] >= horizon) return -1;
      const label = literal[edge[pair]];
      return label === ALWAYS || this.#assignment.isFact(label) ? 0 : 1;
    };
    this.#path.length = 0;
    return this.#paths.find(from, to, this.#out, this.#order.place, cost, this.#pairs.from, this.#path);
  }

  #appendPath(from: number, to: number, horizon?: number): void {
    this.#findPath(from, to, horizon);
    for (let i = this.#path.length - 1; i >= 0; i--) this.cycle.push(this.#edge[this.#path.items[i]]);
  }

  /** Makes literals false whose edges would close a cycle, unless there are too many pairs to examine. */
  #propagateBetween(): void {
    const { forward, numForward, met, search } = this.#order;
    const { start, to, firstEdge, nextEdge } = this.#pairs;
    const { literal } = this.edges;
    const { values } = this.#assignment;
    let patience = MOST_LOOKED_AT;
    for (let f = 0; f < numForward; f++) {
      const end = start[forward[f] + 1];
      patience -= end - start[forward[f]];
      if (patience < 0) return;
      for (let pair = start[forward[f]]; pair < end; pair++) {
        if (met[to[pair]] !== search + 1 || this.#position[pair] !== ABSENT) continue;
        for (let next = firstEdge[pair] + 1; next !== 0; next = nextEdge[next - 1]) {
          const label = literal[next - 1];
          if (label === ALWAYS || values[label] !== 0) continue;
          this.#horizon[label >> 1] = this.#present.length;
          this.#statistics.theoryPropagations++;
          this.#assignment.assign(label ^ 1, ~(next - 1));
        }
      }
    }
  }

  /** Records the cycle for which the literal of an edge was made false. */
  explain(edge: number): void {
    this.cycle.length = 0;
    this.cycle.push(edge);
    this.#appendPath(this.edges.to[edge], this.edges.from[edge], this.#horizon[this.edges.literal[edge] >> 1]);
  }

  /** Removes the edges whose literals are no longer on a trail of this size. The order remains valid for the others. */
  backtrack(trailSize: number): void {
    const { from, to, weight } = this.#pairs;
    const out = this.#out.count;
    const into = this.#into.count;
    const position = this.#position;
    const present = this.#present.items;
    const cause = this.#cause.items;
    let size = this.#present.length;
    while (size > 0 && cause[size - 1] >= trailSize) {
      const pair = present[--size];
      position[pair] = ABSENT;
      if (this.#light !== null && weight[pair] !== 0) {
        this.#light.pop(from[pair]);
      } else {
        out[from[pair]]--;
        into[to[pair]]--;
      }
    }
    this.#present.length = this.#cause.length = size;
    if (this.#head > trailSize) this.#head = trailSize;
  }

  /**
   * Returns the value of a variable that contradicts the current order in fewer edges; false for a variable without
   * edges.
   */
  phase(variable: number): boolean {
    const { firstOfLiteral, from, to } = this.edges;
    const { place } = this.#order;
    const whenTrue = firstOfLiteral[2 * variable];
    const whenFalse = firstOfLiteral[2 * variable + 1];
    const difference = this.#numBackward(whenTrue) - this.#numBackward(whenFalse);
    if (difference !== 0) return difference < 0;
    return whenTrue !== 0 && place[from[whenTrue - 1]] < place[to[whenTrue - 1]];
  }

  /** Counts the edges of a literal, among its first few, that lead backward. */
  #numBackward(first: number): number {
    const { from, to, nextOfLiteral } = this.edges;
    const { place } = this.#order;
    let count = 0;
    for (let next = first, looked = 0; next !== 0 && looked < LOOKED_AT; next = nextOfLiteral[next - 1], looked++) {
      if (place[from[next - 1]] >= place[to[next - 1]]) count++;
    }
    return count;
  }

  order(graph: number): Int32Array {
    const { firstNode, numNodes } = this.edges.graphs[graph];
    return this.#order.nodeAt
      .filter((node) => node >= firstNode && node < firstNode + numNodes)
      .map((n) => n - firstNode);
  }
}
