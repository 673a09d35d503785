/**
 * Resolves a conflict: literals that were implied at the latest place are replaced by the literals that implied them,
 * until those left at this place were chosen. One placement may choose several literals. Adds the step to the proof.
 */
import { VariableHeap } from '@isolab/solver';
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

export class Analysis {
  readonly #choices: Choices;
  readonly #proof: Proof;
  readonly #latestFirst = new VariableHeap(); // variables of uncertain literals, by position
  readonly #open = new Set<number>(); // the literals of these variables, in the order in which they were found
  #variables = 0;

  constructor(choices: Choices, proof: Proof) {
    this.#choices = choices;
    this.#proof = proof;
  }

  analyse(conflict: Conflict): Learned {
    const choices = this.#choices;
    const heap = this.#latestFirst;
    const open = this.#open;
    const used = [conflict.step];
    for (; this.#variables < choices.position.length; this.#variables++) heap.addVariable(this.#variables, -1);
    for (const literal of conflict.literals) this.#add(literal, used);
    let latest = -1;
    for (;;) {
      const tied: number[] = [];
      latest = heap.isEmpty ? -1 : choices.position[heap.top]!;
      while (!heap.isEmpty && choices.position[heap.top] === latest) tied.push(choices.trueLiteral(heap.removeTop()));
      const ordered = tied.length === 1 ? tied : [...open].filter((l) => tied.includes(l));
      const implied = ordered.filter((l) => choices.reasonOf(l) > 0);
      for (const literal of implied) {
        open.delete(literal);
        used.push(choices.stepOf(choices.reasonOf(literal)));
        for (const premise of premisesOf(literal, choices)) {
          // Otherwise the resolution would not end.
          if (choices.position[premise >> 1]! >= latest) throw new Error('A reason is later than what it implies.');
          this.#add(premise, used);
        }
      }
      if (implied.length < tied.length || tied.length === 0) break;
    }
    heap.clear();
    const literals = [...open];
    open.clear();
    return { literals, latest, step: this.#proof.addLearned(opposites(literals), used) };
  }

  #add(literal: number, used: number[]): void {
    const variable = literal >> 1;
    const position = this.#choices.position[variable]!;
    if (position < 0) used.push(this.#proof.stepOfUnit[variable]!);
    else if (!this.#open.has(literal)) {
      this.#open.add(literal);
      this.#latestFirst.activity[variable] = position;
      this.#latestFirst.insert(variable);
    }
  }
}

/** Yields the true literals that imply a literal by the clause that is its reason. */
function premisesOf(literal: number, choices: Choices): number[] {
  const premises = choices.literalsOf(choices.reasonOf(literal));
  let size = 0;
  for (const l of premises) if (l !== literal) premises[size++] = l ^ 1;
  premises.length = size;
  return premises;
}

export const opposites = (literals: readonly number[]): number[] => literals.map((l) => l ^ 1);

export function split<Item>(items: readonly Item[], test: (item: Item) => boolean): [Item[], Item[]] {
  const [yes, no]: [Item[], Item[]] = [[], []];
  for (const item of items) (test(item) ? yes : no).push(item);
  return [yes, no];
}
