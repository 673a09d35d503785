import { IntList, digraphOf } from '@isolab/graph';
import { type CompoundLetter, type Sort, type Term, isDynamic, sortsOf } from '@isolab/levels';
import type { LevelFacts } from '../facts/facts.ts';
import type { Along } from '../facts/order.ts';
import { type Automaton, type Ends, FIRST, LAST, automatonOf } from './automaton.ts';
import { emit, holds } from './emit.ts';
import { Search } from './search.ts';
import { NO_LETTER, Steps } from './steps.ts';
import type { Compound, Evaluation, Product, Tick } from './types.ts';

export const evaluationOf = (along: Along, tick: Tick): Evaluation => ({ along, tick, compounds: new Map() });

const sizeOf = ({ initial, reads }: LevelFacts, sort: Sort): number =>
  sort === 'transaction' ? initial + 1 : sort === 'event' ? 2 * initial + 2 : reads.op.length;

/** With `closes`, adds edges from the last state back to the first. */
export function productOf(evaluation: Evaluation, term: Term, closes = false, ends: Ends | null = null): Product {
  const { along, tick } = evaluation;
  const automaton = automatonOf(term, ends);
  const base = basesOf(automaton, along.facts);
  const steps = new Steps(base[automaton.sorts.length]);
  automaton.transitions.forEach((transition, i) => {
    const { from, to, letter } = transition;
    steps.letter = i;
    if (letter === null) {
      steps.letter = NO_LETTER;
      addIdentity(steps, base, automaton, along.facts, from, to);
    } else if (letter.kind === 'base') {
      steps.isInverse = letter.inverse;
      const [a, b] = letter.inverse ? [base[to], base[from]] : [base[from], base[to]];
      emit(steps, along, letter.name, a, b, tick);
      steps.isInverse = false;
    } else {
      const { x, y } = compoundOf(evaluation, letter, automaton.sorts[from]);
      const cost = isDynamic(letter) ? 1 : 0;
      for (let p = 0; p < x.length; p++) steps.add(base[from] + x[p], base[to] + y[p], cost);
    }
  });
  steps.letter = NO_LETTER;
  const closing = steps.edges.count;
  if (closes) addIdentity(steps, base, automaton, along.facts, LAST, FIRST);
  const { edges, numNodes, cost, label } = steps;
  tick(edges.count);
  const graph = digraphOf(numNodes, edges.from, edges.to, edges.count);
  return { automaton, base, numNodes, graph, from: edges.from, to: edges.to, cost, label, closing };
}

function basesOf({ sorts }: Automaton, facts: LevelFacts): Int32Array {
  const base = new Int32Array(sorts.length + 1);
  for (let s = 0; s < sorts.length; s++) base[s + 1] = base[s] + sizeOf(facts, sorts[s]);
  return base;
}

function addIdentity(
  steps: Steps,
  base: Int32Array,
  { sorts }: Automaton,
  facts: LevelFacts,
  from: number,
  to: number,
): void {
  for (let v = 0, size = sizeOf(facts, sorts[from]); v < size; v++) steps.add(base[from] + v, base[to] + v);
}

/** Evaluates a compound letter. `sort` is the sort of its ends if both sides are only identities. */
export function compoundOf(evaluation: Evaluation, letter: CompoundLetter, sort: Sort): Compound {
  const found = evaluation.compounds.get(letter);
  if (found) return found;
  const ends = sortsOf(letter.left) ?? sortsOf(letter.right) ?? [sort, sort];
  const [left, right] = [letter.left, letter.right].map((term) => productOf(evaluation, term, false, ends));
  const compound = { ...pairsOf(evaluation, letter, left, right), left, right };
  evaluation.compounds.set(letter, compound);
  return compound;
}

/** Enumerates the pairs of one side, and looks up each on the other side. */
function pairsOf(evaluation: Evaluation, letter: CompoundLetter, left: Product, right: Product) {
  const { kind } = letter;
  const isSwapped = kind === 'both' && breadthOf(letter.right) < breadthOf(letter.left);
  const [walked, asked] = isSwapped ? [right, left] : [left, right];
  const askedTerm = isSwapped ? letter.left : letter.right;
  const [x, y] = [new IntList(), new IntList()];
  const [walk, ask] = [new Search(walked, evaluation.tick), new Search(asked, evaluation.tick)];
  const numStarts = walked.base[FIRST + 1] - walked.base[FIRST];
  for (let v = 0; v < numStarts; v++) {
    walk.from(walked.base[FIRST] + v);
    let isAsked = false;
    for (let i = 0; i < walk.reached.length; i++) {
      const w = walk.reached.items[i] - walked.base[LAST];
      if (w < 0 || walk.reached.items[i] >= walked.base[LAST + 1]) continue;
      let isIn = quickly(evaluation, askedTerm, v, w);
      if (isIn === null) {
        if (!isAsked) ask.from(asked.base[FIRST] + v);
        isAsked = true;
        isIn = ask.hasReached(asked.base[LAST] + w);
      }
      if (isIn !== (kind === 'both')) continue;
      x.push(v);
      y.push(w);
    }
  }
  return { x: x.toArray(), y: y.toArray() };
}

/** Returns whether a pair is in a single relation or a union of relations; null if the answer takes a search. */
function quickly({ along }: Evaluation, term: Term, x: number, y: number): boolean | null {
  if (term.kind === 'nothing') return x === y;
  if (term.kind === 'union') {
    const parts = term.parts.map((part) => quickly({ along } as Evaluation, part, x, y));
    return parts.includes(true) ? true : parts.includes(null) ? null : false;
  }
  if (term.kind !== 'letter' || term.letter.kind !== 'base') return null;
  return term.letter.inverse ? holds(along, term.letter.name, y, x) : holds(along, term.letter.name, x, y);
}

/** Rough estimate of the number of pairs of a term: few per transaction, as many as a key has users, or all pairs. */
function breadthOf(term: Term): number {
  switch (term.kind) {
    case 'nothing':
      return 0;
    case 'plus':
      return 3;
    case 'union':
    case 'sequence':
      return Math.max(0, ...term.parts.map(breadthOf));
    case 'letter':
      if (term.letter.kind !== 'base') return Math.min(breadthOf(term.letter.left), breadthOf(term.letter.right));
      return BREADTH[term.letter.name] ?? 0;
  }
}

const BREADTH: Readonly<Record<string, number>> = {
  'same-key': 2,
  'same-value': 2,
  conflict: 2,
  ww: 2,
  rw: 2,
  missed: 2,
  so: 3,
  rt: 4,
  co: 4,
  before: 4,
  time: 4,
};
