import { type Axiom, derivedOrder, type Expression, type LevelDefinition } from '@isolab/levels';
import { refuse } from '../verdict/flaw.ts';
import type { Premises } from './assumed.ts';
import { endsOf } from './machine.ts';
import { isExternalRead } from './step.ts';
import { type Walk, type Words, isStepAlong } from './walk.ts';

/** Refuses unless an axiom forbids a walk. A closed walk may begin at any of its steps. */
export function refuseUnlessForbidden(premises: Premises, words: Words, number: number, walk: Walk): void {
  const { level } = premises;
  const axiom = level.axioms[number]!;
  const expression = forbiddenBy(axiom);
  refuseIfNothing(premises, expression);
  if (axiom.kind === 'empty') {
    if (!words.isWord(expression, walk)) refuse(`the walk does not match axiom ${number + 1}`);
    return;
  }
  if (walk.length > 0 && walk[0]!.from !== walk.at(-1)!.to)
    refuse(`the walk begins at ${walk[0]!.from} and ends at ${walk.at(-1)!.to}`);
  for (let i = 0; i < Math.max(1, walk.length); i++) {
    premises.spend(walk.length);
    if (isForbidden(level, number, words, expression, [...walk.slice(i), ...walk.slice(0, i)])) return;
  }
  refuse(`axiom ${number + 1} does not forbid the walk`);
}

/** The expression of the walks, closed or not, that an axiom forbids. */
function forbiddenBy(axiom: Axiom): Expression {
  const { expression, position } = axiom;
  if (axiom.kind === 'acyclic') return { kind: 'closure', of: expression, position };
  if (axiom.kind !== 'overwritten') return expression;
  const right: Expression = { kind: 'base', name: axiom.of === 'transaction' ? 'rw' : 'missed', position };
  return { kind: 'composition', left: expression, right, position };
}

function isForbidden(
  level: LevelDefinition,
  number: number,
  words: Words,
  expression: Expression,
  walk: Walk,
): boolean {
  if (words.isWord(expression, walk)) return true;
  const order = containingOrder(level, number);
  return order !== null && isStepAlong(walk.at(-1), order) && words.isWord(expression, walk.slice(0, -1));
}

/** The order that must contain a relation according to an axiom; null for other axioms. */
function containingOrder(level: LevelDefinition, number: number): 'co' | 'before' | null {
  const axiom: Axiom = level.axioms[number]!;
  if (axiom.kind === 'contains') return axiom.order;
  return number === derivedOrder(level) ? 'co' : null;
}

/** A walk without steps, or of identities alone, needs an existing element: a read, if the axiom concerns reads. */
function refuseIfNothing(premises: Premises, expression: Expression): void {
  if (endsOf(expression)?.[0] !== 'read') return;
  const { txnOf } = premises.facts;
  for (let op = 0; op < txnOf.length; op++) if (premises.happened(txnOf[op]) && isExternalRead(premises, op)) return;
  refuse('the axiom is about reads, and the history has none');
}
