import type { LevelName } from '@isolab/contract';
import type { Tuning } from '../../../problem/tuning.ts';
import { causalEdges } from './causal.ts';
import { readAtomicEdges } from './read-atomic.ts';
import { readCommittedEdges } from './read-committed.ts';
import { contradictions } from '../edges/contradictions.ts';
import { EdgeList, type EmitEdge } from '../edges/edges.ts';
import type { ReadFor } from '../edges/explain.ts';
import type { EdgeFacts } from '../edges/facts.ts';
import { commitOrder } from '../edges/order.ts';
import { canSee, visibilityOf } from '../edges/visibility.ts';

/**
 * Searches for an order that satisfies the level. Starts from an order of the known facts, adds the edges that it
 * contradicts, and repeats this with them. If the order is too short, the facts and the edges have cycles.
 */
export function searchOrder(
  facts: EdgeFacts,
  level: LevelName,
  known: Int32Array,
  roots: Int32Array,
  tuning: Tuning,
  charge: (steps: number) => void,
): { readonly order: Int32Array; readonly edges: EdgeList } {
  const edges = new EdgeList();
  const numTxns = facts.happened.length;
  let order = known;
  const rounds = canSee(facts, level, tuning) ? tuning.weakRounds : 0;
  for (let round = 0; round < rounds && order.length === known.length; round++) {
    const before = edges.count;
    const done = contradictions(facts, order, visibilityOf(facts, level), tuning, charge, edges.emit);
    if (!done) break;
    if (edges.count === before || edges.toInitial.length > 0) return { order, edges };
    order = commitOrder(facts, edges.incoming(numTxns), roots);
  }
  if (order.length < known.length) return { order, edges };
  const all = allEdges(facts, level, known, charge);
  return { order: commitOrder(facts, all.incoming(numTxns), roots), edges: all };
}

export function allEdges(
  facts: EdgeFacts,
  level: LevelName,
  known: Int32Array,
  charge: (steps: number) => void,
): EdgeList {
  const edges = new EdgeList();
  addEdges(facts, level, known, charge, edges.emit);
  return edges;
}

/** Causal edges that were added together do not record their reads, so these reads are computed again. */
export function readFinder(
  facts: EdgeFacts,
  level: LevelName,
  known: Int32Array,
  charge: (steps: number) => void,
  edges: EdgeList,
): ReadFor {
  return (from, to) => {
    let read = edges.readFor(from, to);
    if (read >= 0 || level !== 'causal') return read;
    const wanted = { has: (a: number, b: number) => a === from && b === to };
    causalEdges(facts, known, charge, (_, __, found) => void (read = found), wanted);
    return read;
  };
}

function addEdges(
  facts: EdgeFacts,
  level: LevelName,
  known: Int32Array,
  tick: (steps: number) => void,
  emit: EmitEdge,
): void {
  if (level === 'causal') causalEdges(facts, known, tick, emit);
  else if (level === 'read-atomic') readAtomicEdges(facts, tick, emit);
  else if (level !== 'read-committed-pl2') readCommittedEdges(facts, level, tick, emit);
}
