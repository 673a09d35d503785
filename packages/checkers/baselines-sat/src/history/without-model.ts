import type { Edge, FoundAnomaly, LevelName } from '@isolab/contract';
import { INITIAL } from '@isolab/relations';
import type { Facts } from './facts.ts';
import { cycleOf } from './tcc-mono.ts';
import { addEdge, emptyGraph } from '../problem.ts';

/**
 * What can be said of a formula without a model: that there is no order. Read-from and session order may have a cycle
 * of their own, which is easily found, and proves it. Otherwise the anomaly has the name of what the level forbids and
 * the next weaker one does not, and all transactions take part, for it is not known which ones matter.
 */
export function anomalyWithoutModel(facts: Facts, level: LevelName): FoundAnomaly {
  const { numNodes, session, readFrom, txnOf } = facts;
  const sessions = !WITHOUT_SESSIONS.includes(level);
  const graph = emptyGraph(numNodes);
  for (const { writer, reader } of readFrom) if (writer !== INITIAL) addEdge(graph, writer, reader);
  if (sessions) for (let n = 1; n < numNodes; n++) if (session[n] === session[n - 1]) addEdge(graph, n - 1, n);
  const cycle = cycleOf(graph);
  if (cycle !== null) return readFromCycle(facts, cycle, sessions);
  return { name: NAMES[level] ?? 'G2-item', transactions: Array.from(txnOf) };
}

/** A cycle of session order, if it counts, and read-from. */
export function readFromCycle(facts: Facts, nodes: readonly number[], sessions: boolean): FoundAnomaly {
  const { readFrom, session, txnOf } = facts;
  const edges = nodes.map((from, i): Edge => {
    const to = nodes[(i + 1) % nodes.length]!;
    const ends = { from: txnOf[from], to: txnOf[to] };
    if (sessions && session[from] === session[to] && from < to) return { ...ends, reason: { kind: 'session' } };
    const { op } = readFrom.find(({ reader, writer }) => reader === to && writer === from)!;
    return { ...ends, reason: { kind: 'read-from', read: op } };
  });
  return { name: 'G1c', transactions: nodes.map((n) => txnOf[n]), certificate: { kind: 'cycle', edges } };
}

const WITHOUT_SESSIONS: readonly LevelName[] = ['plain-serializable', 'adya-snapshot-isolation'];

const NAMES: { readonly [Level in LevelName]?: string } = {
  'read-committed': 'non-monotonic-read',
  'read-committed-dbcop': 'non-monotonic-read',
  'read-atomic': 'fractured-read',
  causal: 'causality-violation',
  prefix: 'G-nonadjacent',
  'adya-snapshot-isolation': 'G-nonadjacent',
  'snapshot-isolation': 'G-nonadjacent',
};
