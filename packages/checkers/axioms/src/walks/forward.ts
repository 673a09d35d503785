import { type BaseLetter, type CompoundLetter, type Constraint, type Term, isLetter, sortsOf } from '@isolab/levels';
import type { LevelFacts } from '../facts/facts.ts';
import type { Along } from '../facts/order.ts';
import { selectionBy, timesOf } from './emit.ts';
import type { Tick } from './types.ts';

// Most orders are correct nearly everywhere, and this can be proved without examining single walks. If every walk of a
// term ends at a later place than its start, no walk is closed, and the order contains the term. So the latest start of
// a walk to each node suffices, and each relation propagates it in one linear pass. The result is an upper bound: it
// may fail to prove a true statement, but never proves a false one.

/** The latest start of a walk to each node, read or event, or NOWHERE. */
type Latest = Int32Array;

/** Precedes every place. The initial transaction begins and commits before all others. */
const NOWHERE = -3;
const INITIAL_BEGIN = -2;
const INITIAL_COMMIT = -1;

/** An order, with the places of its transactions, and of events at levels about events. */
export interface Places {
  readonly along: Along;
  readonly ofNode: Int32Array;
  readonly ofEvent: Int32Array | null;
}

/** `commits` has the place of each node except the initial transaction. */
export function placesAlong(along: Along, commits: Int32Array): Places {
  const ofNode = new Int32Array(commits.length + 1);
  ofNode.set(commits);
  ofNode[commits.length] = INITIAL_COMMIT;
  if (along.kind !== 'events') return { along, ofNode, ofEvent: null };
  const ofEvent = new Int32Array(along.place.length + 2);
  ofEvent.set(along.place);
  ofEvent[along.place.length] = INITIAL_BEGIN;
  ofEvent[along.place.length + 1] = INITIAL_COMMIT;
  return { along, ofNode, ofEvent };
}

/** Returns whether a linear pass proves that no walk along an order violates a constraint. */
export function isPlain(places: Places, { kind, term, ends, mayReturn }: Constraint, tick: Tick): boolean {
  const start = ends === null || kind === 'empty' || ends[0] !== ends[1] ? null : startsOf(places, ends[0]);
  const latest = start && new Passing(places, tick).through(term, start);
  if (start === null || latest === null) return false;
  const mayStay = kind === 'contains' && mayReturn ? 1 : 0;
  for (let i = 0; i < latest.length; i++) if (latest[i] >= start[i] + mayStay && latest[i] !== NOWHERE) return false;
  return true;
}

function startsOf({ ofNode, ofEvent }: Places, sort: string): Latest | null {
  return sort === 'transaction' ? ofNode : sort === 'event' ? ofEvent : null;
}

/** Propagates latest starts along terms; returns null for terms that it does not support. */
class Passing {
  readonly #places: Places;
  readonly #facts: LevelFacts;
  readonly #tick: Tick;

  constructor(places: Places, tick: Tick) {
    this.#places = places;
    this.#facts = places.along.facts;
    this.#tick = tick;
  }

  through(term: Term, from: Latest): Latest | null {
    switch (term.kind) {
      case 'nothing':
        return from;
      case 'letter':
        return term.letter.kind === 'base' ? this.#base(term.letter, from) : this.#compound(term.letter, from);
      case 'union': {
        const parts = term.parts.map((part) => this.through(part, from));
        return parts.reduce((one, other) => one && other && merge(one, other, 'later'));
      }
      case 'sequence':
        return term.parts.reduce<Latest | null>((latest, part) => latest && this.through(part, latest), from);
      case 'plus':
        return this.#plus(term.of, from);
    }
  }

  /**
   * If each step leads forward, the last of several steps starts latest, and a walk that starts before a step's start
   * also starts before its end.
   */
  #plus(of: Term, from: Latest): Latest | null {
    const ends = sortsOf(of);
    const place = ends === null || ends[0] !== ends[1] ? null : startsOf(this.#places, ends[0]);
    const once = place && this.through(of, place);
    if (place === null || once === null) return null;
    const isForward = once.every((latest, i) => latest < place[i] || latest === NOWHERE);
    return isForward && from.every((latest, i) => latest <= place[i]) ? once : null;
  }

  /** The pairs of an intersection belong to both sides, and a difference is a subset of its left side. */
  #compound(letter: CompoundLetter, from: Latest): Latest | null {
    if (letter.kind === 'without') return this.through(letter.left, from);
    if (isOverwriting(letter)) return this.#versions(from);
    const left = this.through(letter.left, from);
    const right = this.through(letter.right, from);
    return left && right ? merge(left, right, 'earlier') : (left ?? right);
  }

  #base({ name, inverse }: BaseLetter, from: Latest): Latest | null {
    this.#tick(from.length);
    if (inverse) return this.#inverse(name, from);
    const { initial, reads, previous } = this.#facts;
    const count = reads.op.length;
    switch (name) {
      case 'so': {
        const to = this.#nodes();
        for (let n = 0; n < initial; n++) if (previous[n] >= 0) to[n] = Math.max(to[previous[n]], from[previous[n]]);
        return to;
      }
      case 'wr': {
        const to = this.#nodes();
        const { writer, node } = reads;
        for (let r = 0; r < count; r++)
          if (writer[r] >= 0 && from[writer[r]] > to[node[r]]) to[node[r]] = from[writer[r]];
        return to;
      }
      case 'seen':
        return reads.writer.map((writer) => (writer < 0 ? NOWHERE : from[writer]));
      case 'reads':
        return reads.node.map((node) => from[node]);
      case 'po': {
        const to = new Int32Array(count).fill(NOWHERE);
        for (let r = 1, first = 0; r < count; r++) {
          if (reads.node[r] !== reads.node[r - 1]) first = r;
          else if (reads.statement[r] === reads.statement[r - 1]) to[r] = to[r - 1];
          else {
            to[r] = to[r - 1];
            for (; first < r; first++) to[r] = Math.max(to[r], from[first]);
          }
        }
        return to;
      }
      case 'ww':
        return this.#versions(from);
      case 'rw':
      case 'missed':
        return this.#missed(name, from);
      case 'co':
        return this.#commits(from);
      case 'rt':
        return this.#realTime(from);
      case 'time':
        return this.#times(from);
      default:
        return this.#identity(name, from);
    }
  }

  #nodes(): Latest {
    return new Int32Array(this.#facts.initial + 1).fill(NOWHERE);
  }

  #inverse(name: BaseLetter['name'], from: Latest): Latest | null {
    const { initial, reads } = this.#facts;
    const to = this.#nodes();
    switch (name) {
      case 'begin':
      case 'commit': {
        const offset = name === 'begin' ? 0 : 1;
        for (let n = 0; n <= initial; n++) to[n] = from[2 * n + offset];
        return to;
      }
      case 'reads':
        for (let r = 0; r < from.length; r++) if (from[r] > to[reads.node[r]]) to[reads.node[r]] = from[r];
        return to;
      default:
        return null;
    }
  }

  #identity(name: BaseLetter['name'], from: Latest): Latest | null {
    const { initial, isWriter } = this.#facts;
    const selection = selectionBy(this.#facts, name);
    if (selection !== null) return from.map((latest, i) => (selection.has(i) ? latest : NOWHERE));
    switch (name) {
      case '[writer]':
        return from.map((latest, n) => (n === initial || isWriter[n] === 1 ? latest : NOWHERE));
      case 'begin':
      case 'commit': {
        const to = new Int32Array(2 * initial + 2).fill(NOWHERE);
        for (let n = 0, offset = name === 'begin' ? 0 : 1; n <= initial; n++) to[2 * n + offset] = from[n];
        return to;
      }
      case '[begin]':
      case '[commit]':
        return from.map((latest, event) => (event % 2 === (name === '[begin]' ? 0 : 1) ? latest : NOWHERE));
      default:
        return null;
    }
  }

  #versions(from: Latest): Latest {
    const { initial, writes } = this.#facts;
    const { chain } = this.#places.along;
    const to = this.#nodes();
    for (let key = 0; key + 1 < writes.start.length; key++) {
      let latest = from[initial];
      for (let i = writes.start[key]; i < writes.start[key + 1]; i++) {
        const n = writes.node[chain[i]];
        if (latest > to[n]) to[n] = latest;
        if (from[n] > latest) latest = from[n];
      }
    }
    return to;
  }

  /** Edges to the transactions that overwrite a version that a read saw, except to the reader itself. */
  #missed(name: 'rw' | 'missed', from: Latest): Latest {
    const { initial, reads, writes } = this.#facts;
    const { chain, placeInChain } = this.#places.along;
    const to = this.#nodes();
    const joins = new Int32Array(chain.length + 1).fill(NOWHERE); // by place in a chain: walks that continue from there
    for (let r = 0; r < reads.op.length; r++) {
      if (reads.writer[r] < 0) continue;
      const latest = from[name === 'rw' ? reads.node[r] : r];
      const end = writes.start[reads.key[r] + 1];
      let first = reads.writer[r] === initial ? writes.start[reads.key[r]] : placeInChain[reads.seenRow[r]] + 1;
      const own = reads.ownRow[r] < 0 ? -1 : placeInChain[reads.ownRow[r]];
      if (own >= first) {
        this.#tick(own - first);
        for (; first < own; first++) to[writes.node[chain[first]]] = Math.max(to[writes.node[chain[first]]], latest);
        first = own + 1;
      }
      if (first < end && latest > joins[first]) joins[first] = latest;
    }
    for (let key = 0; key + 1 < writes.start.length; key++) {
      let latest = NOWHERE;
      for (let i = writes.start[key]; i < writes.start[key + 1]; i++) {
        if (joins[i] > latest) latest = joins[i];
        const n = writes.node[chain[i]];
        if (latest > to[n]) to[n] = latest;
      }
    }
    return to;
  }

  #commits(from: Latest): Latest {
    const to = this.#nodes();
    let latest = from[this.#facts.initial];
    for (const n of this.#places.along.commits) {
      to[n] = latest;
      if (from[n] > latest) latest = from[n];
    }
    return to;
  }

  #realTime(from: Latest): Latest {
    const { called, returned, initial } = this.#facts;
    return inTime(from, called, returned, this.#nodes(), initial);
  }

  #times(from: Latest): Latest {
    const to = new Int32Array(from.length).fill(NOWHERE);
    return inTime(from, timesOf(this.#facts, true), timesOf(this.#facts, false), to, 2 * this.#facts.initial);
  }
}

/** Propagates walks from items that have left to items that arrive later. Times are ranks, −1 if unknown. */
function inTime(from: Latest, arrives: Int32Array, leaves: Int32Array, to: Latest, count: number): Latest {
  const latestBy = new Int32Array(2 * count + 2).fill(NOWHERE); // by rank: the latest of all earlier starts
  for (let i = 0; i < count; i++)
    if (leaves[i] >= 0 && from[i] > latestBy[leaves[i] + 1]) latestBy[leaves[i] + 1] = from[i];
  for (let rank = 1; rank < latestBy.length; rank++)
    if (latestBy[rank - 1] > latestBy[rank]) latestBy[rank] = latestBy[rank - 1];
  for (let i = 0; i < count; i++) if (arrives[i] >= 0) to[i] = latestBy[arrives[i]];
  return to;
}

/** Returns whether a letter is `co & conflict`: of two writers of a key, the earlier commit before the later. */
const isOverwriting = ({ left, right }: CompoundLetter): boolean =>
  (isLetter(left, 'co') && isLetter(right, 'conflict')) || (isLetter(left, 'conflict') && isLetter(right, 'co'));

/** The later (or earlier) of the two entries at each index. */
function merge(one: Latest, other: Latest, which: 'later' | 'earlier'): Latest {
  const merged = one.slice();
  for (let i = 0; i < merged.length; i++)
    if (which === 'later' ? other[i] > merged[i] : other[i] < merged[i]) merged[i] = other[i];
  return merged;
}
