import type { BaseRelation, Expression, Sort } from '../language/ast.ts';
import { typeOfRelation } from '../language/relations.ts';

// Expressions as regular expressions: the form of a level's expression in which inverses apply only to single
// relations, and intersections and differences are separate letters.

export type Term =
  | { readonly kind: 'letter'; readonly letter: Letter }
  /** The identity: the word without letters. */
  | { readonly kind: 'nothing' }
  | { readonly kind: 'union' | 'sequence'; readonly parts: readonly Term[] }
  | { readonly kind: 'plus'; readonly of: Term };

export type Letter = BaseLetter | CompoundLetter;

export interface BaseLetter {
  readonly kind: 'base';
  readonly name: Exclude<BaseRelation, 'id'>;
  readonly inverse: boolean;
}

/** Intersection of two terms, or difference of the left and the right term. */
export interface CompoundLetter {
  readonly kind: 'both' | 'without';
  readonly left: Term;
  readonly right: Term;
}

export const NOTHING: Term = { kind: 'nothing' };

export const letterTerm = (name: BaseLetter['name'], inverse = false): Term => ({
  kind: 'letter',
  letter: { kind: 'base', name, inverse },
});

/** Returns whether a term is a single relation with this name and direction. */
export const isLetter = (term: Term, name: BaseLetter['name'], inverse = false): boolean =>
  term.kind === 'letter' && term.letter.kind === 'base' && term.letter.name === name && term.letter.inverse === inverse;

/** Makes a union without nested unions and duplicate parts. */
export function unionOf(parts: readonly Term[]): Term {
  const flat = parts.flatMap((part) => (part.kind === 'union' ? part.parts : [part]));
  const seen = new Map(flat.map((part) => [JSON.stringify(part), part]));
  const different = [...seen.values()];
  return different.length === 1 ? different[0]! : { kind: 'union', parts: different };
}

/** Makes a sequence without nested sequences and identities. */
export function sequenceOf(parts: readonly Term[]): Term {
  const flat = parts.flatMap((part) => (part.kind === 'sequence' ? part.parts : part.kind === 'nothing' ? [] : [part]));
  if (flat.length === 0) return NOTHING;
  return flat.length === 1 ? flat[0]! : { kind: 'sequence', parts: flat };
}

/** Repeats a term one or more times, which does not change a transitive relation or a closure. */
function plusOf(of: Term): Term {
  if (of.kind === 'plus' || of.kind === 'nothing') return of;
  if (of.kind === 'letter' && of.letter.kind === 'base' && TRANSITIVE.has(of.letter.name)) return of;
  if (of.kind === 'union' && of.parts.some((part) => part.kind === 'nothing'))
    return unionOf([NOTHING, plusOf(unionOf(of.parts.filter((part) => part.kind !== 'nothing')))]);
  return { kind: 'plus', of };
}

const TRANSITIVE: ReadonlySet<BaseRelation> = new Set([
  'so',
  'rt',
  'co',
  'po',
  'before',
  'time',
  'same-key',
  'same-value',
]);

export function termOf(expression: Expression): Term {
  switch (expression.kind) {
    case 'base':
      return expression.name === 'id' ? NOTHING : letterTerm(expression.name);
    case 'name':
      throw new RangeError(`The name ${expression.name} was not resolved.`);
    case 'union':
      return unionOf([termOf(expression.left), termOf(expression.right)]);
    case 'composition':
      return sequenceOf([termOf(expression.left), termOf(expression.right)]);
    case 'intersection':
      return bothOf(termOf(expression.left), termOf(expression.right));
    case 'difference':
      return withoutOf(termOf(expression.left), termOf(expression.right));
    case 'inverse':
      return inverseOf(termOf(expression.of));
    case 'closure':
      return plusOf(termOf(expression.of));
    case 'reflexive-closure':
      return unionOf([NOTHING, plusOf(termOf(expression.of))]);
    case 'optional':
      return unionOf([NOTHING, termOf(expression.of)]);
  }
}

const bothOf = (left: Term, right: Term): Term => ({ kind: 'letter', letter: { kind: 'both', left, right } });

/** Makes a difference. `co` and `before` are total: a pair outside them is in their inverse or in the identity. */
function withoutOf(left: Term, right: Term): Term {
  const parts = right.kind === 'union' ? right.parts : [right];
  const total = parts.find(isTotalOrder);
  if (total === undefined) return { kind: 'letter', letter: { kind: 'without', left, right } };
  const rest = parts.filter((part) => part !== total);
  const kept = rest.length === 0 ? left : withoutOf(left, unionOf(rest));
  return bothOf(kept, unionOf([NOTHING, inverseOf(total)]));
}

const isTotalOrder = (term: Term): boolean =>
  term.kind === 'letter' && term.letter.kind === 'base' && (term.letter.name === 'co' || term.letter.name === 'before');

function inverseOf(term: Term): Term {
  switch (term.kind) {
    case 'nothing':
      return term;
    case 'union':
      return { kind: 'union', parts: term.parts.map(inverseOf) };
    case 'sequence':
      return { kind: 'sequence', parts: term.parts.toReversed().map(inverseOf) };
    case 'plus':
      return { kind: 'plus', of: inverseOf(term.of) };
    case 'letter': {
      const { letter } = term;
      if (letter.kind === 'base') return letterTerm(letter.name, !letter.inverse);
      const [left, right] = [inverseOf(letter.left), inverseOf(letter.right)];
      return { kind: 'letter', letter: { kind: letter.kind, left, right } };
    }
  }
}

/** Returns the source and target sorts of a term; null for the identity, which accepts any sort. */
export function sortsOf(term: Term): readonly [Sort, Sort] | null {
  switch (term.kind) {
    case 'nothing':
      return null;
    case 'letter':
      return sortsOfLetter(term.letter);
    case 'plus':
      return sortsOf(term.of);
    case 'union':
      return term.parts.map(sortsOf).find((sorts) => sorts !== null) ?? null;
    case 'sequence': {
      const sorts = term.parts.map(sortsOf).filter((each) => each !== null);
      return sorts.length === 0 ? null : [sorts[0]![0], sorts.at(-1)![1]];
    }
  }
}

function sortsOfLetter(letter: Letter): readonly [Sort, Sort] | null {
  if (letter.kind !== 'base') return sortsOf(letter.left) ?? sortsOf(letter.right);
  const [from, to] = sortsOfRelation(letter.name);
  return letter.inverse ? [to, from] : [from, to];
}

export function sortsOfRelation(name: BaseLetter['name']): readonly [Sort, Sort] {
  const { from, to } = typeOfRelation(name);
  return [from!, to!];
}

/** Returns all single relations in a term, including those inside intersections and differences. */
export function lettersOf(term: Term): readonly BaseLetter[] {
  switch (term.kind) {
    case 'nothing':
      return [];
    case 'letter':
      return term.letter.kind === 'base'
        ? [term.letter]
        : [...lettersOf(term.letter.left), ...lettersOf(term.letter.right)];
    case 'plus':
      return lettersOf(term.of);
    default:
      return term.parts.flatMap(lettersOf);
  }
}

/** Relations that depend on the chosen order. */
const DYNAMIC: ReadonlySet<BaseRelation> = new Set(['ww', 'rw', 'co', 'before', 'missed']);

export const isDynamic = (letter: Letter): boolean =>
  letter.kind === 'base'
    ? DYNAMIC.has(letter.name)
    : [...lettersOf(letter.left), ...lettersOf(letter.right)].some(({ name }) => DYNAMIC.has(name));

export const isDynamicTerm = (term: Term): boolean => lettersOf(term).some(({ name }) => DYNAMIC.has(name));
