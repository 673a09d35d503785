import type { Constraint, LevelDefinition, Problem } from '@isolab/levels';
import { IntList } from '@isolab/graph';
import type { History } from '@isolab/history';
import { type LevelFacts, restrictedTo } from '../facts/facts.ts';
import { type Along, alongOrder, commitPoint, pointsOf } from '../facts/order.ts';
import type { Chosen, World, Worlds } from '../facts/worlds.ts';
import { FIRST } from '../walks/automaton.ts';
import { evaluationOf } from '../walks/product.ts';
import type { Evaluation, Tick } from '../walks/types.ts';
import { explain, nodeOf } from '../walks/reasons.ts';
import { type Violation, violationsOf } from '../walks/violations.ts';
import { backAlong } from './embedding.ts';
import type { Instance } from './order-graph.ts';

/** A single key: its facts, and the numbers that its nodes and rows have in the whole history. */
interface KeyPart {
  readonly facts: LevelFacts;
  readonly nodes: Int32Array;
  readonly rows: Int32Array;
}

interface Choosing {
  readonly worlds: Worlds;
  readonly chosen: Chosen;
}

/** Finds forbidden walks in a world, along its orders. */
export class Instances {
  readonly #world: World;
  readonly #choosing: Choosing;
  readonly #problem: Problem;
  readonly #tick: Tick;
  readonly #history: History;
  #usersOf: ((key: number) => Int32Array) | null = null;
  readonly #parts: (KeyPart | null)[] = [];

  constructor(world: World, choosing: Choosing, problem: Problem, history: History, tick: Tick) {
    this.#world = world;
    this.#choosing = choosing;
    this.#problem = problem;
    this.#history = history;
    this.#tick = tick;
  }

  along(place: Int32Array): Along {
    const { facts, nodes, rows } = this.#world;
    const { order } = this.#problem;
    return alongOrder(facts, order, placesOf(facts, order, pointsAmong(order, nodes, rows), place));
  }

  /** Finds forbidden walks along an order, at most the given number for each constraint. */
  find(constraints: readonly Constraint[], along: Along, place: Int32Array, most: number): Instance[] {
    const evaluation = evaluationOf(along, this.#tick);
    const found = constraints
      .filter(({ eachKey }) => !eachKey)
      .flatMap((constraint) =>
        violationsOf(evaluation, constraint, most).map((violation) =>
          instanceOf(evaluation, violation, { ...this.#choosing, ...this.#world }, null),
        ),
      );
    const ofKeys = constraints.filter(({ eachKey }) => eachKey);
    if (ofKeys.length > 0) this.#findOfKeys(ofKeys, place, most, found);
    return found;
  }

  #findOfKeys(constraints: readonly Constraint[], place: Int32Array, most: number, found: Instance[]): void {
    const { order } = this.#problem;
    for (let key = 0; key + 1 < this.#world.facts.writes.start.length && found.length < most; key++) {
      const part = this.#part(key);
      if (part === null) continue;
      const { facts, nodes, rows } = part;
      const places = placesOf(facts, order, pointsAmong(order, nodes, rows), place);
      const evaluation = evaluationOf(alongOrder(facts, order, places), this.#tick);
      for (const constraint of constraints)
        for (const violation of violationsOf(evaluation, constraint, most))
          found.push(instanceOf(evaluation, violation, { ...this.#choosing, ...part }, facts.keyNames[0]));
    }
  }

  #part(key: number): KeyPart | null {
    const known = this.#parts[key];
    if (known !== undefined) return known;
    const { facts, nodes, rows } = this.#world;
    const users = (this.#usersOf ??= usersByKey(this.#history, facts))(key);
    const { start } = facts.writes;
    const part =
      users.length === 0
        ? null
        : {
            facts: restrictedTo(facts, key, users),
            nodes: users.map((node) => nodes[node]),
            rows: rows.subarray(start[key], start[key + 1]),
          };
    this.#parts[key] = part;
    return part;
  }
}

/** Maps each point of a part to its number in the whole history. */
const pointsAmong =
  (order: LevelDefinition['order'], nodes: Int32Array, rows: Int32Array) =>
  (point: number): number =>
    order === 'commits' ? nodes[point] : order === 'events' ? 2 * nodes[point >> 1] + (point % 2) : rows[point];

const placesOf = (
  facts: LevelFacts,
  order: LevelDefinition['order'],
  pointOf: (point: number) => number,
  place: Int32Array,
): Int32Array => Int32Array.from({ length: pointsOf(order, facts).count }, (_, point) => place[pointOf(point)]);

function instanceOf(
  evaluation: Evaluation,
  violation: Violation,
  { worlds, chosen, nodes, rows }: Choosing & Omit<World, 'facts'>,
  key: number | null,
): Instance {
  const { constraint, product, first, last, steps } = violation;
  const { along } = evaluation;
  const { facts, kind } = along;
  const explained = explain(evaluation, product, steps);
  const { walk } = explained;
  const { axiom } = constraint;
  const pointOf = pointsAmong(kind, nodes, rows);
  const orders = explained.orders.map(([a, b]) => [pointOf(a), pointOf(b)] as const);
  const { sorts } = product.automaton;
  const met = [...explained.nodes, nodeOf(facts, sorts[FIRST], first)];
  if (key !== null) met.push(firstUser(worlds, facts, nodes));
  const choices = new Set(explained.reads.map((r) => worlds.choiceOf(facts.reads.op[r])));
  for (const node of met) if (node < facts.initial) choices.add(worlds.becauseOf(nodes[node]));
  choices.delete(-1);
  const sources = Array.from(choices, (choice) => [choice, chosen(choice)] as const);
  if (constraint.kind !== 'contains' || first === last) return { axiom, key, walk, orders, sources, follows: null };
  const sort = constraint.ends?.[0] === 'event' ? 'event' : 'transaction';
  const isInitial = (sort === 'event' ? last >> 1 : last) === facts.initial;
  const pointAt = (node: number): number => pointOf(sort === 'event' ? node : commitPoint(kind, node));
  return {
    axiom,
    key,
    walk: [...walk, backAlong(along, sort, last, first)],
    orders,
    sources,
    follows: isInitial ? null : [pointAt(first), pointAt(last)],
  };
}

/** Returns a user of a key, preferably a certain one: a key exists only with a user. */
function firstUser(worlds: Worlds, { initial }: LevelFacts, nodes: Int32Array): number {
  for (let n = 0; n < initial; n++) if (!worlds.isOpen(nodes[n])) return n;
  return 0;
}

/** Users of each key: transactions with any outcome that read or write it. */
export function usersByKey({ opKey, txnStart }: History, { txnOf, initial, keyNames }: LevelFacts) {
  const users = Array.from(keyNames, () => new IntList(4));
  const numberOf = new Map(Array.from(keyNames, (name, key) => [name, key]));
  for (let n = 0; n < initial; n++)
    for (let op = txnStart[txnOf[n]]; op < txnStart[txnOf[n] + 1]; op++) {
      const list = users[numberOf.get(opKey[op]) ?? -1];
      if (list === undefined) continue;
      if (list.length === 0 || list.items[list.length - 1] !== n) list.push(n);
    }
  return (key: number): Int32Array => users[key].view();
}
