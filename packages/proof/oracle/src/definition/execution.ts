import { type BaseRelation, type Sort, levelSelectedBy, typeOfRelation } from '@isolab/levels';
import { earliestCommit, latestBegin } from '../facts/event-order.ts';
import { type ExternalRead, type Transaction, isMatch, itemOf } from '../facts/facts.ts';
import { type World, inRealTime, inSessionOrder, keysOf, writeTo } from '../facts/world.ts';
import { MOST_THINGS, type Matrix, isIn, matrixOf } from './matrix.ts';

/** The source of a read of a version that no transaction left, at levels that allow such reads. */
export const NO_WRITER = -1;

export interface Read extends ExternalRead {
  readonly reader: number;
}

/**
 * A numbered world: its transactions, then the initial transaction; all external reads; events 2t and 2t + 1 of
 * transaction t.
 */
export class Execution {
  readonly world: World;
  readonly keys: readonly number[];
  readonly reads: readonly Read[];
  readonly initial: number;

  constructor(world: World) {
    this.world = world;
    this.keys = keysOf(world);
    this.initial = world.transactions.length;
    this.reads = world.transactions.flatMap(({ reads }, reader) => reads.map((read) => ({ ...read, reader })));
    const most = Math.max(this.reads.length, this.size('event'));
    if (most > MOST_THINGS)
      throw new RangeError(
        `Got ${most} reads or events, expected at most ${MOST_THINGS}: the oracle is for tiny histories.`,
      );
  }

  size(sort: Sort): number {
    if (sort === 'read') return this.reads.length;
    return sort === 'transaction' ? this.initial + 1 : 2 * (this.initial + 1);
  }

  /** All writers of a key, including the initial transaction, as bits. */
  writers(key: number): number {
    return this.world.transactions.reduce(
      (bits, transaction, t) => (writeTo(transaction, key) ? bits | (1 << t) : bits),
      1 << this.initial,
    );
  }

  transaction(t: number): Transaction | null {
    return this.world.transactions[t] ?? null;
  }

  /** Returns whether t uses the key or, if no key is given, any key. */
  uses(t: number, key: number | null): boolean {
    return key === null || (this.transaction(t)?.keys.has(key) ?? true);
  }

  /** Possible sources of a read: the transactions that left its version. */
  sources(read: Read): number[] {
    const { key, seen, reader } = read;
    const found = this.world.transactions.flatMap((transaction, t) => {
      const write = writeTo(transaction, key);
      return t !== reader && write && leaves(write.value, seen) ? [t] : [];
    });
    const initially = this.world.initial[key]!;
    const isInitial = isMatch(seen)
      ? seen.accepts(initially)
      : typeof seen === 'number'
        ? seen === initially
        : seen.length === 0;
    return isInitial ? [this.initial, ...found] : found;
  }

  /** A relation that is independent of choices, for one key or for all keys. */
  fixed(name: FixedRelation, key: number | null): Matrix {
    const { from, to } = typeOfRelation(name);
    return matrixOf(this.size(from!), this.size(to!), (i, j) => this.#holds(name, i, j, key));
  }

  #holds(name: FixedRelation, i: number, j: number, key: number | null): boolean {
    const [a, b] = [this.transaction(i), this.transaction(j)];
    const [r, s] = [this.reads[i], this.reads[j]];
    switch (name) {
      case 'so':
        return a !== null && b !== null && this.#use(i, j, key) && inSessionOrder(a, b);
      case 'rt':
        return a !== null && b !== null && this.#use(i, j, key) && inRealTime(a, b);
      case 'conflict':
        return a !== null && b !== null && i !== j && this.#inConflict(i, j, key);
      case 'reads':
        return s!.reader === i && (key === null || s!.key === key);
      case 'po':
        return r!.reader === s!.reader && r!.statement < s!.statement;
      case 'same-key':
        return itemOf(r!) === itemOf(s!) && (key === null || r!.key === key);
      case 'same-value':
        return itemOf(r!) === itemOf(s!) && textOf(r!) === textOf(s!);
      case 'begin':
        return j === 2 * i;
      case 'commit':
        return j === 2 * i + 1;
      case 'time':
        return this.#inTime(i, j);
      case '[initial]':
        return i === j && i === this.initial;
      case '[writer]':
        return i === j && (a === null || a.writes.length > 0);
      case '[predicate]':
        return i === j && isMatch(r!.seen);
      case '[begin]':
      case '[commit]':
        return i === j && (i & 1) === (name === '[begin]' ? 0 : 1);
      default: {
        const { level, isOfReads } = levelSelectedBy(name)!;
        return i === j && this.transaction(isOfReads ? r!.reader : i)?.level === level;
      }
    }
  }

  #use(i: number, j: number, key: number | null): boolean {
    return this.uses(i, key) && this.uses(j, key);
  }

  #inConflict(i: number, j: number, only: number | null): boolean {
    return this.keys.some((key) => {
      const writers = this.writers(key);
      return (only === null || only === key) && isIn(writers, i) && isIn(writers, j);
    });
  }

  /** The latest time of one event precedes the earliest time of the other. Equal times order nothing. */
  #inTime(i: number, j: number): boolean {
    const [a, b] = [this.transaction(i >> 1), this.transaction(j >> 1)];
    if (a === null || b === null) return false;
    const latest = (i & 1) === 0 ? latestBegin(a) : a.end;
    const earliest = (j & 1) === 0 ? b.begin : earliestCommit(b);
    return latest !== null && earliest !== null && latest < earliest;
  }
}

type ChosenRelation = 'wr' | 'seen' | 'ww' | 'rw' | 'missed' | 'co' | 'before';

type FixedRelation = Exclude<BaseRelation, ChosenRelation | 'id'>;

const CHOSEN: readonly string[] = ['wr', 'seen', 'ww', 'rw', 'missed', 'co', 'before'] satisfies ChosenRelation[];

export const isFixed = (name: Exclude<BaseRelation, 'id'>): name is FixedRelation => !CHOSEN.includes(name);

/**
 * Returns whether a list ends with the appended elements or, for a register, whether the value equals the read value.
 */
function leaves(value: number | readonly number[], seen: Read['seen']): boolean {
  if (isMatch(seen)) return typeof value === 'number' && seen.accepts(value);
  if (typeof seen === 'number') return value === seen;
  return typeof value !== 'number' && value.length <= seen.length && seen.slice(-value.length).join() === value.join();
}

const textOf = ({ seen }: Read): string => String(isMatch(seen) ? seen.matched : seen);
