import type { Level } from '@isolab/levels';
import type { Facts, WriteFacts } from './facts.ts';

/**
 * What is put in order: the points. At levels about commits a point is a node, at levels about events the begin (2n) or
 * the commit (2n + 1) of one, at levels about versions a row of the writes. The initial transaction is no point: it comes
 * first. `of` a literal: one point before another.
 */
export interface Points {
  readonly kind: Level['order'];
  readonly count: number;
}

export function pointsOf(kind: Level['order'], { initial, writes }: Facts): Points {
  const count = kind === 'commits' ? initial : kind === 'events' ? 2 * initial : writes.node.length;
  return { kind, count };
}

/** The point that says where a node commits; at levels about versions there is none. */
export const commitPoint = (kind: Level['order'], node: number): number => (kind === 'events' ? 2 * node + 1 : node);

/** The point that says where a written version stands among those of its key. */
export const versionPoint = (kind: Level['order'], { node, standsAt }: WriteFacts, row: number): number =>
  kind === 'versions' ? standsAt[row] : commitPoint(kind, node[row]);

/** The facts along one order of the points. */
export interface Along {
  readonly facts: Facts;
  readonly kind: Level['order'];
  /** By point: its place in the order. */
  readonly place: Int32Array;
  /** The rows of each key, by place; and where each row stands there. */
  readonly chain: Int32Array;
  readonly placeInChain: Int32Array;
  /** The points by place, the same for commits alone. */
  readonly sequence: Int32Array;
  readonly commits: Int32Array;
}

/** `place` has all points of the facts; places may have gaps. */
export function alongOrder(facts: Facts, kind: Level['order'], place: Int32Array): Along {
  const { writes, initial } = facts;
  const rowPlace = new Int32Array(writes.node.length);
  for (let row = 0; row < rowPlace.length; row++) rowPlace[row] = place[versionPoint(kind, writes, row)];
  const chain = new Int32Array(rowPlace.length);
  const placeInChain = new Int32Array(rowPlace.length);
  for (let row = 0; row < chain.length; row++) chain[row] = row;
  for (let key = 0; key + 1 < writes.start.length; key++) {
    const [from, to] = [writes.start[key], writes.start[key + 1]];
    if (to - from > 1) chain.subarray(from, to).sort((a, b) => rowPlace[a] - rowPlace[b]);
    for (let i = from; i < to; i++) placeInChain[chain[i]] = i;
  }
  const sequence = Int32Array.from(place.keys()).toSorted((a, b) => place[a] - place[b]);
  const commits = kind === 'events' ? sequence.filter((point) => point % 2 === 1).map((point) => point >> 1) : sequence;
  return {
    facts,
    kind,
    place,
    chain,
    placeInChain,
    sequence,
    commits: kind === 'versions' ? NONE : commits.slice(0, initial),
  };
}

const NONE = new Int32Array(0);
