import { type BaseLetter, type Sort, sortsOfRelation } from '@isolab/levels';
import type { WalkStep } from '@isolab/contract';
import type { LevelFacts } from '../facts/facts.ts';
import { type Along, commitPoint, versionPoint } from '../facts/order.ts';
import { FIRST, LAST } from './automaton.ts';
import { compoundOf } from './product.ts';
import { commonRow } from './emit.ts';
import type { Evaluation, Product } from './types.ts';
import { Search, type TransitionStep } from './search.ts';

/** A walk with the orders that it rests on: pairs of points, the first before the second. */
export interface Explained {
  readonly walk: readonly WalkStep[];
  readonly orders: readonly (readonly [number, number])[];
  readonly reads: readonly number[];
  readonly nodes: readonly number[];
}

interface Grounds {
  readonly orders: (readonly [number, number])[];
  readonly reads: number[];
  readonly nodes: number[];
}

export function explain(evaluation: Evaluation, product: Product, steps: readonly TransitionStep[]): Explained {
  const grounds: Grounds = { orders: [], reads: [], nodes: [] };
  const walk = steps.map((step) => explainStep(evaluation, product, step, grounds));
  return { walk, ...grounds };
}

function explainStep(
  evaluation: Evaluation,
  { automaton }: Product,
  { transition, x, y }: TransitionStep,
  grounds: Grounds,
): WalkStep {
  const letter = automaton.transitions[transition].letter!;
  const { along } = evaluation;
  if (letter.kind === 'base') {
    const [from, to] = letter.inverse ? [y, x] : [x, y];
    const why = reasonOf(along, letter.name, from, to);
    const [a, b] = sortsOfRelation(letter.name);
    if (why.order) grounds.orders.push(why.order);
    if (letter.name === 'seen') grounds.reads.push(to);
    else if (why.read !== undefined) grounds.reads.push(why.read);
    grounds.nodes.push(nodeOf(along.facts, a, from), nodeOf(along.facts, b, to));
    return {
      relation: letter.name,
      from: nameIn(along.facts, a, from),
      to: nameIn(along.facts, b, to),
      ...(letter.inverse && { inverse: true }),
      ...(why.read !== undefined && { read: along.facts.reads.op[why.read] }),
      ...(why.writer !== undefined && { writer: nameIn(along.facts, 'transaction', why.writer) }),
      ...(why.row !== undefined && { key: along.facts.keyNames[along.facts.writes.key[why.row]] }),
    };
  }
  const { from: p, to: q } = automaton.transitions[transition];
  const { left, right } = compoundOf(evaluation, letter, automaton.sorts[p]);
  const walkThrough = (side: Product): readonly WalkStep[] => {
    const search = new Search(side, evaluation.tick);
    if (!search.from(side.base[FIRST] + x, side.base[LAST] + y)) throw new Error('A pair has no walk.');
    const found = explain(evaluation, side, search.walkTo(side.base[LAST] + y));
    grounds.orders.push(...found.orders);
    grounds.reads.push(...found.reads);
    grounds.nodes.push(...found.nodes);
    return found.walk;
  };
  grounds.nodes.push(nodeOf(along.facts, automaton.sorts[p], x), nodeOf(along.facts, automaton.sorts[q], y));
  const from = nameIn(along.facts, automaton.sorts[p], x);
  const to = nameIn(along.facts, automaton.sorts[q], y);
  if (letter.kind === 'both') return { both: [walkThrough(left), walkThrough(right)], from, to };
  return { without: walkThrough(left), from, to };
}

export const nodeOf = ({ reads }: LevelFacts, sort: Sort, thing: number): number =>
  sort === 'read' ? reads.node[thing] : sort === 'event' ? thing >> 1 : thing;

/** The number of a transaction, read or event in certificates. */
export function nameIn({ initial, txnOf, reads }: LevelFacts, sort: Sort, node: number): number {
  if (sort === 'read') return reads.op[node];
  if (sort === 'transaction') return node === initial ? -1 : txnOf[node];
  return node >> 1 === initial ? (node % 2) - 2 : 2 * txnOf[node >> 1] + (node % 2);
}

interface Why {
  readonly order?: readonly [number, number] | undefined;
  readonly read?: number;
  readonly writer?: number;
  readonly row?: number;
}

function reasonOf(along: Along, name: BaseLetter['name'], x: number, y: number): Why {
  const { facts, kind, place } = along;
  const { reads, initial } = facts;
  switch (name) {
    case 'wr':
      return { read: readBetween(facts, x, y) };
    case 'ww': {
      if (x === initial) return { row: facts.writes.row[facts.writes.rowStart[y]] };
      const at = (row: number): number => versionPoint(kind, facts.writes, row);
      let later = -1;
      const row = commonRow(facts, x, y, (rowX, rowY) => place[at(rowX)] < place[at((later = rowY))]);
      return { row, order: [at(row), at(later)] };
    }
    case 'rw':
      return missedBy(along, reads.start[x], reads.start[x + 1], y);
    case 'missed':
      return missedBy(along, x, x + 1, y);
    case 'co':
      return { order: x === initial ? undefined : [commitPoint(kind, x), commitPoint(kind, y)] };
    case 'before':
      return { order: x >> 1 === initial || x >> 1 === y >> 1 ? undefined : [x, y] };
    default:
      return {};
  }
}

function readBetween({ reads }: LevelFacts, writer: number, reader: number): number {
  for (let r = reads.start[reader]; r < reads.start[reader + 1]; r++) if (reads.writer[r] === writer) return r;
  throw new Error('No read explains why a transaction reads from another one.');
}

/** A read of a range that misses the version of a writer, preferably a read without a choice. */
function missedBy({ facts, kind, place }: Along, from: number, to: number, writer: number): Why {
  const { reads, initial } = facts;
  let found: Why | null = null;
  for (let r = from; r < to; r++) {
    if (reads.writer[r] < 0 || reads.writer[r] === writer) continue;
    const row = rowAmong(facts, writer, reads.key[r]);
    if (row < 0) continue;
    if (reads.writer[r] === initial) return { read: r, writer: initial };
    const seen = versionPoint(kind, facts.writes, reads.seenRow[r]);
    const missed = versionPoint(kind, facts.writes, row);
    if (found === null && place[seen] < place[missed])
      found = { read: r, writer: reads.writer[r], order: [seen, missed] };
  }
  if (found === null) throw new Error('No read explains why a transaction misses another one.');
  return found;
}

function rowAmong({ writes }: LevelFacts, node: number, key: number): number {
  for (let i = writes.rowStart[node]; i < writes.rowStart[node + 1]; i++)
    if (writes.key[writes.row[i]] === key) return writes.row[i];
  return -1;
}
