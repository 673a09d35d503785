import {
  type CheckerVerdict,
  type Edge,
  type FoundAnomaly,
  type IndexedHistory,
  type RunContext,
  Stop,
  type ViolationCertificate,
  indexed,
} from '@isolab/contract';
import { type History, OpKind, UNKNOWN_LIST, UNKNOWN_VALUE, transactionOf } from '@isolab/history';
import { eachEdge } from './each-edge.ts';
import { FurtherRounds, MOST_CONTRADICTIONS } from './further-rounds.ts';

type Check = (input: IndexedHistory, context: RunContext) => CheckerVerdict;

/**
 * Reports contradictions with disjoint reads. After each contradiction, its reads count as unknown, which can only
 * remove violations, so every certificate holds for the whole history.
 */
export function findAllContradictions(input: IndexedHistory, context: RunContext, check: Check): CheckerVerdict {
  const { history } = input;
  const rounds = new FurtherRounds(context);
  const inner = rounds.context;
  const first = check(input, inner);
  if (first.status !== 'violated') {
    if (first.status === 'unknown' || context.certify) return first;
    return { status: 'satisfied' };
  }
  const found: FoundAnomaly[] = [];
  const opValue = history.opValue.slice();
  try {
    for (let verdict: CheckerVerdict = first; verdict.status === 'violated';) {
      found.push(...verdict.anomalies);
      const before = found.length - verdict.anomalies.length;
      if (found.length >= MOST_CONTRADICTIONS || !forget(history, opValue, found.slice(before))) break;
      rounds.next();
      verdict = check(indexed({ ...history, opValue }), inner);
    }
  } catch (error) {
    if (!(error instanceof Stop)) throw error; // the verdict is already known
  }
  const anomalies = context.certify ? found : found.map(({ name, transactions }) => ({ name, transactions }));
  return { status: 'violated', anomalies };
}

/**
 * Makes the results of these anomalies' reads unknown, and the results of other reads of these keys by their
 * transactions. Returns whether any result changed.
 */
function forget(history: History, opValue: Int32Array, anomalies: readonly FoundAnomaly[]): boolean {
  const { txnStart, opKind, opKey } = history;
  let some = false;
  for (const { certificate } of anomalies) {
    for (const read of readsOf(certificate!)) {
      const t = transactionOf(history, read);
      for (let op = txnStart[t]; op < txnStart[t + 1]; op++) {
        if (opKey[op] !== opKey[read]) continue;
        const unknown =
          opKind[op] === OpKind.Read ? UNKNOWN_VALUE : opKind[op] === OpKind.ListRead ? UNKNOWN_LIST : opValue[op];
        if (opValue[op] === unknown) continue;
        opValue[op] = unknown;
        some = true;
      }
    }
  }
  return some;
}

/** Returns the reads that a certificate rests on and, for lists, also the other operation, which may be an append. */
export function readsOf(certificate: ViolationCertificate): Set<number> {
  const reads = new Set<number>();
  const edges: (readonly Edge[])[] = [];
  const visit = (part: ViolationCertificate): void => {
    switch (part.kind) {
      case 'internal':
        return void reads.add(part.read);
      case 'lists':
        return void reads.add(part.read).add(part.other);
      case 'timestamps':
        if (part.axiom === 'EXT') reads.add(part.read);
        return;
      case 'updates':
        for (const read of part.reads) reads.add(read);
        return;
      case 'cycle':
        return void edges.push(part.edges);
      case 'cases':
        visit(part.ifFirst);
        return visit(part.ifSecond);
      case 'proof':
        for (const choice of part.choices) if ('read' in choice) reads.add(choice.read);
        for (const step of part.steps) {
          if (step.kind === 'cycle') edges.push(step.edges);
          else if (step.kind !== 'learned') reads.add(step.read);
        }
    }
  };
  visit(certificate);
  eachEdge(edges, ({ reason }) => {
    if ('read' in reason) reads.add(reason.read);
  });
  return reads;
}
