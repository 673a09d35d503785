import type {
  AxiomsCertificate,
  AxiomsStep,
  CommitOrderCertificate,
  EventOrderCertificate,
  SatisfiedCertificate,
  VersionOrdersCertificate,
} from '@isolab/contract';
import type { LevelDefinition, Problem } from '@isolab/levels';
import { toDimacs } from '@isolab/solver';
import type { LevelFacts } from './facts/facts.ts';
import type { Along, Points } from './facts/order.ts';
import type { Worlds } from './facts/worlds.ts';
import type { Instance, Proof, ProofPart } from './search/order-graph.ts';

/** An order that satisfies a level, and the sources of reads with a choice. */
export function satisfiedCertificate(
  { allows }: LevelDefinition,
  { order }: Problem,
  along: Along,
  worlds: Worlds,
): SatisfiedCertificate {
  const sources = allows.includes('thin-air-reads') ? [] : sourcesOf(along.facts, worlds);
  return { ...orderCertificate(order, along), ...(sources.length > 0 && { sources }) };
}

/** The sources of reads with a choice, and the reads without a writer. */
function sourcesOf({ reads, txnOf, initial }: LevelFacts, worlds: Worlds): [number, number][] {
  const sources: [number, number][] = [];
  for (let r = 0; r < reads.op.length; r++) {
    const writer = reads.writer[r];
    if (writer < 0 ? isListRead(reads.shown[r]) : worlds.choiceOf(reads.op[r]) < 0) continue;
    sources.push([reads.op[r], writer < 0 ? NO_WRITER : writer === initial ? -1 : txnOf[writer]]);
  }
  return sources;
}

const isListRead = (shown: number): boolean => shown < 0;

const NO_WRITER = -2;

type OrderCertificate = CommitOrderCertificate | EventOrderCertificate | VersionOrdersCertificate;

function orderCertificate(order: Problem['order'], { facts, sequence, chain }: Along): OrderCertificate {
  const { txnOf, writes, keyNames } = facts;
  if (order === 'events')
    return { kind: 'event-order', events: Array.from(sequence, (e) => 2 * txnOf[e >> 1] + (e % 2)) };
  if (order === 'commits') return { kind: 'commit-order', order: Array.from(sequence, (n) => txnOf[n]) };
  const orders = Array.from(keyNames, (name, key) => {
    const rows = chain.subarray(writes.start[key], writes.start[key + 1]);
    return [name, Array.from(rows, (row) => txnOf[writes.node[row]])] as const;
  });
  return {
    kind: 'version-orders',
    happened: Array.from(txnOf),
    orders: orders.filter(([, writers]) => writers.length > 1),
  };
}

export const walkCertificate = (order: Problem['order'], instance: Instance): AxiomsCertificate => ({
  kind: 'axioms',
  order,
  choices: [],
  steps: [axiomStep([], instance)],
});

const axiomStep = (clause: readonly number[], { axiom, key, walk }: Instance): AxiomsStep => ({
  kind: 'axiom',
  clause,
  axiom,
  ...(key !== null && { key }),
  walk,
});

export function proofCertificate(worlds: Worlds, { kind }: Points, { variables, steps }: Proof): AxiomsCertificate {
  const { txnOf, writes, keyNames } = worlds.all;
  const name = (point: number): number =>
    kind === 'commits'
      ? txnOf[point]
      : kind === 'events'
        ? 2 * txnOf[point >> 1] + (point % 2)
        : txnOf[writes.node[point]];
  const keyAt = (point: number) => (kind === 'versions' ? { key: keyNames[writes.key[point]] } : {});
  return {
    kind: 'axioms',
    order: kind,
    choices: variables.map((variable) => {
      if (variable.kind === 'order')
        return { first: name(variable.first), second: name(variable.second), ...keyAt(variable.first) };
      const { read, candidates } = worlds.choices.reads[variable.choice]!;
      return { read, writer: candidates[variable.candidate]! };
    }),
    steps: steps.map((step) => stepOf(step, name, keyAt)),
  };
}

function stepOf(
  step: ProofPart,
  name: (point: number) => number,
  keyAt: (point: number) => { key?: number },
): AxiomsStep {
  const clause = step.clause.map(toDimacs);
  switch (step.kind) {
    case 'learned':
      return { kind: 'learned', clause };
    case 'candidates':
      return { kind: 'candidates', clause, read: step.read };
    case 'internal': {
      const { name: anomaly, read, other } = step.anomaly;
      return { kind: 'internal', clause, anomaly, read, other };
    }
    case 'axiom':
      return axiomStep(clause, step.instance);
    case 'cycle': {
      const edges = step.edges();
      const named = edges.map((edge) => ({ ...edge, from: name(edge.from), to: name(edge.to) }));
      return { kind: 'cycle', clause, edges: named, ...keyAt(edges[0].from) };
    }
  }
}
