/** Checks one selection of writers: an order that satisfies the level, or cycles without a common transaction. */
import type { Edge, LevelName } from '@isolab/contract';
import type { Tuning } from '../../../problem/tuning.ts';
import { findCycles } from '../edges/cycles.ts';
import { type EdgeList, type IncomingEdges, noEdges } from '../edges/edges.ts';
import { type ReadFor, edgesOfCycle, edgesOfStaleRead } from '../edges/explain.ts';
import type { EdgeFacts } from '../edges/facts.ts';
import { commitOrder } from '../edges/order.ts';
import { readFinder, searchOrder } from '../axioms/search-order.ts';

/** An order that satisfies the level, or some cycles that exclude it. */
export type Attempt = { readonly order: Int32Array } | { readonly order: null; readonly cycles: readonly Edge[][] };

export function tryOrder(
  facts: EdgeFacts,
  level: LevelName,
  roots: Int32Array,
  tuning: Tuning,
  charge: (steps: number) => void,
): Attempt {
  const numTxns = facts.happened.length;
  const toPlace = facts.happened.reduce((sum, happened) => sum + happened, 0);
  const known = commitOrder(facts, noEdges(numTxns), roots);
  if (known.length < toPlace)
    return { order: null, cycles: apart(facts, level, noEdges(numTxns), known, () => -1, tuning, charge) };
  if (level === 'read-committed-pl2') return { order: known };
  const { order, edges } = searchOrder(facts, level, known, roots, tuning, charge);
  const cycles = staleReads(facts, level, edges);
  if (order.length < toPlace) {
    const readFor = readFinder(facts, level, known, charge, edges);
    cycles.push(...apart(facts, level, edges.incoming(numTxns), order, readFor, tuning, charge));
  }
  return cycles.length === 0 ? { order } : { order: null, cycles };
}

/** Returns, for each read of an overwritten initial state, an edge of a transaction that overwrote it. */
function staleReads(facts: EdgeFacts, level: LevelName, { toInitial }: EdgeList): Edge[][] {
  const reads = new Map(toInitial.map(({ from, read }) => [read, from]));
  return Array.from(reads, ([read, from]) => edgesOfStaleRead(facts, level, from, read));
}

/** Selects cycles without a common transaction. The more such cycles are known, the fewer attempts are needed. */
function apart(
  facts: EdgeFacts,
  level: LevelName,
  incoming: IncomingEdges,
  placed: Int32Array,
  readFor: ReadFor,
  tuning: Tuning,
  charge: (steps: number) => void,
): Edge[][] {
  const cycles: Edge[][] = [];
  const left = Array.from(placed);
  for (let pass = 0; pass < tuning.cyclePasses; pass++) {
    charge(facts.happened.length);
    const found = findCycles(facts, incoming, Int32Array.from(left), tuning, true);
    if (found.length === 0) break;
    for (const cycle of found) {
      cycles.push(edgesOfCycle(facts, level, cycle, readFor));
      left.push(...cycle);
    }
    if (facts.happened.length - placed.length > tuning.manyUnplaced) break;
  }
  return cycles;
}
