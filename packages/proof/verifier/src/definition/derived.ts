import { type Axiom, type LevelDefinition, derivedOrder } from '@isolab/levels';

/** The order that an axiom says contains a relation; null if it says something else. */
export function containingOrder(level: LevelDefinition, number: number): 'co' | 'before' | null {
  const axiom: Axiom = level.axioms[number]!;
  if (axiom.kind === 'contains') return axiom.order;
  return number === derivedOrder(level) ? 'co' : null;
}
