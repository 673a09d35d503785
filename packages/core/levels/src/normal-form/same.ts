import type { BuiltInLevel } from '../language/names.ts';
import type { LevelDefinition } from '../language/ast.ts';
import { LEVEL_RECORDS, builtInLevel } from '../language/built-in.ts';
import { type Constraint, problemOf } from './constraints.ts';
import type { Term } from './terms.ts';

/**
 * Returns the level of isolab that has equivalent axioms, however they are written; null if no equivalence is found.
 */
export function sameLevel(level: LevelDefinition): BuiltInLevel | null {
  const wanted = textOf(level);
  const found = LEVEL_RECORDS.find(({ name }) => textOf(builtInLevel(name)!) === wanted);
  return found?.name ?? null;
}

/** Prints the constraints of a level, so that equal constraints have equal texts. */
function textOf(level: LevelDefinition): string {
  const { constraints, order } = problemOf(level);
  const each = level.eachKeySatisfies === null ? null : textOf(level.eachKeySatisfies);
  const texts = new Set(constraints.flatMap(split).map(constraintText));
  return JSON.stringify([order, level.allows.toSorted(), each, [...texts].toSorted()]);
}

/** Splits a constraint on a union: any property except acyclicity holds for a union if it holds for each part. */
const split = (constraint: Constraint): Constraint[] =>
  constraint.kind !== 'acyclic' && constraint.term.kind === 'union'
    ? constraint.term.parts.map((term) => ({ ...constraint, term }))
    : [constraint];

function constraintText({ kind, eachKey, term, mayReturn }: Constraint): string {
  const isClosed = kind === 'irreflexive' && term.kind === 'sequence';
  const written = isClosed ? leastTurn(term.parts) : termText(term);
  return JSON.stringify([kind, eachKey, mayReturn, written]);
}

/** Rotates a closed walk to its least form, because the walk may begin anywhere. */
function leastTurn(parts: readonly Term[]): string {
  const turns = parts.map((_, i) => [...parts.slice(i), ...parts.slice(0, i)].map(termText).join(';'));
  return turns.toSorted()[0]!;
}

function termText(term: Term): string {
  switch (term.kind) {
    case 'nothing':
      return 'id';
    case 'letter': {
      const { letter } = term;
      if (letter.kind === 'base') return `${letter.name}${letter.inverse ? '^-1' : ''}`;
      const sides = [termText(letter.left), termText(letter.right)];
      return `(${(letter.kind === 'both' ? sides.toSorted() : sides).join(letter.kind === 'both' ? ' & ' : ' without ')})`;
    }
    case 'plus':
      return `${termText(term.of)}+`;
    case 'union':
      return `(${term.parts.map(termText).toSorted().join('|')})`;
    case 'sequence':
      return `(${term.parts.map(termText).join(';')})`;
  }
}
