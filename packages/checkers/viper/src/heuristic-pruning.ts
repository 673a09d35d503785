import { Stop } from '@isolab/contract';
import { type BeginCommitPolygraph, beginOf, commitOf, countConstraints } from '@isolab/polygraph';
import type { LikelyOrder } from './likely-order.ts';

/**
 * Heuristic pruning (section 3.5): databases seldom delay writes for long or show old snapshots, so a commit that is
 * `k` or more places before a begin in the likely order is assumed to come before it. A side of a constraint that
 * contradicts this is impossible.
 * If a chain comes before another, the begins of its last writer and of the readers of its last version come before the
 * commit of the other's first writer. This contradicts the assumption if the latest of these begins is `k` or more
 * places after that commit.
 */
export interface ChainPlaces {
  /** Place of the commit of each chain's first writer. */
  readonly first: Int32Array;
  /** Place of the last begin of each chain: of its last writer or of a reader of its last version. */
  readonly last: Int32Array;
}

export function chainPlaces(
  { versions, chainHead, chainTail }: BeginCommitPolygraph,
  { rank }: LikelyOrder,
): ChainPlaces {
  const { writer, readerStart, reader } = versions;
  const first = chainHead.map((head) => rank[commitOf(writer[head])]);
  const last = chainTail.map((tail) => {
    let place = rank[beginOf(writer[tail])];
    for (let row = readerStart[tail]; row < readerStart[tail + 1]; row++)
      place = Math.max(place, rank[beginOf(reader[row])]);
    return place;
  });
  return { first, last };
}

/** Result of pruning constraints, as pairs of chains side by side. */
export interface Pruned {
  /** Pairs with a known order, first chain first, without pairs that follow from other pairs. */
  readonly settled: Int32Array;
  /** Pairs that may come in either order. */
  readonly open: Int32Array;
  /** Number of settled pairs, including pairs that are not listed. */
  readonly numSettled: number;
}

/** Returns null if both sides of a constraint are impossible; then k is too small. */
export function prune(
  { chainStart, versions }: BeginCommitPolygraph,
  places: ChainPlaces,
  k: number,
  tick: (steps: number) => void,
): Pruned | null {
  const settled: number[] = [];
  const open: number[] = [];
  let numSettled = 0;
  for (let key = 0; key < versions.numKeys; key++) {
    const start = chainStart[key];
    const end = chainStart[key + 1];
    if (end - start < 2) continue;
    const count = pruneKey(start, end, places, k, settled, open);
    if (count < 0) return null;
    numSettled += count;
    tick((end - start) * (end - start));
  }
  return { settled: Int32Array.from(settled), open: Int32Array.from(open), numSettled };
}

/**
 * Settles the pairs of one key, and returns their number, or −1 if k is too small.
 * Pairs settled forwards are in the direction of their first writers' places. Pairs that follow from two others are
 * left out. The settled pairs contain no cycle, so each omitted pair follows from listed pairs. If a chain comes before
 * several chains, the first of these in place is before most of the others, so a comparison with it is sufficient.
 */
function pruneKey(
  start: number,
  end: number,
  { first, last }: ChainPlaces,
  k: number,
  settled: number[],
  open: number[],
): number {
  let numSettled = 0;
  for (let a = start; a < end; a++) {
    let nearest = -1; // first of the chains settled after a
    for (let b = start; b < end; b++) {
      if (b === a || last[b] - first[a] < k) continue;
      if (last[a] - first[b] >= k) return -1;
      if (first[a] < first[b] && (nearest < 0 || first[b] < first[nearest])) nearest = b;
    }
    for (let b = start; b < end; b++) {
      if (b === a) continue;
      if (last[b] - first[a] < k) {
        if (a < b && last[a] - first[b] < k) open.push(a, b);
        continue;
      }
      numSettled++;
      const isForward = first[a] < first[b];
      const follows = isForward && b !== nearest && first[nearest] < first[b] && last[b] - first[nearest] >= k;
      if (!follows) settled.push(a, b);
    }
  }
  return numSettled;
}

/** Returns all constraints unsettled. */
export function pruneNothing(polygraph: BeginCommitPolygraph, tick: (steps: number) => void): Pruned {
  const { chainStart, versions } = polygraph;
  const { pairs } = countConstraints(polygraph);
  if (pairs > MAX_CONSTRAINTS)
    throw new Stop('memory', `there are ${pairs} constraints, expected at most ${MAX_CONSTRAINTS}`);
  const open: number[] = [];
  for (let key = 0; key < versions.numKeys; key++) {
    const end = chainStart[key + 1];
    for (let a = chainStart[key]; a < end; a++) {
      for (let b = a + 1; b < end; b++) open.push(a, b);
      tick(end - a);
    }
  }
  return { settled: new Int32Array(0), open: Int32Array.from(open), numSettled: 0 };
}

/** Number of pairs beyond the capacity of any solver. */
const MAX_CONSTRAINTS = 30_000_000;
