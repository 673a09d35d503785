import type { AnomalyName } from './anomalies.ts';
import type { Edge } from './certificate.ts';

/** Names a cycle that depends on real time; `isSplit` if begins and commits are ordered separately. */
export function nameWithTime(edges: number, antiDependencies: number, isSplit: boolean): AnomalyName {
  if (antiDependencies === 0) return edges === 2 ? 'early-read' : 'G1c-realtime';
  if (antiDependencies === 1) return edges === 2 ? 'stale-read' : 'G-single-realtime';
  return isSplit ? 'G-nonadjacent-realtime' : 'G2-item-realtime';
}

/**
 * Names a cycle by its edges, as Adya and Elle do: by its anti-dependencies, with a suffix if it depends on real time
 * or the order of sessions. Returns null if an edge is an assumption.
 */
export function nameOfEdges(given: readonly Edge[], isSplit: boolean): AnomalyName | null {
  const edges = withoutDeduced(given);
  if (edges.some(({ reason }) => !PLAIN.has(reason.kind))) return null;
  const antiDependencies = edges.filter(({ reason }) => reason.kind === 'overwrites').length;
  const seesAnother = edges.some(({ reason }) => reason.kind === 'read-from');
  if (edges.some((edge) => rests(edge, 'real-time'))) {
    const isOfReads = seesAnother || antiDependencies > 0;
    return isOfReads ? nameWithTime(edges.length, antiDependencies, isSplit) : 'G0-realtime';
  }
  if (antiDependencies === 0) return seesAnother ? 'G1c' : 'G0';
  const name = antiDependencies === 1 ? 'G-single' : isSplit ? 'G-nonadjacent' : 'G2-item';
  return edges.some((edge) => rests(edge, 'session')) ? `${name}-process` : name;
}

/**
 * Returns the contradiction without deduced orders of writers. Suppose t2 was deduced to be before t1, because a reader
 * of t1 would otherwise have seen t2. A path from t1 to t2 contradicts this order; without the order, the contradiction
 * is that t2 is visible to the reader, which misses it.
 */
function withoutDeduced(edges: readonly Edge[]): readonly Edge[] {
  const place = edges.findIndex(({ reason }) => reason.kind === 'overwritten');
  if (place < 0) return edges;
  const { from, reason } = edges[place]!;
  if (reason.kind !== 'overwritten' || reason.visible.length === 0) return edges;
  const { read, write, visible } = reason;
  const order = [...edges.slice(place + 1), ...edges.slice(0, place)];
  const misses: Edge = { from: visible.at(-1)!.to, to: from, reason: { kind: 'overwrites', read, write, order } };
  return withoutDeduced([...visible, misses]);
}

const PLAIN: ReadonlySet<Edge['reason']['kind']> = new Set([
  'session',
  'initial',
  'read-from',
  'real-time',
  'version',
  'overwrites',
]);

/** Returns whether an edge has this kind, or depends on an order of writers with an edge of this kind. */
const rests = ({ reason }: Edge, kind: 'real-time' | 'session'): boolean =>
  reason.kind === kind || (reason.kind === 'overwrites' && reason.order.some((edge) => rests(edge, kind)));
