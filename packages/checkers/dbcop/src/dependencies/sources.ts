import { type Adjacency, placeIn } from '@isolab/graph';
import type { Dependencies } from './dependencies.ts';

/**
 * Sources of each node, in ascending order, each with the first read from it, and the first such read of another key,
 * or −1.
 */
export interface Sources {
  readonly start: Int32Array;
  readonly end: Int32Array;
  readonly node: Int32Array;
  readonly firstRead: Int32Array;
  readonly otherRead: Int32Array;
}

export function sourcesOf({ numNodes, readStart, readKey, reader, readsOf }: Dependencies): Sources {
  const end = readStart.slice(0, numNodes);
  const node = new Int32Array(reader.length);
  const firstRead = new Int32Array(reader.length);
  const otherRead = new Int32Array(reader.length).fill(-1);
  // Writers are visited in ascending order, so every row is sorted.
  for (let t1 = 0; t1 < numNodes; t1++) {
    for (let i = readsOf.start[t1]; i < readsOf.start[t1 + 1]; i++) {
      const read = readsOf.item[i];
      const t3 = reader[read];
      const last = end[t3] - 1;
      if (last < readStart[t3] || node[last] !== t1) {
        node[last + 1] = t1;
        firstRead[last + 1] = read;
        end[t3]++;
      } else if (otherRead[last] < 0 && readKey[firstRead[last]] !== readKey[read]) {
        otherRead[last] = read;
      }
    }
  }
  return { start: readStart, end, node, firstRead, otherRead };
}

/** Position of `t2` among the sources of `t3`, or −1. */
export const findSource = ({ start, end, node }: Sources, t3: number, t2: number): number =>
  placeIn(node, start[t3], end[t3], t2);

const followsInSession = ({ session }: Dependencies, node: number): boolean =>
  node > 0 && session[node - 1] === session[node];

/**
 * SO ∪ WR, with `extra` edges if given, as predecessors; SO contributes only the edge from the previous node of the
 * session.
 */
export function predecessors(deps: Dependencies, { start, end, node }: Sources, extra: Adjacency | null): Adjacency {
  const { numNodes } = deps;
  const first = new Int32Array(numNodes + 1);
  for (let v = 0; v < numNodes; v++) {
    const extras = extra ? extra.start[v + 1] - extra.start[v] : 0;
    first[v + 1] = first[v] + (followsInSession(deps, v) ? 1 : 0) + (end[v] - start[v]) + extras;
  }
  const target = new Int32Array(first[numNodes]);
  let next = 0;
  for (let v = 0; v < numNodes; v++) {
    if (followsInSession(deps, v)) target[next++] = v - 1;
    for (let i = start[v]; i < end[v]; i++) target[next++] = node[i];
    if (extra) for (let i = extra.start[v]; i < extra.start[v + 1]; i++) target[next++] = extra.target[i];
  }
  return { numNodes, start: first, target };
}
