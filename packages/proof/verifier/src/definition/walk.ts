import type { Expression } from '@isolab/levels';
import { eachOf, type Fields, integerOf, isObject, listOf, objectOf, refuse } from '../verdict/flaw.ts';
import type { Premises } from './assumed.ts';
import { type Ends, endsOf } from './machine.ts';
import { endOf, readStep, refuseEndOfOtherKey } from './step.ts';

/**
 * A step of a walk: along a relation, by the walks of both sides of an intersection, or by the left side of a
 * difference.
 */
export interface WalkPart {
  readonly from: number;
  readonly to: number;
  readonly relation: string | null;
  readonly isInverse: boolean;
  readonly both: readonly [Walk, Walk] | null;
  readonly without: Walk | null;
}

export type Walk = readonly WalkPart[];

/** Reads a walk of valid, consecutive steps. */
export function readWalk(premises: Premises, data: unknown, onlyKey: number | null, depth = 0): Walk {
  if (depth > MAX_DEPTH) refuse(`the walk is nested more than ${MAX_DEPTH} deep`);
  const nameStep = (number: number): string => `step ${number} of the walk`;
  const parts = eachOf(data, 'the walk', nameStep, (step) => readPart(premises, objectOf(step, 'it'), onlyKey, depth));
  for (let i = 1; i < parts.length; i++)
    if (parts[i]!.from !== parts[i - 1]!.to)
      refuse(`step ${i + 1} of the walk begins at ${parts[i]!.from}, but step ${i} ends at ${parts[i - 1]!.to}`);
  return parts;
}

const MAX_DEPTH = 50;
const NO_PARTS = { relation: null, isInverse: false, both: null, without: null } as const;

function readPart(premises: Premises, step: Fields, onlyKey: number | null, depth: number): WalkPart {
  if (step['both'] !== undefined || step['without'] !== undefined) {
    const [from, to] = (['from', 'to'] as const).map((end) => integerOf(step[end], -2, Infinity, end)) as [
      number,
      number,
    ];
    const sides = step['both'] === undefined ? [step['without']] : listOf(step['both'], 'the field both');
    const walks = sides.map((side) => readWalk(premises, side, onlyKey, depth + 1));
    for (const walk of walks)
      if (walk.length === 0 ? from !== to : walk[0]!.from !== from || walk.at(-1)!.to !== to)
        refuse(`a walk inside does not lead from ${from} to ${to}`);
    if (step['both'] === undefined) return { ...NO_PARTS, from, to, without: walks[0]! };
    if (walks.length !== 2) refuse(`the field both has ${walks.length} walks, expected 2`);
    return { ...NO_PARTS, from, to, both: walks as unknown as readonly [Walk, Walk] };
  }
  const { relation, from, to, isInverse } = readStep(premises, step, onlyKey);
  return { ...NO_PARTS, relation, isInverse, from: isInverse ? to : from, to: isInverse ? from : to };
}

/** The sorts give the elements where the expression is the identity. */
export type MayBeRelated = (
  expression: Expression,
  from: number,
  to: number,
  ends: Ends | null,
  onlyKey: number | null,
) => boolean;

/** Decides whether walks match expressions. */
export class Words {
  readonly #premises: Premises;
  /**
   * Whether the right side of a difference may relate two elements. The difference requires that it certainly does not.
   */
  readonly #mayBeRelated: MayBeRelated;

  /** The key, for an axiom about each key. */
  readonly #onlyKey: number | null;

  constructor(premises: Premises, mayBeRelated: MayBeRelated, onlyKey: number | null) {
    this.#premises = premises;
    this.#onlyKey = onlyKey;
    this.#mayBeRelated = mayBeRelated;
  }

  isWord(expression: Expression, walk: Walk): boolean {
    return this.#ends(expression, false, walk, 0).has(walk.length);
  }

  /** The positions at which a match of an expression that begins at a given position of a walk may end. */
  #ends(expression: Expression, isInverse: boolean, walk: Walk, at: number): ReadonlySet<number> {
    this.#premises.spend(1);
    switch (expression.kind) {
      case 'base':
        if (expression.name === 'id') return new Set([at]);
        return walk[at]?.relation === expression.name && walk[at].isInverse === isInverse ? new Set([at + 1]) : NONE;
      case 'inverse':
        return this.#ends(expression.of, !isInverse, walk, at);
      case 'union':
        return new Set([
          ...this.#ends(expression.left, isInverse, walk, at),
          ...this.#ends(expression.right, isInverse, walk, at),
        ]);
      case 'composition': {
        const [one, other] = isInverse ? [expression.right, expression.left] : [expression.left, expression.right];
        const ends = new Set<number>();
        for (const middle of this.#ends(one, isInverse, walk, at))
          for (const end of this.#ends(other, isInverse, walk, middle)) ends.add(end);
        return ends;
      }
      case 'optional':
        return new Set([at, ...this.#ends(expression.of, isInverse, walk, at)]);
      case 'closure':
      case 'reflexive-closure':
        return this.#repeated(expression, isInverse, walk, at);
      case 'intersection':
      case 'difference':
        return this.#isPair(expression, isInverse, walk[at]) ? new Set([at + 1]) : NONE;
      case 'name':
        return NONE;
    }
  }

  #repeated(expression: Extract<Expression, { of: Expression }>, isInverse: boolean, walk: Walk, at: number) {
    const ends = new Set<number>(expression.kind === 'closure' ? [] : [at]);
    const open = [at];
    const tried = new Set<number>();
    for (let from = open.pop(); from !== undefined; from = open.pop()) {
      if (tried.has(from)) continue;
      tried.add(from);
      for (const end of this.#ends(expression.of, isInverse, walk, from)) {
        ends.add(end);
        open.push(end);
      }
    }
    return ends;
  }

  /** Returns whether a step is a pair of an intersection or a difference. */
  #isPair(
    expression: Extract<Expression, { kind: 'intersection' | 'difference' | 'union' | 'composition' }>,
    isInverse: boolean,
    part: WalkPart | undefined,
  ): boolean {
    if (part === undefined || part.relation !== null) return false;
    const is = (of: Expression, walk: Walk): boolean => this.#ends(of, isInverse, walk, 0).has(walk.length);
    const { left, right } = expression;
    // If no inner walk has a step, the ends are still unchecked. A walk of identities alone accepts any existing
    // element.
    const walks = part.both ?? [part.without ?? []];
    const ends = endsOf(expression);
    if (ends !== null && walks.every((walk) => walk.length === 0)) {
      endOf(this.#premises, ends[0], part.from, 'from');
      if (this.#onlyKey !== null) refuseEndOfOtherKey(this.#premises, ends[0], part.from, this.#onlyKey);
    }
    if (expression.kind === 'intersection')
      return part.both !== null && is(left, part.both[0]) && is(right, part.both[1]);
    if (part.without !== null) {
      const [from, to] = isInverse ? [part.to, part.from] : [part.from, part.to];
      return is(left, part.without) && !this.#mayBeRelated(right, from, to, ends, this.#onlyKey);
    }
    // Points of a total order that do not precede a point follow it or are equal to it.
    const orders = partsOf(right);
    const order = orders.find(isTotal);
    if (part.both === null || order === undefined) return false;
    const rest = orders.filter((each) => each !== order);
    const [kept, back] = part.both;
    const isBack =
      back.length === 0 || (back.length === 1 && back[0]!.relation === order.name && back[0]!.isInverse !== isInverse);
    return isBack && (rest.length === 0 ? is(left, kept) : is(without(expression, rest), kept));
  }
}

const NONE: ReadonlySet<number> = new Set();

const partsOf = (expression: Expression): readonly Expression[] =>
  expression.kind === 'union' ? [...partsOf(expression.left), ...partsOf(expression.right)] : [expression];

const isTotal = (expression: Expression): expression is Extract<Expression, { kind: 'base' }> =>
  expression.kind === 'base' && (expression.name === 'co' || expression.name === 'before');

/** Returns the difference with fewer relations on its right side. */
function without(expression: Extract<Expression, { left: Expression }>, right: readonly Expression[]): Expression {
  const { left, position } = expression;
  const joined = right.reduce((one, other) => ({ kind: 'union', left: one, right: other, position }));
  return { kind: 'difference', left, right: joined, position };
}

export const isStepAlong = (part: WalkPart | undefined, relation: string): boolean =>
  part !== undefined && isObject(part) && part.relation === relation && !part.isInverse;
