import type { BaseRelation, Expression, LevelDefinition, Position } from './ast.ts';
import { operandsOf } from './operands.ts';

/** A relation that depends on a choice, to the right of an odd number of differences. */
export interface NegativeUse {
  readonly relation: ChosenRelation;
  readonly position: Position;
}

type ChosenRelation = 'ww' | 'rw' | 'missed' | 'co' | 'before' | 'wr' | 'seen';

const CHOSEN: readonly BaseRelation[] = ['ww', 'rw', 'missed', 'co', 'before', 'wr', 'seen'];

/**
 * Where an axiom holds the more easily the more of a chosen order there is. Everywhere else more order means more that
 * is forbidden, so a violation by a part of an order is one by the whole order. wr and seen are a choice only where
 * values repeat.
 */
export const negativeUses = ({ axioms }: LevelDefinition): NegativeUse[] =>
  axioms.flatMap(({ expression }) => usesIn(expression, false));

function usesIn(expression: Expression, isNegative: boolean): NegativeUse[] {
  if (expression.kind === 'base')
    return isNegative && CHOSEN.includes(expression.name)
      ? [{ relation: expression.name as ChosenRelation, position: expression.position }]
      : [];
  if (expression.kind === 'difference')
    return [...usesIn(expression.left, isNegative), ...usesIn(expression.right, !isNegative)];
  return operandsOf(expression).flatMap((operand) => usesIn(operand, isNegative));
}
