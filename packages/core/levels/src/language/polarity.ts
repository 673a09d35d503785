import type { BaseRelation, Expression, LevelDefinition, Position } from './ast.ts';
import { operandsOf } from './operands.ts';

/** A relation that depends on a choice, on the right of an odd number of differences. */
export interface NegativeUse {
  readonly relation: ChosenRelation;
  readonly position: Position;
}

type ChosenRelation = 'ww' | 'rw' | 'missed' | 'co' | 'before' | 'wr' | 'seen';

const CHOSEN: readonly BaseRelation[] = ['ww', 'rw', 'missed', 'co', 'before', 'wr', 'seen'];

/**
 * Returns the places where a larger chosen order makes an axiom easier to satisfy. Everywhere else a larger order
 * forbids more, so a violation by a part of an order is a violation by the whole order. wr and seen are choices only
 * where values repeat.
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
