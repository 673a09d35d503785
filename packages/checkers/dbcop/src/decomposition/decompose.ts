import type { IndexedHistory } from '@isolab/contract';
import { IntList, digraphOf } from '@isolab/graph';
import { NO_KEY, Outcome, countSessions, countTransactions } from '@isolab/history';
import {
  type BiconnectedComponents,
  biconnectedComponents,
  componentOfEdge,
  countComponents,
} from './biconnected-components.ts';
import { communicationGraph, sessionsByKey } from './communication-graph.ts';

export interface HistoryPart {
  /** In ascending order. */
  readonly txns: Int32Array;
  readonly numSessions: number;
}

/**
 * The parts of a history, one for each biconnected component of its communication graph. The whole satisfies a level
 * (RC, RA, CC, PC, SI, SER) if and only if each part does (paper, Theorem 5.2).
 * Every key belongs to one component: the component that its sessions share, or a component of its only session. A
 * transaction belongs to the components of its keys, so all parts together have no more operations than the history.
 * The paper keeps all transactions of a component's sessions. Leaving out transactions without a key of the component
 * is correct, too: an axiom's t₁, t₂ and t₃ all access its key x; t₂ and t₃ in one session, or a step of WR between two
 * sessions of the component, have their ends in the part; and on a path of SO ∪ WR (Lemma 5.1) all omitted transactions
 * lie between two transactions of one session, which SO orders anyway.
 * The initial transaction is in every part. The paper's footnote makes it a session; as a vertex adjacent to all
 * others, it would merge every connected component into a single biconnected component. This is unnecessary: nothing
 * precedes it in SO ∪ WR, so no path leads through it, and an axiom that puts t₂ before it is an axiom of its key's
 * part.
 */
export function decompose({ history, index }: IndexedHistory): HistoryPart[] {
  const keySessions = sessionsByKey(history, index);
  const components = biconnectedComponents(communicationGraph(keySessions, countSessions(history)));
  const homeOfKey = new Int32Array(keySessions.start.length - 1).fill(-1);
  for (let key = 0; key < homeOfKey.length; key++) {
    const [s, other] = keySessions.target.subarray(keySessions.start[key], keySessions.start[key + 1]);
    if (s !== undefined)
      homeOfKey[key] = other === undefined ? components.home[s] : componentOfEdge(components, s, other);
  }
  return partsByKey({ history, index }, components, homeOfKey);
}

function partsByKey(
  { history, index }: Pick<IndexedHistory, 'history' | 'index'>,
  components: BiconnectedComponents,
  homeOfKey: Int32Array,
): HistoryPart[] {
  const { txnStart, opKey } = history;
  const numComponents = countComponents(components);
  const seen = new Int32Array(numComponents).fill(-1);
  const componentOf = new IntList();
  const txnOf = new IntList();
  for (let t = 0; t < countTransactions(history); t++) {
    if (index.outcome[t] !== Outcome.Happened) continue;
    for (let op = txnStart[t]; op < txnStart[t + 1]; op++) {
      const component = opKey[op] === NO_KEY ? -1 : homeOfKey[opKey[op]];
      if (component < 0 || seen[component] === t) continue;
      seen[component] = t;
      componentOf.push(component);
      txnOf.push(t);
    }
  }
  const { start, target } = digraphOf(numComponents, componentOf.view(), txnOf.view());
  const parts: HistoryPart[] = [];
  for (let c = 0; c < numComponents; c++) {
    const txns = target.slice(start[c], start[c + 1]);
    const numSessions = components.start[c + 1] - components.start[c];
    if (txns.length > 0) parts.push({ txns, numSessions });
  }
  return parts;
}
