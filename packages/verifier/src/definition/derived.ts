import type { Axiom, Expression, Level } from '@isolab/levels';

/**
 * The axiom from which a level that speaks of no commit order has one all the same, or −1. If a relation that contains
 * `ww` is acyclic, some order of all transactions contains the relation, and the versions of all keys follow that order.
 */
export const derivesCommits = ({ order, axioms }: Level): number =>
  order === 'versions'
    ? axioms.findIndex((axiom) => axiom.kind === 'acyclic' && !axiom.eachKey && hasVersions(axiom.expression))
    : -1;

function hasVersions(expression: Expression): boolean {
  if (expression.kind === 'union') return hasVersions(expression.left) || hasVersions(expression.right);
  return expression.kind === 'base' && expression.name === 'ww';
}

/** The order that an axiom says contains a relation; null if it says something else. */
export function containingOrder(level: Level, number: number): 'co' | 'before' | null {
  const axiom: Axiom = level.axioms[number]!;
  if (axiom.kind === 'contains') return axiom.order;
  return number === derivesCommits(level) ? 'co' : null;
}
