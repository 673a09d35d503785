import type { WalkStep } from '@isolab/contract';
import type { History } from '@isolab/history';
import { type Problem, type Term, isLetter, partsOf } from '@isolab/levels';
import { type Literal, negate } from '@isolab/solver';
import type { Choices } from '../facts/choices.ts';
import type { LevelFacts } from '../facts/facts.ts';
import type { Worlds } from '../facts/worlds.ts';
import { urgencies } from './guess.ts';
import type { Instance, OrderGraph } from './order-graph.ts';

/** Orders the candidates by their likely commits; unlikely candidates, which follow the reader, come first. */
export function likelyLast(choices: Choices, history: History, facts: LevelFacts): Choices {
  if (choices.reads.length === 0) return choices;
  const urgency = urgencies(history, facts, { kind: 'commits', count: facts.initial });
  const at = new Map(Array.from(facts.txnOf, (t, node) => [t, urgency[node]]));
  const reads = choices.reads.map((each) => {
    const place = (t: number): number => at.get(t) ?? -1; // the initial transaction precedes all others
    const likelihood = (t: number): number => (place(t) > place(each.reader) ? -2 - place(t) : place(t));
    return { ...each, candidates: each.candidates.toSorted((a, b) => likelihood(a) - likelihood(b)) };
  });
  return { ...choices, reads };
}

/**
 * A read saw one of its candidates if its transaction happened. An open transaction happened if a read saw it, and then
 * has no internal anomaly. Returns false if this is contradictory.
 */
export function addSources(graph: OrderGraph, worlds: Worlds, problem: Problem): boolean {
  const { all, choices, candidates, isOpen } = worlds;
  graph.addSources(candidates.map(({ length }) => length));
  const nodeOf = new Map(Array.from(all.txnOf, (t, node) => [t, node]));
  const ways = new Map<number, Literal[]>(); // by open node: the literals of reads that saw it
  candidates.forEach((nodes, choice) =>
    nodes.forEach((node, candidate) => {
      if (node < all.initial && isOpen(node))
        ways.set(node, [...(ways.get(node) ?? []), graph.source(choice, candidate)]);
    }),
  );
  let isPossible = true;
  choices.reads.forEach(({ read, reader }, choice) => {
    const node = nodeOf.get(reader)!;
    const clause = candidates[choice]!.map((_, candidate) => graph.source(choice, candidate));
    const premises = isOpen(node) ? (ways.get(node) ?? []).map((way) => [negate(way)]) : [[]];
    for (const premise of premises)
      isPossible = graph.addSourceStep({ kind: 'candidates', clause: [...premise, ...clause], read }) && isPossible;
  });
  for (const [t, anomaly] of choices.impossible)
    for (const way of ways.get(nodeOf.get(t)!) ?? [])
      isPossible = graph.addSourceStep({ kind: 'internal', clause: [negate(way)], anomaly }) && isPossible;
  for (const instance of readsInOrder(worlds, problem)) isPossible = graph.forbid(instance) && isPossible;
  return isPossible;
}

/** For levels where commits contain `wr`, or begins follow their sources: the consequences of each source. */
function readsInOrder({ all, choices, candidates }: Worlds, { constraints, order }: Problem): Instance[] {
  const found = constraints.find(
    ({ kind, eachKey, term }) =>
      kind === 'contains' && !eachKey && partsOf(term).some(order === 'events' ? isSeenBefore : isRead),
  );
  if (found === undefined) return [];
  const nodeOf = new Map(Array.from(all.txnOf, (t, node) => [t, node]));
  return choices.reads.flatMap(({ read, reader }, choice) =>
    candidates[choice]!.flatMap((writer, candidate): Instance[] => {
      if (writer === all.initial) return [];
      const [from, to] = [all.txnOf[writer], reader];
      const wr: WalkStep = { relation: 'wr', from, to, read };
      const sources = [[choice, candidate]] as const;
      const base = { axiom: found.axiom, key: null, orders: [], sources };
      const node = nodeOf.get(reader)!;
      if (order !== 'events')
        return [{ ...base, walk: [wr, { relation: 'co', from: to, to: from }], follows: [writer, node] }];
      const walk: WalkStep[] = [
        { relation: 'commit', from, to: 2 * from + 1, inverse: true },
        wr,
        { relation: 'begin', from: to, to: 2 * to },
        { relation: 'before', from: 2 * to, to: 2 * from + 1 },
      ];
      return [{ ...base, walk, follows: [2 * writer + 1, 2 * node] }];
    }),
  );
}

const isRead = (term: Term): boolean => isLetter(term, 'wr');

const isSeenBefore = (term: Term): boolean => {
  if (term.kind !== 'sequence' || term.parts.length !== 3) return false;
  const [first, second, third] = term.parts;
  return isLetter(first!, 'commit', true) && isLetter(second!, 'wr') && isLetter(third!, 'begin');
};
