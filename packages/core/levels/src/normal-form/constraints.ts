import { operandsOf, someIn } from '../language/operands.ts';
import type { Axiom, Expression, LevelDefinition, Position, Sort } from '../language/ast.ts';
import {
  type BaseLetter,
  NOTHING,
  type Term,
  isDynamicTerm,
  isLetter,
  letterTerm,
  lettersOf,
  sequenceOf,
  sortsOf,
  termOf,
  unionOf,
} from './terms.ts';

/**
 * An axiom, or a part of an axiom, in the form in which it is decided. `contains`: each pair of the term is in the
 * order, except for a point paired with itself if `mayReturn` is true.
 */
export interface Constraint {
  readonly kind: 'acyclic' | 'irreflexive' | 'empty' | 'contains';
  readonly axiom: number;
  readonly eachKey: boolean;
  readonly term: Term;
  /**
   * The sorts at both ends of the axiom, even if the term is the identity; null if the axiom does not restrict them.
   */
  readonly ends: readonly [Sort, Sort] | null;
  readonly mayReturn: boolean;
}

export interface Problem {
  readonly constraints: readonly Constraint[];
  /** Points to be ordered: events, transactions, or the writers of each key separately. */
  readonly order: LevelDefinition['order'];
}

/**
 * The constraints of a level. Versions of all keys with an acyclic relation exist exactly if the transactions have an
 * order that contains the relation. Levels that require such versions are therefore decided as levels of a commit
 * order.
 */
export const problemOf = onceALevel((level): Problem => {
  const raw = level.axioms.flatMap((axiom, i) => constraintsOf(axiom, i));
  const number = derivedOrder(level);
  const spine = raw.find(({ axiom }) => axiom === number);
  const order = spine === undefined ? level.order : 'commits';
  const constraints = raw.flatMap((constraint) =>
    constraint === spine ? [asContains(constraint, 'ww')] : withOrderInFront(constraint, order),
  );
  return { constraints: constraints.filter(({ term }) => !isEmptyUnion(term)), order };
});

/** Caches a result that depends on a level alone, so that it is computed only once for all histories. */
function onceALevel<T>(work: (level: LevelDefinition) => T): (level: LevelDefinition) => T {
  const known = new WeakMap<LevelDefinition, { readonly result: T }>();
  return (level) => {
    const result = known.get(level) ?? { result: work(level) };
    known.set(level, result);
    return result.result;
  };
}

/**
 * Returns the axiom that gives a commit order to a level that does not mention one, or −1. If a relation that contains
 * `ww` is acyclic, some order of all transactions contains the relation, and the versions of all keys follow that
 * order. The initial transaction comes first in every order, so the relation must not lead to it.
 */
export const derivedOrder = ({ order, axioms }: LevelDefinition): number =>
  order === 'versions' ? axioms.findIndex((axiom) => axiom.kind === 'acyclic' && !axiom.eachKey && isOrder(axiom)) : -1;

const isOrder = ({ expression }: { readonly expression: Expression }): boolean =>
  hasVersions(expression) && !mayLeadToInitial(expression);

/** Relations that never lead to the initial transaction: it reads nothing, and all its versions are the first. */
const FORWARD: ReadonlySet<string> = new Set([
  'so',
  'rt',
  'wr',
  'ww',
  'rw',
  'conflict',
  'seen',
  'missed',
  'reads',
  'po',
]);

function mayLeadToInitial(expression: Expression): boolean {
  switch (expression.kind) {
    case 'base':
      return !FORWARD.has(expression.name);
    case 'union':
      return mayLeadToInitial(expression.left) || mayLeadToInitial(expression.right);
    case 'intersection':
      return mayLeadToInitial(expression.left) && mayLeadToInitial(expression.right);
    case 'difference':
      return mayLeadToInitial(expression.left);
    case 'composition':
      // The next part may be empty, as in `wr ; rw?`.
      return (
        mayLeadToInitial(expression.right) || (mayBeNothing(expression.right) && mayLeadToInitial(expression.left))
      );
    case 'closure':
    case 'reflexive-closure':
    case 'optional':
      return mayLeadToInitial(expression.of);
    case 'inverse':
      return !(expression.of.kind === 'base' && expression.of.name === 'reads');
    case 'name':
      return true;
  }
}

/** Returns whether the relation may contain the identity. */
const mayBeNothing = (expression: Expression): boolean => expression.kind !== 'base' || !FORWARD.has(expression.name);

function hasVersions(expression: Expression): boolean {
  if (expression.kind === 'union') return hasVersions(expression.left) || hasVersions(expression.right);
  if (expression.kind === 'optional') return hasVersions(expression.of);
  return expression.kind === 'base' && expression.name === 'ww';
}

function constraintsOf(axiom: Axiom, number: number): Constraint[] {
  const term = termOf(axiom.expression);
  const base = { axiom: number, eachKey: axiom.eachKey, mayReturn: false, ends: sortsOf(term) };
  switch (axiom.kind) {
    case 'acyclic':
      return [{ ...base, kind: 'acyclic', term }];
    case 'empty':
    case 'irreflexive':
      return partsOf(term).map((part) => ({ ...base, kind: axiom.kind, term: part }));
    case 'contains':
      return [{ ...base, kind: 'contains', term }];
    case 'overwritten': {
      const last = letterTerm(axiom.of === 'transaction' ? 'rw' : 'missed');
      return partsOf(term).map((part) => {
        const whole = sequenceOf([part, last]);
        return { ...base, kind: 'irreflexive', term: whole, ends: sortsOf(whole) };
      });
    }
  }
}

export const partsOf = (term: Term): readonly Term[] => (term.kind === 'union' ? term.parts : [term]);

/** Returns whether a term is an empty union, which contains no pair. */
const isEmptyUnion = (term: Term): boolean => term.kind === 'union' && term.parts.length === 0;

/** Turns the acyclicity of a relation that contains a total order into a `contains` constraint of that order. */
function asContains(constraint: Constraint, order: BaseLetter['name']): Constraint {
  const rest = partsOf(constraint.term).filter((part) => !isLetter(part, order));
  return { ...constraint, kind: 'contains', term: unionOf(rest) };
}

/**
 * Replaces a ban on closed walks that follow the order once, and E elsewhere, by the constraint that the order contains
 * E.
 */
function withOrderInFront(constraint: Constraint, order: LevelDefinition['order']): Constraint[] {
  if (constraint.eachKey || order === 'versions') return [constraint];
  const { kind, term } = constraint;
  const isEvents = constraint.ends?.[0] === 'event';
  const name = isEvents ? 'before' : 'co';
  if (kind === 'acyclic')
    return partsOf(term).some((part) => isLetter(part, name)) ? [asContains(constraint, name)] : [constraint];
  if (kind !== 'irreflexive' || term.kind !== 'sequence') return [constraint];
  const { parts } = term;
  for (const each of ['co', 'before'] as const) {
    const at = parts.findIndex((part) => isAlong(part, each));
    if (at < 0) continue;
    const rest = sequenceOf([...parts.slice(at + 1), ...parts.slice(0, at)]);
    const mayReturn = isLetter(parts[at]!, each);
    const ends = sortsOf(parts[at]!);
    return partsOf(rest).map((part) => ({ ...constraint, kind: 'contains', term: part, ends, mayReturn }));
  }
  return [constraint];
}

/** Returns whether a term is the order itself, optionally with the identity. */
const isAlong = (term: Term, name: BaseLetter['name']): boolean =>
  isLetter(term, name) ||
  (term.kind === 'union' &&
    term.parts.length === 2 &&
    term.parts.includes(NOTHING) &&
    term.parts.some((part) => isLetter(part, name)));

/** A problem that the fast method cannot decide, with its position. */
export interface Unsupported {
  readonly problem: string;
  readonly position: Position;
}

/** Returns the first relation that depends on a choice and occurs where it must not hold. */
export function unsupportedIn(level: LevelDefinition): Unsupported | null {
  const { eachKeySatisfies: each } = level;
  if (each !== null && each.eachKeySatisfies !== null)
    return {
      problem: `for each key satisfies ${each.name}, which itself contains for each key satisfies`,
      position: level.axioms[0]?.position ?? { file: level.name, line: 1, column: 1 },
    };
  const inEach = each === null ? null : unsupportedIn(each);
  if (inEach !== null) return inEach;
  for (const { expression } of level.axioms) {
    const found = deniedChoice(expression);
    if (found !== null)
      return {
        problem: `${found.name} depends on a choice, but is on the right of \\, where it must not hold`,
        position: found.position,
      };
  }
  return null;
}

function deniedChoice(expression: Expression): Extract<Expression, { kind: 'base' }> | null {
  if (expression.kind === 'difference')
    return deniedChoice(expression.left) ?? (isTotal(expression.right) ? null : chosenIn(expression.right));
  const [found = null] = operandsOf(expression).flatMap((operand) => deniedChoice(operand) ?? []);
  return found;
}

const isTotal = (expression: Expression): boolean =>
  expression.kind === 'base' && (expression.name === 'co' || expression.name === 'before');

/** Returns the first relation of an expression that depends on a choice. */
function chosenIn(expression: Expression): Extract<Expression, { kind: 'base' }> | null {
  if (expression.kind === 'base') return isDynamicTerm(termOf(expression)) ? expression : null;
  if (expression.kind === 'name') return null;
  if (!('left' in expression)) return chosenIn(expression.of);
  const right = expression.kind === 'union' && isTotal(expression.right) ? null : chosenIn(expression.right);
  const left = expression.kind === 'union' && isTotal(expression.left) ? null : chosenIn(expression.left);
  return left ?? right;
}

/** Returns whether a term mentions the order of the versions, or of all transactions or events. */
export const speaksOfOrder = (term: Term): boolean => lettersOf(term).length > 0 && isDynamicTerm(term);

/** Returns whether an axiom denies a path through other transactions, so that one more transaction can make it hold. */
export const deniesPaths = (level: LevelDefinition): boolean =>
  denies(level, ({ kind }) => kind === 'composition' || kind === 'closure' || kind === 'reflexive-closure');

/** Returns whether an axiom denies that a read saw a writer, so that another writer of its value can make it hold. */
export const deniesSources = (level: LevelDefinition): boolean =>
  denies(level, (each) => each.kind === 'base' && (each.name === 'wr' || each.name === 'seen'));

/** Returns whether such an expression occurs on the right of a difference. */
const denies = ({ axioms }: LevelDefinition, test: (each: Expression) => boolean): boolean =>
  axioms.some(({ expression }) => someIn(expression, (each) => each.kind === 'difference' && someIn(each.right, test)));

/** Returns whether a level distinguishes the contents of a row from the fact that it matches a predicate. */
export const tellsItems = onceALevel(
  ({ axioms, eachKeySatisfies }): boolean =>
    eachKeySatisfies !== null ||
    axioms.some(
      ({ eachKey, expression }) => eachKey || lettersOf(termOf(expression)).some(({ name }) => name === '[predicate]'),
    ),
);
