import { IntList, placeIn } from '@isolab/graph';
import type { History, ReadFromIndex } from '@isolab/history';
import {
  type Nodes,
  type Reads,
  Relations,
  type Sessions,
  type WriteSets,
  type Writers,
} from '@isolab/graph/relations';

/** Input of Plume's algorithm: WR, WT_x and session order among the transactions that happened. */
export interface Model extends Nodes, Sessions {
  readonly history: History;
  readonly reads: Reads;
  readonly writes: WriteSets;
  readonly writers: SessionWriters;
}

/** The nodes that write each key, in ascending order, in groups of one session. */
export interface SessionWriters {
  /** First group of each key, with one extra slot at the end. */
  readonly groupStart: Int32Array;
  readonly groupSession: Int32Array;
  /** First writer of each group, with one extra slot at the end. */
  readonly start: Int32Array;
  readonly node: Int32Array;
}

export function buildModel(history: History, index: ReadFromIndex, tick: (steps: number) => void): Model {
  const { nodes, sessions, reads, writers, writeSets } = new Relations(history, index);
  tick(2 * nodes.numNodes);
  return { history, ...nodes, ...sessions, reads, writes: writeSets, writers: bySession(writers, sessions) };
}

function bySession({ start: keyStart, node }: Writers, { session }: Sessions): SessionWriters {
  const groupStart = new Int32Array(keyStart.length);
  const groupSession = new IntList();
  const start = new IntList();
  for (let key = 0; key + 1 < keyStart.length; key++) {
    let previous = -1;
    for (let i = keyStart[key]; i < keyStart[key + 1]; i++) {
      if (session[node[i]] === previous) continue;
      previous = session[node[i]];
      groupSession.push(previous);
      start.push(i);
    }
    groupStart[key + 1] = start.length;
  }
  start.push(node.length);
  return { groupStart, groupSession: groupSession.view(), start: start.view(), node };
}

/** The group of a key's writers in this session, or −1. */
export const groupOf = ({ groupStart, groupSession }: SessionWriters, key: number, session: number): number =>
  placeIn(groupSession, groupStart[key], groupStart[key + 1], session);
