import type { Constraint, Problem } from '@isolab/levels';
import { IntList } from '@isolab/graph';
import { type Facts, restrictedTo } from '../facts/facts.ts';
import { type Along, alongOrder, commitPoint } from '../facts/order.ts';
import { evaluationOf } from '../walks/product.ts';
import type { Evaluation, Tick } from '../walks/types.ts';
import { explain } from '../walks/reasons.ts';
import { type Violation, violationsOf } from '../walks/violations.ts';
import { backAlong } from './embedding.ts';
import type { Instance } from './order-graph.ts';

/** A key by itself: its facts, and what its nodes and rows are among all. */
interface KeyPart {
  readonly facts: Facts;
  readonly users: Int32Array;
  readonly firstRow: number;
}

/** Finds what axioms forbid along an order. */
export class Instances {
  readonly #facts: Facts;
  readonly #problem: Problem;
  readonly #tick: Tick;
  readonly #usersOf: (key: number) => Int32Array;
  readonly #parts: (KeyPart | null)[] = [];

  constructor(facts: Facts, problem: Problem, usersOf: (key: number) => Int32Array, tick: Tick) {
    this.#facts = facts;
    this.#problem = problem;
    this.#usersOf = usersOf;
    this.#tick = tick;
  }

  along(place: Int32Array): Along {
    return alongOrder(this.#facts, this.#problem.order, place);
  }

  /** What constraints forbid along an order, at most so many walks for each. */
  find(constraints: readonly Constraint[], along: Along, most: number): Instance[] {
    const evaluation = evaluationOf(along, this.#tick);
    const found = constraints
      .filter(({ eachKey }) => !eachKey)
      .flatMap((constraint) =>
        violationsOf(evaluation, constraint, most).map((violation) => instanceOf(evaluation, violation, SAME, null)),
      );
    const ofKeys = constraints.filter(({ eachKey }) => eachKey);
    if (ofKeys.length > 0) this.#findOfKeys(ofKeys, along, most, found);
    return found;
  }

  #findOfKeys(constraints: readonly Constraint[], along: Along, most: number, found: Instance[]): void {
    const { kind, place } = along;
    for (let key = 0; key + 1 < this.#facts.writes.start.length && found.length < most; key++) {
      const part = this.#part(key);
      if (part === null) continue;
      const { facts, users, firstRow } = part;
      const pointOf = (point: number): number =>
        kind === 'commits' ? users[point] : kind === 'events' ? 2 * users[point >> 1] + (point % 2) : firstRow + point;
      const count = kind === 'commits' ? users.length : kind === 'events' ? 2 * users.length : facts.writes.node.length;
      const local = Int32Array.from({ length: count }, (_, point) => place[pointOf(point)]);
      const evaluation = evaluationOf(alongOrder(facts, kind, local), this.#tick);
      for (const constraint of constraints)
        for (const violation of violationsOf(evaluation, constraint, most))
          found.push(instanceOf(evaluation, violation, pointOf, facts.keyNames[0]));
    }
  }

  #part(key: number): KeyPart | null {
    const known = this.#parts[key];
    if (known !== undefined) return known;
    const users = this.#usersOf(key);
    const part =
      users.length === 0
        ? null
        : { facts: restrictedTo(this.#facts, key, users), users, firstRow: this.#facts.writes.start[key] };
    this.#parts[key] = part;
    return part;
  }
}

const SAME = (point: number): number => point;

function instanceOf(
  evaluation: Evaluation,
  violation: Violation,
  pointOf: (point: number) => number,
  key: number | null,
): Instance {
  const { constraint, product, first, last, steps } = violation;
  const { along } = evaluation;
  const { walk, orders } = explain(evaluation, product, steps);
  const axiom = constraint.axiom;
  const own = orders.map(([a, b]) => [pointOf(a), pointOf(b)] as const);
  if (constraint.kind !== 'contains' || first === last) return { axiom, key, walk, orders: own, follows: null };
  const sort = constraint.ends?.[0] === 'event' ? 'event' : 'transaction';
  const isInitial = (sort === 'event' ? last >> 1 : last) === along.facts.initial;
  const pointAt = (node: number): number => pointOf(sort === 'event' ? node : commitPoint(along.kind, node));
  return {
    axiom,
    key,
    walk: [...walk, backAlong(along, sort, last, first)],
    orders: own,
    follows: isInitial ? null : [pointAt(first), pointAt(last)],
  };
}

/** The users of each key: who reads or writes it, whatever came of it. */
export function usersByKey(opKey: Int32Array, txnStart: Int32Array, { txnOf, initial, writes }: Facts) {
  const users = Array.from({ length: writes.start.length - 1 }, () => new IntList(4));
  for (let n = 0; n < initial; n++)
    for (let op = txnStart[txnOf[n]]; op < txnStart[txnOf[n] + 1]; op++) {
      const list = users[opKey[op]];
      if (list.length === 0 || list.items[list.length - 1] !== n) list.push(n);
    }
  return (key: number): Int32Array => users[key].view();
}
