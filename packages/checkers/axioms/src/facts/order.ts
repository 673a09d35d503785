import type { LevelDefinition } from '@isolab/levels';
import type { LevelFacts, WriteFacts } from './facts.ts';

/**
 * Points are the ordered items. At levels about commits a point is a node, at levels about events it is the begin (2n)
 * or the commit (2n + 1) of a node, at levels about versions it is a row of the writes. The initial transaction is
 * not a point: it always comes first. `of` returns a literal: one point precedes another.
 */
export interface Points {
  readonly kind: LevelDefinition['order'];
  readonly count: number;
}

export function pointsOf(kind: LevelDefinition['order'], { initial, writes }: LevelFacts): Points {
  const count = kind === 'commits' ? initial : kind === 'events' ? 2 * initial : writes.node.length;
  return { kind, count };
}

/** The point at which a node commits; levels about versions have no such point. */
export const commitPoint = (kind: LevelDefinition['order'], node: number): number =>
  kind === 'events' ? 2 * node + 1 : node;

export const versionPoint = (kind: LevelDefinition['order'], { node, standsAt }: WriteFacts, row: number): number =>
  kind === 'versions' ? standsAt[row] : commitPoint(kind, node[row]);

/** The facts along one order of the points. */
export interface Along {
  readonly facts: LevelFacts;
  readonly kind: LevelDefinition['order'];
  readonly place: Int32Array;
  /** The rows of each key in order of place, and the position of each row among them. */
  readonly chain: Int32Array;
  readonly placeInChain: Int32Array;
  /** All points in order of place, and the commits in that order; both empty at levels about versions. */
  readonly sequence: Int32Array;
  readonly commits: Int32Array;
}

/** `place` covers all points of the facts; places may have gaps. */
export function alongOrder(facts: LevelFacts, kind: LevelDefinition['order'], place: Int32Array): Along {
  const { writes, initial } = facts;
  const sequence = kind === 'versions' ? NONE : inSequence(place);
  const commits = kind === 'events' ? sequence.filter((point) => point % 2 === 1).map((point) => point >> 1) : sequence;
  const chain = kind === 'versions' ? chainsByPlace(writes, place) : chainsByCommits(writes, commits);
  const placeInChain = new Int32Array(chain.length);
  for (let i = 0; i < chain.length; i++) placeInChain[chain[i]] = i;
  return { facts, kind, place, chain, placeInChain, sequence, commits: commits.slice(0, initial) };
}

/** The points in order of place. Visits all places, unless most of them are gaps. */
function inSequence(place: Int32Array): Int32Array {
  let end = 0;
  for (let point = 0; point < place.length; point++) if (place[point] >= end) end = place[point] + 1;
  if (end > MOST_GAPS * place.length) return Int32Array.from(place.keys()).toSorted((a, b) => place[a] - place[b]);
  const at = new Int32Array(end).fill(-1);
  for (let point = 0; point < place.length; point++) at[place[point]] = point;
  return at.filter((point) => point >= 0);
}

const MOST_GAPS = 8;

function chainsByCommits({ start, rowStart, row, key }: WriteFacts, commits: Int32Array): Int32Array {
  const chain = new Int32Array(key.length);
  const next = start.slice();
  for (const n of commits) for (let i = rowStart[n]; i < rowStart[n + 1]; i++) chain[next[key[row[i]]]++] = row[i];
  return chain;
}

function chainsByPlace(writes: WriteFacts, place: Int32Array): Int32Array {
  const rowPlace = new Int32Array(writes.node.length);
  for (let row = 0; row < rowPlace.length; row++) rowPlace[row] = place[versionPoint('versions', writes, row)];
  const chain = Int32Array.from(rowPlace.keys());
  for (let key = 0; key + 1 < writes.start.length; key++) {
    const [from, to] = [writes.start[key], writes.start[key + 1]];
    if (to - from > 1) chain.subarray(from, to).sort((a, b) => rowPlace[a] - rowPlace[b]);
  }
  return chain;
}

const NONE = new Int32Array(0);
