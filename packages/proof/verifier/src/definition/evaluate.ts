import type { History } from '@isolab/history';
import type { Axiom, Expression, LevelDefinition } from '@isolab/levels';
import { type Fields, inside, refuse } from '../verdict/flaw.ts';
import { exists, sizeOf } from './edges.ts';
import { type Machine, machineOf, rowsOf } from './machine.ts';
import { WorldsOfKeys } from './one-key.ts';
import { refusePredicates } from './predicates.ts';
import { type World, readWorld } from './world.ts';

/** Refuses unless the level's axioms hold along the order that a certificate states. */
export function verifyAlongOrder(history: History, level: LevelDefinition, certificate: Fields): void {
  verifyAxioms(readWorld(history, level, certificate), level);
}

/** Refuses unless a level's own axioms hold in a world, and returns the world. */
export function verifyAxioms(world: World, level: LevelDefinition): World {
  level.axioms.forEach((axiom, i) =>
    inside(
      () => `axiom ${i + 1} of ${level.name} (${axiom.position.file}:${axiom.position.line})`,
      () => verifyAxiom(world, axiom),
    ),
  );
  return world;
}

function verifyAxiom(world: World, axiom: Axiom): void {
  if (!axiom.eachKey) return verifyIn(world, axiom);
  refusePredicates(world.history);
  const worlds = new WorldsOfKeys(world);
  for (const key of worlds.used())
    inside(
      () => `at key ${key}`,
      () => verifyIn(worlds.of(key), axiom),
    );
}

function verifyIn(world: World, axiom: Axiom): void {
  const { expression, position } = axiom;
  switch (axiom.kind) {
    case 'empty':
      return refuseAny(world, expression);
    case 'acyclic':
      return refuseClosed(world, expression, true);
    case 'irreflexive':
      return refuseClosed(world, expression, false);
    case 'overwritten': {
      const right: Expression = { kind: 'base', name: axiom.of === 'transaction' ? 'rw' : 'missed', position };
      return refuseClosed(world, { kind: 'composition', left: expression, right, position }, false);
    }
    case 'contains': {
      const order: Expression = { kind: 'base', name: axiom.order, position };
      const back: Expression = { kind: 'optional', of: order, position };
      return refuseClosed(world, { kind: 'composition', left: expression, right: back, position }, false);
    }
  }
}

const name = ({ history, names }: World, sort: string, v: number): string => {
  const n = history.txnStatus.length;
  if (sort === 'read') return `operation ${names?.ops[v] ?? v}`;
  const t = sort === 'event' ? v >> 1 : v;
  const txn = t === n ? 'the initial transaction' : `transaction ${names?.txns[t] ?? t}`;
  return sort === 'event' ? `the ${v % 2 === 0 ? 'begin' : 'commit'} of ${txn}` : txn;
};

function refuseAny(world: World, expression: Expression): void {
  const { edges, first, last, sort, endSort } = machineOf(world, expression);
  const { start, item } = rowsOf(edges);
  const seen = new Uint8Array(edges.numNodes);
  const stack: number[] = [];
  for (let v = 0, size = sizeOf(world, sort); v < size; v++)
    if (exists(world, sort, v)) {
      seen[first + v] = 1;
      stack.push(first + v);
    }
  for (let node = stack.pop(); node !== undefined; node = stack.pop())
    for (let e = start[node]; e < start[node + 1]; e++)
      if (seen[item[e]] === 0) {
        seen[item[e]] = 1;
        stack.push(item[e]);
      }
  for (let v = 0, size = sizeOf(world, endSort); v < size; v++)
    if (seen[last + v] === 1) refuse(`it is not empty, and leads to ${name(world, endSort, v)}`);
}

/** Refuses a closed walk of the expression, or with `again` a closed sequence of several walks. */
function refuseClosed(world: World, expression: Expression, again: boolean): void {
  const machine = machineOf(world, expression);
  const { edges, first, last, sort } = machine;
  const inner = edges.count;
  const size = sizeOf(world, sort);
  for (let v = 0; v < size; v++) if (exists(world, sort, v)) edges.add(last + v, first + v);
  const isLeft = core(machine);
  const asked: number[] = [];
  for (let v = 0; v < size; v++)
    if (isLeft[first + v] === 1 && isLeft[last + v] === 1 && exists(world, sort, v)) asked.push(v);
  if (asked.length === 0) return;
  const kept = keptEdges(machine, isLeft, again ? edges.count : inner);
  const mask = new Int32Array(edges.numNodes);
  for (let i = 0; i < asked.length; i += 32) {
    const some = asked.slice(i, i + 32);
    mask.fill(0);
    some.forEach((v, bit) => (mask[first + v] |= 1 << bit));
    spread(kept, mask);
    const bit = some.findIndex((v, b) => ((mask[last + v] >>> b) & 1) === 1);
    if (bit >= 0) refuse(`it leads from ${name(world, sort, some[bit]!)} back to itself along the order`);
  }
}

/** 1 for nodes on cycles or between cycles, without nodes that have no predecessors or no successors. */
function core({ edges }: Machine): Uint8Array {
  const isLeft = new Uint8Array(edges.numNodes).fill(1);
  const peel = (from: Int32Array, to: Int32Array): void => {
    const { count, numNodes } = edges;
    const { start, item } = rowsOf({ from, to, count, numNodes }, (e) => isLeft[from[e]] === 1 && isLeft[to[e]] === 1);
    const entering = new Int32Array(numNodes);
    for (let i = 0; i < item.length; i++) entering[item[i]]++;
    const queue: number[] = [];
    for (let node = 0; node < numNodes; node++) if (isLeft[node] === 1 && entering[node] === 0) queue.push(node);
    for (let node = queue.pop(); node !== undefined; node = queue.pop()) {
      isLeft[node] = 0;
      for (let e = start[node]; e < start[node + 1]; e++) if (--entering[item[e]] === 0) queue.push(item[e]);
    }
  };
  peel(edges.from, edges.to);
  peel(edges.to, edges.from);
  return isLeft;
}

/**
 * Returns the edges between the remaining nodes, sorted as far as possible so that a node comes after its predecessors.
 */
function keptEdges({ edges }: Machine, isLeft: Uint8Array, count: number): { from: Int32Array; to: Int32Array } {
  const { from, to, numNodes } = edges;
  const { start, item } = rowsOf({ from, to, count, numNodes }, (e) => isLeft[from[e]] === 1 && isLeft[to[e]] === 1);
  const order = finishingOrder(numNodes, start, item, isLeft);
  const kept = { from: new Int32Array(item.length), to: item.slice() };
  let at = 0;
  for (let i = order.length - 1; i >= 0; i--)
    for (let e = start[order[i]]; e < start[order[i] + 1]; e++) {
      kept.from[at] = order[i];
      kept.to[at++] = item[e];
    }
  return kept;
}

/** Returns nodes in the finishing order of a depth-first search. Reversed, it is a topological order if one exists. */
function finishingOrder(numNodes: number, start: Int32Array, target: Int32Array, isLeft: Uint8Array): Int32Array {
  const cursor = start.slice(0, numNodes);
  const isMet = new Uint8Array(numNodes);
  const order = new Int32Array(numNodes);
  let count = 0;
  const path: number[] = [];
  for (let root = 0; root < numNodes; root++) {
    if (isLeft[root] === 0 || isMet[root] === 1) continue;
    isMet[root] = 1;
    path.push(root);
    while (path.length > 0) {
      const node = path[path.length - 1]!;
      if (cursor[node] < start[node + 1]) {
        const next = target[cursor[node]++];
        if (isMet[next] === 0) {
          isMet[next] = 1;
          path.push(next);
        }
      } else {
        order[count++] = node;
        path.pop();
      }
    }
  }
  return order.subarray(0, count);
}

/** Passes the marks of each node to all its successors. */
function spread({ from, to }: { readonly from: Int32Array; readonly to: Int32Array }, mask: Int32Array): void {
  for (let isNew = true; isNew;) {
    isNew = false;
    for (let e = 0; e < from.length; e++) {
      const more = mask[from[e]] & ~mask[to[e]];
      if (more === 0) continue;
      mask[to[e]] |= more;
      isNew = true;
    }
  }
}
