import type { LevelDefinition } from '@isolab/levels';
import { type Chosen, type Judgement, judgements, sourcesAsRelations } from './axioms.ts';
import { type Execution, NO_WRITER } from './execution.ts';
import { listOrders } from './lists.ts';
import { type Matrix, closure, emptyMatrix, isIn, isIrreflexive, matrixOf, union } from './matrix.ts';

/** Sequences of all commits, all events, or the writers of each key. */
export type Orders = readonly (readonly number[])[];

/**
 * Tries all orders that satisfy the axioms, by ordering an open pair of nodes both ways. A branch fails if its partial
 * order violates an axiom whose violation remains under any further order. A branch succeeds if some order that agrees
 * with its partial order satisfies all axioms. Otherwise the search continues.
 */
export function findOrders(execution: Execution, level: LevelDefinition, sources: readonly number[]): Orders | null {
  for (const lists of listOrders(execution, sources)) {
    const orders = new Search(execution, level, sources).from(lists);
    if (orders !== null) return orders;
  }
  return null;
}

/** A partial order for commits or for events; for versions, a partial order for each key. */
type Ordered = readonly Matrix[];

class Search {
  readonly #execution: Execution;
  readonly #kind: LevelDefinition['order'];
  readonly #sources: readonly number[];
  readonly #fromSources: Chosen;
  readonly #judgements: readonly Judgement[];
  /** The current partial order, and the relations requested for it. */
  #partial: Ordered = [];
  readonly #known = new Map<string, Matrix>();

  constructor(execution: Execution, level: LevelDefinition, sources: readonly number[]) {
    this.#execution = execution;
    this.#kind = level.order;
    this.#sources = sources;
    this.#fromSources = sourcesAsRelations(execution, sources);
    this.#judgements = judgements(level, execution, this.#relation);
  }

  /** `lists` gives for each key the order of its writers according to the lists that were read. */
  from(lists: readonly Matrix[]): Orders | null {
    const { initial, keys } = this.#execution;
    const size = initial + 1;
    const initialFirst = matrixOf(size, size, (s, t) => s === initial && t !== initial);
    if (this.#kind === 'versions')
      return this.#search(
        keys.map((key, k) => {
          const writers = this.#execution.writers(key);
          return union(
            lists[k]!,
            initialFirst.map((row) => row & writers),
          );
        }),
      );
    const commits = lists.reduce(union, initialFirst);
    if (this.#kind === 'commits') return this.#search([commits]);
    const ownCommit = matrixOf(2 * size, 2 * size, (i, j) => (i & 1) === 0 && j === i + 1);
    const initialEvents = matrixOf(2 * size, 2 * size, (i, j) => i >> 1 === initial && j >> 1 !== initial);
    return this.#search([[amongCommits(commits), ownCommit, initialEvents].reduce(union)]);
  }

  #search(start: Ordered): Orders | null {
    const partial = this.#withContained(start);
    if (partial === null || !this.#hold(partial, ({ isMonotone }) => isMonotone)) return null;
    const orders = this.#things().map((things, i) => inOrder(things, partial[i]!));
    const whole = orders.map((order, i) => orderOf(partial[i]!.length, order));
    if (this.#hold(whole, () => true)) return orders.map((order) => order.filter((thing) => !this.#isInitial(thing)));
    const open = this.#openPair(partial);
    if (open === null) return null;
    const [which, a, b] = open;
    const withPair = (from: number, to: number): Ordered =>
      partial.map((order, i) => (i === which ? order.map((row, j) => (j === from ? row | (1 << to) : row)) : order));
    return this.#search(withPair(a, b)) ?? this.#search(withPair(b, a));
  }

  /** Returns the closure after adding all pairs that the axioms put into the order; null if it has a cycle. */
  #withContained(start: Ordered): Ordered | null {
    for (let partial = start; ;) {
      const closed = partial.map(closure);
      if (!closed.every(isIrreflexive)) return null;
      this.#look(closed);
      const main = this.#kind === 'events' ? 'before' : 'co';
      const contained = this.#judgements.flatMap((judgement) => {
        if (judgement.contained === undefined) return [];
        const rows = judgement.contained.relation(this.#relation);
        return [judgement.contained.order === main ? rows : amongCommits(rows)];
      });
      partial = closed.map((order) => contained.reduce(union, order));
      if (partial.every((order, i) => order.every((row, j) => row === closed[i]![j]))) return closed;
    }
  }

  #hold(partial: Ordered, which: (judgement: Judgement) => boolean): boolean {
    this.#look(partial);
    return this.#judgements.every((judgement) => !which(judgement) || judgement.holds(this.#relation));
  }

  #look(partial: Ordered): void {
    this.#partial = partial;
    this.#known.clear();
  }

  /** Elements to be ordered, including the initial transaction. */
  #things(): readonly (readonly number[])[] {
    const { keys, initial } = this.#execution;
    const all = Array.from({ length: initial + 1 }, (_, t) => t);
    if (this.#kind === 'versions') return keys.map((key) => all.filter((t) => isIn(this.#execution.writers(key), t)));
    return this.#kind === 'commits' ? [all] : [all.flatMap((t) => [2 * t, 2 * t + 1])];
  }

  #isInitial(thing: number): boolean {
    return (this.#kind === 'events' ? thing >> 1 : thing) === this.#execution.initial;
  }

  /** Returns a pair of unordered elements, preferably a pair that many axioms concern. */
  #openPair(partial: Ordered): readonly [which: number, a: number, b: number] | null {
    let best: readonly [number, number, number] | null = null;
    let most = -1;
    for (const [which, things] of this.#things().entries())
      for (const a of things)
        for (const b of things) {
          if (b <= a || isIn(partial[which]![a]!, b) || isIn(partial[which]![b]!, a)) continue;
          const weight = this.#weight(a, b);
          if (weight > most) [best, most] = [[which, a, b], weight];
        }
    return best;
  }

  #weight(a: number, b: number): number {
    if (this.#kind === 'versions') return 2;
    if (this.#kind === 'commits') return this.#share(a, b, false);
    const [isCommit, isOther] = [(a & 1) === 1, (b & 1) === 1];
    if (isCommit && isOther) return this.#share(a >> 1, b >> 1, false);
    if (isCommit === isOther) return 0;
    return isCommit ? this.#share(b >> 1, a >> 1, true) : this.#share(a >> 1, b >> 1, true);
  }

  /** Returns 1 if both write a common key or, with `reads`, if one reads a key that the other writes. */
  #share(a: number, b: number, reads: boolean): number {
    return this.#execution.keys.some((key) => {
      const writers = this.#execution.writers(key);
      const isFirst = reads
        ? this.#execution.reads.some((read) => read.reader === a && read.key === key)
        : isIn(writers, a);
      return isFirst && isIn(writers, b);
    })
      ? 1
      : 0;
  }

  readonly #relation: Chosen = (name, key) => {
    const text = `${name} ${key}`;
    const known = this.#known.get(text);
    if (known) return known;
    const made = this.#make(name, key);
    this.#known.set(text, made);
    return made;
  };

  #make(...[name, key]: Parameters<Chosen>): Matrix {
    const size = this.#execution.size('transaction');
    const [partial] = this.#partial;
    switch (name) {
      case 'before':
        return partial!;
      case 'co':
        if (this.#kind === 'commits') return partial!;
        return matrixOf(size, size, (s, t) => isIn(partial![2 * s + 1]!, 2 * t + 1));
      case 'ww':
        return this.#writes(key);
      case 'missed':
        return this.#missed(key);
      case 'rw': {
        const rw = emptyMatrix(size);
        const missed = this.#relation('missed', key);
        for (const [r, { reader }] of this.#execution.reads.entries()) rw[reader]! |= missed[r]!;
        return rw;
      }
      default:
        return this.#fromSources(name, key);
    }
  }

  #writes(only: number | null): Matrix {
    const ww = emptyMatrix(this.#execution.size('transaction'));
    for (const [k, key] of this.#execution.keys.entries()) {
      if (only !== null && only !== key) continue;
      const writers = this.#execution.writers(key);
      const order = this.#kind === 'versions' ? this.#partial[k]! : this.#relation('co', null);
      for (let t = 0; t < ww.length; t++) if (isIn(writers, t)) ww[t]! |= order[t]! & writers;
    }
    return ww;
  }

  #missed(only: number | null): Matrix {
    return this.#execution.reads.map(({ key, reader }, r) => {
      const source = this.#sources[r]!;
      if (source === NO_WRITER || (only !== null && only !== key)) return 0;
      return this.#relation('ww', key)[source]! & ~(1 << reader);
    });
  }
}

/** Converts a relation of transactions to a relation of their commits. */
const amongCommits = (rows: Matrix): Matrix =>
  matrixOf(2 * rows.length, 2 * rows.length, (i, j) => (i & 1) === 1 && (j & 1) === 1 && isIn(rows[i >> 1]!, j >> 1));

/** Returns a linear extension of a partial order. */
function inOrder(things: readonly number[], partial: Matrix): number[] {
  const order: number[] = [];
  while (order.length < things.length)
    order.push(
      things.find(
        (thing) =>
          !order.includes(thing) && things.every((other) => order.includes(other) || !isIn(partial[other]!, thing)),
      )!,
    );
  return order;
}

function orderOf(size: number, things: readonly number[]): Matrix {
  const order = emptyMatrix(size);
  let later = 0;
  for (const thing of things.toReversed()) {
    order[thing] = later;
    later |= 1 << thing;
  }
  return order;
}
