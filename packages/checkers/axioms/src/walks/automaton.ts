/** A term as an automaton: its words lead from the first state to the last. */
export interface Automaton {
  /** The sort of each state; state 0 is the first, state 1 the last. */
  readonly sorts: readonly Sort[];
  readonly transitions: readonly Transition[];
}

export interface Transition {
  readonly from: number;
  readonly to: number;
  /** Null for an empty transition. */
  readonly letter: Letter | null;
}

export const FIRST = 0;
export const LAST = 1;

/** A bare identity accepts any sort; `given` then specifies it. */
export function automatonOf(term: Term, given: Ends | null): Automaton {
  const [from, to] = sortsOf(term) ?? given ?? TRANSACTIONS;
  const sorts: Sort[] = [from, to];
  const transitions: Transition[] = [];
  const state = (sort: Sort): number => sorts.push(sort) - 1;

  const build = (part: Term, start: number, end: number): void => {
    switch (part.kind) {
      case 'nothing':
        transitions.push({ from: start, to: end, letter: null });
        return;
      case 'letter':
        transitions.push({ from: start, to: end, letter: part.letter });
        return;
      case 'union':
        for (const each of part.parts) build(each, start, end);
        return;
      case 'plus': {
        const [before, after] = [state(sorts[start]), state(sorts[start])];
        transitions.push({ from: start, to: before, letter: null });
        build(part.of, before, after);
        transitions.push({ from: after, to: before, letter: null }, { from: after, to: end, letter: null });
        return;
      }
      case 'sequence': {
        let here = start;
        part.parts.forEach((each, i) => {
          const next = i + 1 < part.parts.length ? state(sortsOf(each)?.[1] ?? sorts[here]) : end;
          build(each, here, next);
          here = next;
        });
      }
    }
  };
  build(term, FIRST, LAST);
  return { sorts, transitions };
}

export type Ends = readonly [Sort, Sort];

const TRANSACTIONS: Ends = ['transaction', 'transaction'];
import { type Letter, type Sort, type Term, sortsOf } from '@isolab/levels';
