import { type AnomalyName, type Edge, type FoundAnomaly, INITIAL_TXN, nameWithTime } from '@isolab/contract';
import type { Cycle } from './cycles.ts';
import { type Dependencies, type Divergence, lastWriteOf, readOfVersion } from './dependencies.ts';
import { EdgeType, type TypedEdge } from './typed-edges.ts';

/** A step of a cycle: one edge; an anti-dependency includes the following WW edges of its key. */
interface CycleStep extends TypedEdge {
  readonly versions: readonly TypedEdge[];
}

/** The anomaly of a cycle, with the proof that its edges must hold. */
export function anomalyOfCycle(dependencies: Dependencies, { edges, scope }: Cycle, certify: boolean): FoundAnomaly {
  const steps = joined(dependencies, edges);
  const antis = steps.filter(({ type }) => type === EdgeType.RW).length;
  const name = scope === 'strict' ? nameWithTime(steps.length, antis, false) : nameOf(dependencies, steps);
  return anomalyOfPair(dependencies, edges, name, certify);
}

/**
 * The anomaly of a conflicting pair of one key: the edge that puts one of them first, and the chain in the opposite
 * order.
 */
export function anomalyOfPair(
  dependencies: Dependencies,
  edges: readonly TypedEdge[],
  name: AnomalyName,
  certify: boolean,
): FoundAnomaly {
  const steps = joined(dependencies, edges);
  return {
    name,
    transactions: [...new Set(steps.map(({ from }) => from))],
    ...(certify && { certificate: { kind: 'cycle', edges: steps.map((step) => edgeOf(dependencies, step)) } }),
  };
}

/** The divergence triple: two transactions that each read the version that the other overwrote. */
export function anomalyOfDivergence(
  dependencies: Dependencies,
  { version, first, second }: Divergence,
  certify: boolean,
): FoundAnomaly {
  const overwrites = (from: number, to: number): Edge =>
    edgeOf(dependencies, antiDependency(from, to, readOfVersion(dependencies, from, version)));
  return {
    name: 'lost-update',
    transactions: [writerOf(dependencies, version), first, second],
    ...(certify && {
      certificate: { kind: 'cycle', edges: [overwrites(first, second), overwrites(second, first)] },
    }),
  };
}

const antiDependency = (from: number, to: number, read: number): CycleStep => ({
  type: EdgeType.RW,
  from,
  to,
  read,
  versions: [],
});

const writerOf = ({ numOps, txnOf }: Dependencies, version: number): number =>
  version < numOps ? txnOf[version] : INITIAL_TXN;

/** Joins consecutive session edges, and an anti-dependency with following WW edges if the level allows it. */
function joined(dependencies: Dependencies, cycle: readonly TypedEdge[]): CycleStep[] {
  const edges = turned(cycle);
  const steps: CycleStep[] = [];
  edges.forEach((edge, i) => {
    const last = steps.at(-1);
    const isFollowed = edges[(i + 1) % edges.length].type === EdgeType.RW;
    if (last?.type === EdgeType.SO && edge.type === EdgeType.SO) steps[steps.length - 1] = { ...last, to: edge.to };
    else if (
      last?.type === EdgeType.RW &&
      edge.to !== last.from &&
      !isFollowed &&
      overwritesKeyOf(dependencies, edge, last)
    )
      steps[steps.length - 1] = { ...last, to: edge.to, versions: [...last.versions, edge] };
    else steps.push({ ...edge, versions: [] });
  });
  return steps;
}

/** The cycle, rotated to start with an edge that is not joined with the previous edge. */
function turned(edges: readonly TypedEdge[]): readonly TypedEdge[] {
  const begin = edges.findIndex(({ type }) => type === EdgeType.RW);
  const other = edges.findIndex(({ type }) => type !== EdgeType.SO);
  const turn = Math.max(0, begin >= 0 ? begin : other);
  return [...edges.slice(turn), ...edges.slice(0, turn)];
}

function overwritesKeyOf({ history }: Dependencies, edge: TypedEdge, { read }: TypedEdge): boolean {
  if (edge.type !== EdgeType.WR) return false;
  const key = history.opKey[read];
  return history.opKey[edge.read] === key && lastWriteOf(history, edge.to, key) > edge.read;
}

function edgeOf(dependencies: Dependencies, { type, from, to, read, versions }: CycleStep): Edge {
  if (type === EdgeType.SO) return { from, to, reason: { kind: 'session' } };
  if (type === EdgeType.RT) return { from, to, reason: { kind: 'real-time' } };
  if (type === EdgeType.WR) return { from, to, reason: { kind: 'read-from', read } };
  const { history, version } = dependencies;
  const seen = version[read];
  const first = versions.length > 0 ? versions[0].from : to;
  const order: Edge[] = [
    readFrom(writerOf(dependencies, seen), first, readOfVersion(dependencies, first, seen)),
    ...versions.map((edge) => readFrom(edge.from, edge.to, edge.read)),
  ];
  return {
    from,
    to,
    reason: { kind: 'overwrites', read, write: lastWriteOf(history, to, history.opKey[read]), order },
  };
}

const readFrom = (from: number, to: number, read: number): Edge => ({ from, to, reason: { kind: 'read-from', read } });

/** Name by the kind of the anti-dependencies and by the path from the overwriter back to the reader. */
function nameOf({ history }: Dependencies, steps: readonly CycleStep[]): AnomalyName {
  const anti = steps.filter(({ type }) => type === EdgeType.RW);
  if (anti.length === 0) return 'G1c';
  if (anti.length > 1) {
    const adjacent = steps.some(
      (step, i) => step.type === EdgeType.RW && steps[(i + 1) % steps.length].type === EdgeType.RW,
    );
    return adjacent ? 'G2-item' : 'G-nonadjacent';
  }
  if (steps.length > 2) return 'causality-violation';
  const [stale] = anti;
  const back = steps.find(({ type }) => type !== EdgeType.RW)!;
  if (back.type === EdgeType.SO) return 'session-guarantee-violation';
  const isLater = back.read < stale.read && history.opKey[back.read] !== history.opKey[stale.read];
  return isLater ? 'non-monotonic-read' : 'fractured-read';
}
