import { leavesOf } from '../story/aggregates.ts';
import { partsOf } from '../story/timestamps.ts';
import { type Edge, type FoundAnomaly, type ViolationCertificate, eachEdge, edgesOfWalk } from '@isolab/contract';
import { type History, OpKind, type ReadFromIndex, TxnStatus, buildReadFrom, transactionOf } from '@isolab/history';

/** Returns the transactions that an anomaly and its certificate name, which violate the level on their own. */
export function namedTransactions(history: History, { transactions, certificate }: FoundAnomaly): Set<number> {
  const named = new Set(transactions.filter((t) => t >= 0));
  if (certificate) visit(history, certificate, named);
  return named;
}

function visit(history: History, certificate: ViolationCertificate, named: Set<number>): void {
  const stack: ViolationCertificate[] = [certificate];
  for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
    if (top.kind === 'cycle') addEdges(history, top.edges, named);
    else if (top.kind === 'cases') stack.push(top.ifFirst, top.ifSecond);
    else if (top.kind === 'aggregates')
      for (const { certificate: part } of leavesOf(top.cases)) stack.push(...(part === null ? [] : [part]));
    else if (top.kind === 'timestamps') for (const t of partsOf(history, top)) named.add(t);
    else if (top.kind === 'updates') for (const read of top.reads) named.add(transactionOf(history, read));
    else if (top.kind === 'axioms') {
      for (const step of top.steps)
        if (step.kind === 'axiom') addEdges(history, edgesOfWalk(history, step.walk), named);
        else if (step.kind === 'cycle')
          for (const edge of step.edges)
            if (edge.kind === 'axiom') addEdges(history, edgesOfWalk(history, edge.walk), named);
    } else if (top.kind === 'proof') {
      for (const step of top.steps) if (step.kind === 'cycle') addEdges(history, step.edges, named);
    }
  }
}

function addEdges(history: History, edges: readonly Edge[], named: Set<number>): void {
  eachEdge([edges], ({ from, to, reason }) => {
    if (from >= 0) named.add(from);
    if (to >= 0) named.add(to);
    if (reason.kind === 'version' && reason.read < history.opKind.length)
      named.add(transactionOf(history, reason.read));
  });
}

/** Adds the sources of the named transactions, and the readers of named transactions with unknown outcome. */
export function withNeighbours(
  history: History,
  named: ReadonlySet<number>,
  index: ReadFromIndex = buildReadFrom(history),
): Set<number> {
  const all = new Set(named);
  const { readFrom, nodeAppend } = index;
  const { opKind, opValue, txnStart, txnStatus, lists } = history;
  for (let t = 0; t < txnStatus.length; t++) {
    for (let op = txnStart[t]; op < txnStart[t + 1]; op++) {
      const seen = opKind[op] === OpKind.ListRead ? -1 : readFrom[op];
      if (seen >= 0) add(t, transactionOf(history, seen));
      if (opKind[op] !== OpKind.ListRead) continue;
      for (let node = opValue[op]; node > 0; node = lists.parent[node])
        if (nodeAppend[node] >= 0) add(t, transactionOf(history, nodeAppend[node]));
    }
  }
  function add(reader: number, writer: number): void {
    if (named.has(reader)) all.add(writer);
    else if (named.has(writer) && txnStatus[writer] === TxnStatus.Unknown) all.add(reader);
  }
  return all;
}
