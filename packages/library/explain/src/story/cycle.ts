import type { Edge } from '@isolab/contract';
import { type History, capitalised, transactionOf } from '@isolab/history';
import type { StorySentence } from '@isolab/story';
import type { Argument } from './argument.ts';
import type { EdgeList } from './edge-list.ts';
import type { Names } from './names.ts';

/**
 * Presents the cycle from the viewpoint of the readers that missed a version. The edge with the longest explanation
 * comes last.
 */
export function asTold(history: History, argument: Argument): Argument {
  const edges = rotated(throughReader(history, argument.edges));
  return { ...argument, edges };
}

function throughReader(history: History, edges: readonly Edge[]): readonly Edge[] {
  const derived = edges.filter(({ reason }) => DERIVED.has(reason.kind));
  const [only] = derived;
  if (derived.length !== 1 || only?.reason.kind !== 'overwritten') return edges;
  const { read, write, visible } = only.reason;
  const at = edges.indexOf(only);
  const order = [...edges.slice(at + 1), ...edges.slice(0, at)]; // from t₁ to t₂
  const reader = transactionOf(history, read);
  if (order.length === 0 || reader === only.from) return edges;
  return [...visible, { from: reader, to: only.from, reason: { kind: 'overwrites', read, write, order } }];
}

const DERIVED: ReadonlySet<string> = new Set([
  'overwritten',
  'overwrites',
  'version',
  'assumed',
  'assumed-read',
  'real-time',
]);

/**
 * Rotates the cycle so that the last edge does not depend on the first edge of the checker: among the edges that need
 * the longest explanation, the edge of the last transaction.
 */
function rotated(edges: readonly Edge[]): readonly Edge[] {
  let last = 0;
  edges.forEach((edge, i) => {
    const [rank, most] = [RANKS[edge.reason.kind], RANKS[edges[last].reason.kind]];
    if (rank > most || (rank === most && edge.from >= edges[last].from)) last = i;
  });
  return [...edges.slice(last + 1), ...edges.slice(0, last + 1)];
}

const RANKS = {
  initial: 0,
  'read-from': 1,
  session: 2,
  'real-time': 3,
  version: 4,
  assumed: 5,
  'assumed-read': 5,
  overwritten: 6,
  overwrites: 7,
} as const;

/**
 * Explains a cycle in Elle's form: let, then, because, however, a contradiction. Assumed writer orders come first, with
 * their refutations.
 */
export function tellCycle(names: Names, list: EdgeList, argument: Argument): StorySentence[] {
  const ids = list.addCycle(argument);
  const cycle = argument.edges.flatMap((edge, i) => {
    const isLast = i === argument.edges.length - 1;
    const derivation = list.edge(ids[i])?.derivation;
    const because = derivation?.because ?? [];
    const order = `${names.txn(edge.from)} comes before ${names.txn(edge.to)}`;
    const lead = i === 0 ? 'Then ' : isLast ? 'However, ' : '';
    const older = list.reasons.older(edge);
    const told: StorySentence[] = [
      ...(older === null ? [] : [{ text: `${capitalised(older)}.`, edges: because }]),
      {
        text: `${capitalised(`${lead}${order}`)}, because ${list.reasons.because(edge)}${isLast ? ': a contradiction' : ''}.`,
        edges: [ids[i], ...because],
      },
    ];
    if (derivation?.refuted && edge.reason.kind !== 'assumed')
      told.push({ text: derivation.refuted.text, edges: [ids[i], ...derivation.refuted.edges] });
    return told;
  });
  return [...choices(list, ids, new Set()), ...cycle];
}

/**
 * Explains the writer orders that some edges depend on. Each order comes after the orders that it depends on itself.
 */
function choices(list: EdgeList, ids: readonly string[], seen: Set<string>): StorySentence[] {
  return ids.flatMap((id) => {
    const edge = list.edge(id);
    if (!edge?.derivation || seen.has(id)) return [];
    seen.add(id);
    const { text, because, refuted } = edge.derivation;
    const inner = choices(list, [...because, ...(refuted?.edges ?? [])], seen);
    if (edge.kind !== 'write-order' || !refuted || because.length > 0) return inner;
    return [...inner, { text: `${text} ${refuted.text}`, edges: [id, ...refuted.edges] }];
  });
}
