import { type Edge, type FoundAnomaly, INITIAL_TXN, type LevelName } from '@isolab/contract';
import { type History, isEarlierStatement, transactionOf } from '@isolab/history';
import type { Cycle } from './cycles.ts';
import { type EdgeFacts, lastWriteOf } from './facts.ts';

/** Returns a read that requires the edge between two transactions. */
export type ReadFor = (from: number, to: number) => number;

/** Returns the edges of a cycle, each with its reason. */
export const edgesOfCycle = (facts: EdgeFacts, level: LevelName, cycle: Cycle, readFor: ReadFor): Edge[] =>
  cycle.map((from, i) => {
    const to = cycle[(i + 1) % cycle.length]!;
    return simpleReason(facts, from, to) ?? overwritten(facts, level, from, to, readFor(from, to));
  });

/** Returns the edges of a read of the initial state that a visible transaction had overwritten. */
export const edgesOfStaleRead = (facts: EdgeFacts, level: LevelName, from: number, read: number): Edge[] => [
  overwritten(facts, level, from, INITIAL_TXN, read),
  { from: INITIAL_TXN, to: from, reason: { kind: 'initial' } },
];

/** Returns session order or read-from as the reason, if either leads from one transaction to the other. */
function simpleReason({ history, source, previous }: EdgeFacts, from: number, to: number): Edge | null {
  for (let op = history.txnStart[to]; op < history.txnStart[to + 1]; op++) {
    if (source[op] === from) return { from, to, reason: { kind: 'read-from', read: op } };
  }
  return previous[to] === from ? { from, to, reason: { kind: 'session' } } : null;
}

function overwritten(facts: EdgeFacts, level: LevelName, t2: number, t1: number, read: number): Edge {
  if (read < 0) throw new Error(`No read asks for transaction ${t2} to come before ${t1}.`);
  const { history } = facts;
  const key = history.opKey[read];
  const write = lastWriteOf(history, t2, key);
  return {
    from: t2,
    to: t1,
    reason: { kind: 'overwritten', write, read, visible: visiblePath(facts, level, t2, read) },
  };
}

/** Returns the path by which t₂ is visible to the reader at this level. */
function visiblePath(facts: EdgeFacts, level: LevelName, t2: number, read: number): readonly Edge[] {
  const { history, source } = facts;
  const t3 = transactionOf(facts.history, read);
  if (level === 'causal') return causalPath(facts, t2, t3);
  const sameKeyCounts = level !== 'read-committed';
  const end = level === 'read-atomic' ? history.txnStart[t3 + 1] : read;
  for (let op = history.txnStart[t3]; op < end; op++) {
    if (level !== 'read-atomic' && !isEarlierStatement(history, op, read)) break;
    const counts = sameKeyCounts || history.opKey[op] !== history.opKey[read];
    if (source[op] === t2 && counts) return [{ from: t2, to: t3, reason: { kind: 'read-from', read: op } }];
  }
  return [{ from: t2, to: t3, reason: { kind: 'session' } }];
}

/** Returns the shortest path from t₂ to t₃ by session order and read-from. */
function causalPath({ history, source, previous }: EdgeFacts, t2: number, t3: number): readonly Edge[] {
  const next = new Map<number, Edge>();
  let frontier = [t3];
  while (!next.has(t2)) {
    if (frontier.length === 0) throw new Error(`Transaction ${t2} does not reach ${t3}.`);
    const farther: number[] = [];
    const reach = (from: number, edge: Edge): void => {
      if (from < 0 || next.has(from)) return;
      next.set(from, edge);
      farther.push(from);
    };
    for (const to of frontier) {
      for (let op = history.txnStart[to]; op < history.txnStart[to + 1]; op++) {
        reach(source[op], { from: source[op], to, reason: { kind: 'read-from', read: op } });
      }
      reach(previous[to], { from: previous[to], to, reason: { kind: 'session' } });
    }
    frontier = farther;
  }
  const path: Edge[] = [];
  for (let t = t2; t !== t3; t = path[path.length - 1]!.to) path.push(next.get(t)!);
  return path;
}

/** Names the anomaly that a cycle shows after its most demanding edge, and returns its transactions. */
export function nameOfEdges(history: History, edges: readonly Edge[]): Pick<FoundAnomaly, 'name' | 'transactions'> {
  const readers = edges.flatMap(({ reason }) =>
    reason.kind === 'overwritten' ? [transactionOf(history, reason.read)] : [],
  );
  const ranks = edges.map((edge) => rankOf(history, edge));
  return {
    name: NAMES[Math.max(...ranks)]!,
    transactions: [...new Set([...edges.map(({ from }) => from), ...readers])],
  };
}

function rankOf(history: History, { reason }: Edge): number {
  if (reason.kind !== 'overwritten') return 0;
  const [first] = reason.visible;
  if (reason.visible.length > 1 || !first) return 4;
  if (first.reason.kind === 'session') return 3;
  const earlier = 'read' in first.reason ? first.reason.read : -1;
  return isEarlierStatement(history, earlier, reason.read) && history.opKey[earlier] !== history.opKey[reason.read]
    ? 1
    : 2;
}

const NAMES = [
  'G1c',
  'non-monotonic-read',
  'fractured-read',
  'session-guarantee-violation',
  'causality-violation',
] as const;
