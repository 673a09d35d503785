/**
 * Resolves a conflict: literals that were implied at the latest place are replaced by the literals that implied them,
 * until those left at this place were chosen. One placement may choose several literals. Adds the step to the proof.
 */
import type { Choices } from '../order/state/choices.ts';
import type { Proof } from './proof.ts';

/** Literals that are all true although they exclude one another, and the proof step that shows this. */
export interface Conflict {
  readonly literals: readonly number[];
  readonly step: number;
}

/** Consequence of a conflict: implied literals at the latest place are replaced by the literals that implied them. */
export interface Learned extends Conflict {
  /** Place on the trail where the latest of the literals became true. */
  readonly latest: number;
}

export function analyse(conflict: Conflict, choices: Choices, proof: Proof, thoroughly: boolean): Learned {
  const { position } = choices;
  let { literals } = conflict;
  const used = [conflict.step];
  let latest = -1;
  for (;;) {
    const [certain, open] = split(literals, (l) => position[l >> 1]! < 0);
    for (const l of certain) used.push(proof.stepOfUnit[l >> 1]!);
    literals = open;
    latest = literals.reduce((most, l) => Math.max(most, position[l >> 1]!), -1);
    const implied = literals.find((l) => position[l >> 1] === latest && choices.reasonOf(l) > 0);
    if (implied === undefined) break;
    used.push(choices.stepOf(choices.reasonOf(implied)));
    const others = premisesOf(implied, choices);
    // Otherwise the resolution would not end.
    if (others.some((l) => position[l >> 1]! >= latest)) throw new Error('A reason is later than what it implies.');
    literals = [...new Set([...literals.filter((l) => l !== implied), ...others])];
  }
  if (thoroughly) literals = withoutImplied(literals, choices, proof, used);
  return { literals, latest, step: proof.addLearned(opposites(literals), used) };
}

/** Leaves out literals that are direct consequences of the others. */
function withoutImplied(
  literals: readonly number[],
  choices: Choices,
  proof: Proof,
  used: number[],
): readonly number[] {
  const kept = new Set(literals);
  const isCertain = (l: number): boolean => choices.position[l >> 1]! < 0;
  for (const literal of literals) {
    const reason = choices.reasonOf(literal);
    if (reason === 0) continue;
    const others = premisesOf(literal, choices);
    if (!others.every((l) => kept.has(l) || isCertain(l))) continue;
    kept.delete(literal);
    used.push(choices.stepOf(reason), ...others.filter(isCertain).map((l) => proof.stepOfUnit[l >> 1]!));
  }
  return [...kept];
}

/** Returns the true literals that imply a literal by the clause that is its reason. */
const premisesOf = (literal: number, choices: Choices): number[] =>
  opposites(choices.literalsOf(choices.reasonOf(literal)).filter((l) => l !== literal));

export const opposites = (literals: readonly number[]): number[] => literals.map((l) => l ^ 1);

export function split<Item>(items: readonly Item[], test: (item: Item) => boolean): [Item[], Item[]] {
  const [yes, no]: [Item[], Item[]] = [[], []];
  for (const item of items) (test(item) ? yes : no).push(item);
  return [yes, no];
}
