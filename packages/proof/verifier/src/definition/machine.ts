import { type OperationId, isEarlierStatement } from '@isolab/history';
import { type BaseRelation, type Expression, type Sort, typeOfRelation } from '@isolab/levels';
import { refuse } from '../verdict/flaw.ts';
import { callOf, isEarlier, returnOf, timeFrom, timeTo } from '../facts/real-time.ts';
import { Edges, addRelation, exists, sizeOf } from './edges.ts';
import { NO_READ, type World, rowOf } from './world.ts';
import type { Rows } from '../facts/sorted.ts';

/**
 * An expression in a world as a graph, in which walks lead from `first` + x to `last` + y exactly if x and y are
 * related.
 */
export interface Machine {
  readonly edges: Edges;
  readonly sort: Sort;
  readonly endSort: Sort;
  readonly first: number;
  readonly last: number;
}

export function machineOf(world: World, expression: Expression, ends: Ends | null = null): Machine {
  const edges = new Edges();
  const [sort, endSort] = endsOf(expression) ?? ends ?? ['transaction', 'transaction'];
  const first = edges.nodes(sizeOf(world, sort));
  const last = edges.nodes(sizeOf(world, endSort));
  new Builder(world, edges).build(expression, false, first, last, sort);
  return { edges, sort, endSort, first, last };
}

export type Ends = readonly [Sort, Sort];

class Builder {
  readonly #world: World;
  readonly #edges: Edges;

  constructor(world: World, edges: Edges) {
    this.#world = world;
    this.#edges = edges;
  }

  /** Builds walks from layer `a`, whose sort is given, to layer `b`. */
  build(expression: Expression, isInverse: boolean, a: number, b: number, sort: Sort): void {
    switch (expression.kind) {
      case 'base':
        return this.#relation(expression.name, isInverse, a, b, sort);
      case 'inverse':
        return this.build(expression.of, !isInverse, a, b, sort);
      case 'union':
        this.build(expression.left, isInverse, a, b, sort);
        return this.build(expression.right, isInverse, a, b, sort);
      case 'composition': {
        const [one, other] = isInverse ? [expression.right, expression.left] : [expression.left, expression.right];
        const between = this.#endOf(one, isInverse) ?? sort;
        const layer = this.#layer(between);
        this.build(one, isInverse, a, layer, sort);
        return this.build(other, isInverse, layer, b, between);
      }
      case 'optional':
        this.#same(a, b, sort);
        return this.build(expression.of, isInverse, a, b, sort);
      case 'closure':
      case 'reflexive-closure': {
        const [before, after] = [this.#layer(sort), this.#layer(sort)];
        this.#same(a, before, sort);
        this.build(expression.of, isInverse, before, after, sort);
        this.#same(after, before, sort);
        return this.#same(expression.kind === 'closure' ? after : before, b, sort);
      }
      case 'intersection':
      case 'difference':
        return this.#pairs(expression, isInverse, a, b, sort);
      case 'name':
        refuse(`the level does not define ${expression.name}`);
    }
  }

  #layer(sort: Sort): number {
    return this.#edges.nodes(sizeOf(this.#world, sort));
  }

  #endOf(expression: Expression, isInverse: boolean): Sort | null {
    const ends = endsOf(expression);
    return ends === null ? null : ends[isInverse ? 0 : 1];
  }

  #relation(name: BaseRelation, isInverse: boolean, a: number, b: number, sort: Sort): void {
    if (name === 'id') return this.#same(a, b, sort);
    const edges = this.#edges;
    edges.isInverse = isInverse;
    addRelation({ edges, world: this.#world, a: isInverse ? b : a, b: isInverse ? a : b }, name);
    edges.isInverse = false;
  }

  #same(a: number, b: number, sort: Sort): void {
    for (let v = 0, size = sizeOf(this.#world, sort); v < size; v++)
      if (exists(this.#world, sort, v)) this.#edges.add(a + v, b + v);
  }

  #pairs(
    expression: Extract<Expression, { left: Expression }>,
    isInverse: boolean,
    a: number,
    b: number,
    sort: Sort,
  ): void {
    const ends = endsOf(expression) ?? ([sort, sort] as const);
    const { left, right, kind } = expression;
    const isTurned = kind === 'intersection' && breadth(right) < breadth(left);
    const [walked, asked] = isTurned ? [right, left] : [left, right];
    const machine = machineOf(this.#world, walked, ends);
    const reach = new Reach(machine);
    const isRelated = related(this.#world, asked, ends);
    const size = sizeOf(this.#world, machine.sort);
    const endSize = sizeOf(this.#world, machine.endSort);
    for (let x = 0; x < size; x++) {
      if (!exists(this.#world, machine.sort, x)) continue;
      for (const node of reach.from(machine.first + x)) {
        const y = node - machine.last;
        if (y < 0 || y >= endSize || isRelated(x, y) !== (kind === 'intersection')) continue;
        if (isInverse) this.#edges.add(a + y, b + x);
        else this.#edges.add(a + x, b + y);
      }
    }
  }
}

/** The nodes reachable from a node of a graph, including the node itself. */
class Reach {
  readonly #rows: Rows;
  readonly #seen: Int32Array;
  #round = 0;
  #steps = 0;

  constructor({ edges }: Machine) {
    this.#rows = rowsOf(edges);
    this.#seen = new Int32Array(edges.numNodes);
  }

  from(node: number): readonly number[] {
    const { start, item } = this.#rows;
    const round = ++this.#round;
    const reached = [node];
    this.#seen[node] = round;
    for (let i = 0; i < reached.length; i++)
      for (let e = start[reached[i]!]; e < start[reached[i]! + 1]; e++) {
        const next = item[e];
        if (this.#seen[next] === round) continue;
        this.#seen[next] = round;
        reached.push(next);
      }
    this.#steps += reached.length;
    if (this.#steps > MOST_STEPS) refuse('it takes too many steps to verify');
    return reached;
  }
}

const MOST_STEPS = 2_000_000_000;

/** Groups the targets of the edges that `isIn` keeps by the sources of these edges. */
export function rowsOf(
  {
    from,
    to,
    count,
    numNodes,
  }: { readonly from: Int32Array; readonly to: Int32Array; readonly count: number; readonly numNodes: number },
  isIn: (edge: number) => boolean = () => true,
): Rows {
  const start = new Int32Array(numNodes + 1);
  for (let e = 0; e < count; e++) if (isIn(e)) start[from[e] + 1]++;
  for (let node = 0; node < numNodes; node++) start[node + 1] += start[node];
  const cursor = start.slice();
  const item = new Int32Array(start[numNodes]);
  for (let e = 0; e < count; e++) if (isIn(e)) item[cursor[from[e]]++] = to[e];
  return { start, item };
}

/** The sorts of the two ends of an expression; null if it accepts any sort. */
export function endsOf(expression: Expression): readonly [Sort, Sort] | null {
  switch (expression.kind) {
    case 'base': {
      const { from, to } = typeOfRelation(expression.name);
      return from === null || to === null ? null : [from, to];
    }
    case 'name':
      return null;
    case 'inverse': {
      const ends = endsOf(expression.of);
      return ends && [ends[1], ends[0]];
    }
    case 'composition': {
      const [left, right] = [endsOf(expression.left), endsOf(expression.right)];
      return left && right ? [left[0], right[1]] : (left ?? right);
    }
    case 'union':
    case 'intersection':
    case 'difference':
      return endsOf(expression.left) ?? endsOf(expression.right);
    default:
      return endsOf(expression.of);
  }
}

/** Estimated number of elements y related to an element x. */
function breadth(expression: Expression): number {
  switch (expression.kind) {
    case 'base':
      if (['co', 'before', 'rt', 'time', 'so'].includes(expression.name)) return 3;
      return ['conflict', 'ww', 'rw', 'missed', 'same-key', 'same-value'].includes(expression.name) ? 2 : 1;
    case 'name':
      return 0;
    case 'intersection':
      return Math.min(breadth(expression.left), breadth(expression.right));
    case 'difference':
      return breadth(expression.left);
    case 'union':
    case 'composition':
      return Math.max(breadth(expression.left), breadth(expression.right));
    case 'closure':
    case 'reflexive-closure':
      return 3;
    default:
      return breadth(expression.of);
  }
}

type Test = (x: number, y: number) => boolean;

/** Returns a test of whether two elements are related. If the expression accepts any sort, `ends` gives the sorts. */
export function related(world: World, expression: Expression, ends: Ends | null = null): Test {
  const own = endsOf(expression) ?? ends;
  switch (expression.kind) {
    case 'base':
      return quickly(world, expression.name) ?? byWalking(world, expression, own);
    case 'inverse': {
      const of = related(world, expression.of, own && [own[1], own[0]]);
      return (x, y) => of(y, x);
    }
    case 'union':
    case 'intersection':
    case 'difference': {
      const [left, right] = [related(world, expression.left, own), related(world, expression.right, own)];
      if (expression.kind === 'union') return (x, y) => left(x, y) || right(x, y);
      const isRightTo = expression.kind === 'intersection';
      return (x, y) => left(x, y) && right(x, y) === isRightTo;
    }
    case 'optional': {
      const of = related(world, expression.of, own);
      return (x, y) => x === y || of(x, y);
    }
    default:
      return byWalking(world, expression, own);
  }
}

/** Caches the reachable nodes of the last start. */
function byWalking(world: World, expression: Expression, ends: Ends | null): Test {
  const machine = machineOf(world, expression, ends);
  const reach = new Reach(machine);
  let last = -1;
  let reached: ReadonlySet<number> = new Set();
  return (x, y) => {
    if (x !== last) reached = new Set(reach.from(machine.first + x));
    last = x;
    return reached.has(machine.last + y);
  };
}

function quickly(world: World, name: BaseRelation): ((x: number, y: number) => boolean) | null {
  const { history, from, txnOf, shown, placeOfCommit, placeOfEvent } = world;
  const n = history.txnStatus.length;
  const isRead = (op: OperationId): boolean => from[op] !== NO_READ;
  const commit = (t: number): number => (t === n ? -1 : placeOfCommit[t]);
  const event = (e: number): number => (e >= 2 * n ? e - 2 * n - 2 : placeOfEvent[e]);
  switch (name) {
    case 'id':
      return (x, y) => x === y;
    case 'so':
      return (x, y) => x < y && y < n && history.txnSession[x] === history.txnSession[y];
    case 'rt':
      return (x, y) => x < n && y < n && isEarlier(returnOf(history, x), callOf(history, y));
    case 'time':
      return (x, y) => x < 2 * n && y < 2 * n && isEarlier(timeFrom(history, x), timeTo(history, y));
    case 'co':
      return (x, y) => commit(x) < commit(y);
    case 'before':
      return (x, y) => event(x) < event(y);
    case 'conflict':
      return (x, y) => x !== y && x < n && y < n && writeOneKey(world, x, y);
    case 'po':
      return (x, y) => isRead(x) && isRead(y) && txnOf[x] === txnOf[y] && isEarlierStatement(history, x, y);
    case 'same-key':
      return (x, y) => isRead(x) && isRead(y) && history.opKey[x] === history.opKey[y];
    case 'same-value':
      return (x, y) => isRead(x) && isRead(y) && history.opKey[x] === history.opKey[y] && shown[x] === shown[y];
    default:
      return null;
  }
}

function writeOneKey({ keys }: World, x: number, y: number): boolean {
  for (let i = keys.start[x]; i < keys.start[x + 1]; i++) if (rowOf(keys, y, keys.item[i]) >= 0) return true;
  return false;
}
