import type { FoundAnomaly, LevelName } from '@isolab/checker';
import { type Facts, INITIAL } from './facts.ts';
import { cycleOf } from './tcc-mono.ts';
import { addEdge, emptyGraph } from '../problem.ts';

/**
 * What can be said of a formula without a model: that there is no order. Read-from and session order may have a cycle
 * of their own, which is easily found. Otherwise the anomaly has the name of what the level forbids and the next weaker
 * one does not, and all transactions take part, for it is not known which ones matter.
 */
export function uncertified(facts: Facts, level: LevelName): FoundAnomaly {
  const { numNodes, session, readFrom, txnOf } = facts;
  const graph = emptyGraph(numNodes);
  for (const { writer, reader } of readFrom) if (writer !== INITIAL) addEdge(graph, writer, reader);
  if (level !== 'plain-serializable' && level !== 'adya-snapshot-isolation')
    for (let n = 1; n < numNodes; n++) if (session[n] === session[n - 1]) addEdge(graph, n - 1, n);
  const cycle = cycleOf(graph);
  if (cycle !== null) return { name: 'G1c', transactions: cycle.map((n) => txnOf[n]) };
  return { name: NAMES[level] ?? 'G2-item', transactions: Array.from(txnOf) };
}

const NAMES: { readonly [Level in LevelName]?: string } = {
  'read-committed': 'non-monotonic-read',
  'read-committed-dbcop': 'non-monotonic-read',
  'read-atomic': 'fractured-read',
  causal: 'causality-violation',
  prefix: 'G-nonadjacent',
  'adya-snapshot-isolation': 'G-nonadjacent',
  'snapshot-isolation': 'G-nonadjacent',
};
