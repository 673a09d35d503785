import type { Edge } from './certificate.ts';

/** Name of a cycle that takes real time; `isSplit` where begins and commits are ordered. */
export function nameWithTime(edges: number, antiDependencies: number, isSplit: boolean): string {
  if (antiDependencies === 0) return edges === 2 ? 'early-read' : 'G1c-realtime';
  if (antiDependencies === 1) return edges === 2 ? 'stale-read' : 'G-single-realtime';
  return isSplit ? 'G-nonadjacent-realtime' : 'G2-item-realtime';
}

/**
 * What a cycle is called by the edges that it shows, as Adya and Elle name cycles: by its anti-dependencies, and with a
 * suffix if it takes real time, or the order of sessions. Null where an edge is an assumption or stands for several.
 */
export function nameOfEdges(edges: readonly Edge[], isSplit: boolean): string | null {
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

const PLAIN: ReadonlySet<Edge['reason']['kind']> = new Set([
  'session',
  'initial',
  'read-from',
  'real-time',
  'version',
  'overwrites',
]);

/** Whether an edge is of a kind, or the order of writers is that it takes. */
const rests = ({ reason }: Edge, kind: 'real-time' | 'session'): boolean =>
  reason.kind === kind || (reason.kind === 'overwrites' && reason.order.some((edge) => rests(edge, kind)));
