import type { LevelName } from '@isolab/contract';
import { neighboursOf, nodesInPlace } from '@isolab/graph/relations';
import { type History, NO_TIME, TimeBounds, type TransactionId } from '@isolab/history';
import { type BeginCommitPolygraph, EdgeKind, beginOf, commitOf } from '@isolab/polygraph';

/**
 * Requirements of the variants of snapshot isolation beyond Adya's (section 5), as known edges.
 * Sessions: the commit of a transaction comes before the begin of the next transaction of its session. Real time: an
 * event comes before another if its latest time is earlier than the other's earliest by more than the clock drift. This
 * orders begins and commits before commits, and at strong snapshot isolation also commits before begins, but never
 * begins before begins.
 */
export interface Demands {
  readonly sessions: boolean;
  readonly realTime: 'none' | 'commits' | 'snapshots';
}

export const DEMANDS = {
  'adya-snapshot-isolation': { sessions: false, realTime: 'none' },
  'generalized-snapshot-isolation': { sessions: false, realTime: 'commits' },
  'snapshot-isolation': { sessions: true, realTime: 'none' },
  'strong-session-snapshot-isolation': { sessions: true, realTime: 'commits' },
  'strong-snapshot-isolation': { sessions: true, realTime: 'snapshots' },
} as const satisfies Partial<Record<LevelName, Demands>>;

export type ViperLevel = keyof typeof DEMANDS;

export function addSessionEdges(history: History, { versions, edges }: BeginCommitPolygraph): void {
  const { next } = neighboursOf(history, nodesInPlace(versions.happened));
  for (let t = 0; t < next.length; t++) if (next[t] >= 0) edges.add(commitOf(t), beginOf(next[t]), EdgeKind.Session);
}

/** Events with their times, in order of time. */
interface Timed {
  readonly event: Int32Array;
  readonly time: BigInt64Array;
}

export function addRealTimeEdges(
  history: History,
  polygraph: BeginCommitPolygraph,
  realTime: Demands['realTime'],
  drift: bigint,
): void {
  if (realTime === 'none' || (history.txnBegin === null && history.txnEnd === null)) return;
  const { happened } = polygraph.versions;
  const bounds = new TimeBounds(history);
  const latest = { begins: [] as Occurrence[], commits: [] as Occurrence[] };
  const earliest = { begins: [] as Occurrence[], commits: [] as Occurrence[] };
  const note = (occurrences: Occurrence[], event: number, time: bigint): void => {
    if (time !== NO_TIME) occurrences.push({ event, time });
  };
  for (let t = 0 as TransactionId; t < happened.length; t++) {
    if (happened[t] === 0) continue;
    note(latest.begins, beginOf(t), bounds.latestBegin(t));
    note(latest.commits, commitOf(t), bounds.latestCommit(t));
    note(earliest.begins, beginOf(t), bounds.earliestBegin(t));
    note(earliest.commits, commitOf(t), bounds.earliestCommit(t));
  }
  addTimeLine(polygraph, inOrder([...latest.begins, ...latest.commits]), inOrder(earliest.commits), drift);
  if (realTime === 'snapshots') addTimeLine(polygraph, inOrder(latest.commits), inOrder(earliest.begins), drift);
}

interface Occurrence {
  readonly event: number;
  readonly time: bigint;
}

function inOrder(occurrences: readonly Occurrence[]): Timed {
  const sorted = occurrences.toSorted((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : a.event - b.event));
  return {
    event: Int32Array.from(sorted, ({ event }) => event),
    time: BigInt64Array.from(sorted, ({ time }) => time),
  };
}

/** Orders sources before all targets later by more than `drift`, through a line of nodes. */
function addTimeLine(polygraph: BeginCommitPolygraph, sources: Timed, targets: Timed, drift: bigint): void {
  const { edges } = polygraph;
  let now = -1;
  let next = 0;
  for (let i = 0; i < targets.event.length; i++) {
    const limit = targets.time[i] - drift;
    if (next < sources.event.length && sources.time[next] < limit) {
      const before = now;
      now = polygraph.numNodes++;
      if (before >= 0) edges.add(before, now, EdgeKind.RealTime);
      for (; next < sources.event.length && sources.time[next] < limit; next++)
        edges.add(sources.event[next], now, EdgeKind.RealTime);
    }
    if (now >= 0) edges.add(now, targets.event[i], EdgeKind.RealTime);
  }
}
