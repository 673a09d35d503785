import { type FoundAnomaly, INITIAL_TXN, type ViolationCertificate, nameWithTime } from '@isolab/contract';
import { shortCycles } from '@isolab/graph';
import { type BeginCommitPolygraph, EdgeKind, type BeginCommitVersions } from '@isolab/polygraph';
import type { Literal, TraceStep as SolverStep } from '@isolab/solver';
import type { Encoding } from './encoding.ts';
import { ProofWriter } from './proof-writer.ts';
import { type LabelledEdge, Reasons, edgeAt } from './reasons.ts';

/** Finds short cycles of the known graph: one, or one in each part that has cycles. */
export function explainKnownCycles(
  polygraph: BeginCommitPolygraph,
  { certify, findAll }: { readonly certify: boolean; readonly findAll: boolean },
): FoundAnomaly[] {
  const { versions, edges, numNodes } = polygraph;
  const reasons = new Reasons(versions);
  const found: FoundAnomaly[] = [];
  for (const places of shortCycles(edges.digraph(numNodes))) {
    const cycle = places.map((edge) => edgeAt(edges, edge));
    found.push({
      ...storyOf(versions, [cycle]),
      ...(certify && { certificate: knownCycle(versions, reasons, cycle) }),
    });
    if (!findAll) break;
  }
  return found;
}

/** Finds two transactions that read one version and write the next one: each would have to come before the other. */
export function explainDivergence(versions: BeginCommitVersions, certify: boolean): FoundAnomaly {
  const { version, first, second } = versions.divergence!;
  const reasons = new Reasons(versions);
  const [a, b] = [versions.writer[first], versions.writer[second]];
  const edges = [reasons.overwrites(a, version, second), reasons.overwrites(b, version, first)];
  return {
    name: 'lost-update',
    transactions: [version < versions.numWritten ? versions.writer[version] : INITIAL_TXN, a, b],
    ...(certify && { certificate: { kind: 'cycle', edges } }),
  };
}

/** Explains a violation found by the solver, by the cycles of its proof. */
export function explainProof(encoding: Encoding, trace: readonly SolverStep[], certify: boolean): FoundAnomaly {
  const cycles = trace.flatMap((step) => (step.kind === 'cycle' ? [labelledEdges(encoding, step.edges)] : []));
  return {
    ...storyOf(encoding.polygraph.versions, cycles),
    ...(certify && { certificate: proofOf(encoding, trace) }),
  };
}

/** The solver numbers the edges of the polygraph first, then the edges of the encoding. */
function labelledEdges({ polygraph, edges }: Encoding, numbers: readonly number[]): LabelledEdge[] {
  const known = polygraph.edges;
  return numbers.map((edge) => (edge < known.count ? edgeAt(known, edge) : edgeAt(edges, edge - known.count)));
}

/** Returns a cycle that needs no choice, or a proof if its reasons would contain one another too often. */
function knownCycle(
  versions: BeginCommitVersions,
  reasons: Reasons,
  cycle: readonly LabelledEdge[],
): ViolationCertificate {
  const edges = reasons.cycle(cycle);
  if (reasons.milestones.length === 0) return { kind: 'cycle', edges };
  const proof = new ProofWriter(versions, reasons);
  proof.cycle([], edges);
  return proof.finish();
}

/** Returns the solver's proof in terms of choices instead of the solver's variables. */
function proofOf(encoding: Encoding, trace: readonly SolverStep[]): ViolationCertificate {
  const { polygraph, choices, choiceKey, meaning } = encoding;
  const reasons = new Reasons(polygraph.versions);
  const proof = new ProofWriter(polygraph.versions, reasons);
  const literalOf = (literal: Literal): number => {
    const meant = meaning[literal >> 1]! ^ (literal & 1);
    const before = proof.before(choices.first[meant >> 1]!, choices.second[meant >> 1]!, choiceKey[meant >> 1]!);
    return meant & 1 ? -before : before;
  };
  for (const step of trace) {
    if (step.kind === 'deleted') continue;
    const clause = [...new Set(step.clause.map(literalOf))];
    // The two edges of a constraint are one choice here, which makes some clauses tautologies.
    if (clause.some((literal) => clause.includes(-literal))) continue;
    if (step.kind === 'learned') proof.learned(clause);
    else proof.cycle(clause, reasons.cycle(labelledEdges(encoding, step.edges)));
  }
  return proof.finish();
}

/** Returns the common name of the given cycles, and the transactions on them. */
function storyOf(
  versions: BeginCommitVersions,
  cycles: readonly (readonly LabelledEdge[])[],
): Pick<FoundAnomaly, 'name' | 'transactions'> {
  const transactions = new Set<number>();
  let rank = 0;
  for (const cycle of cycles) {
    for (const { from } of cycle) if (from < 2 * versions.numTxns) transactions.add(from >> 1);
    rank = Math.max(rank, rankOf(cycle));
  }
  const isTimed = rank === NAMES.length;
  const antis = Math.max(...cycles.map((cycle) => countOf(cycle, EdgeKind.Overwrites)));
  const name = isTimed ? nameWithTime(transactions.size, antis, true) : NAMES[rank]!;
  return { name, transactions: [...transactions] };
}

const NAMES = ['G0', 'G1c', 'G-single', 'G-nonadjacent'] as const;

const countOf = (cycle: readonly LabelledEdge[], kind: number): number =>
  cycle.filter((edge) => edge.kind === kind).length;

/** Returns the index of a cycle's name in NAMES. Cycles of real time come after all names. */
function rankOf(cycle: readonly LabelledEdge[]): number {
  const count = (kind: number): number => countOf(cycle, kind);
  if (count(EdgeKind.RealTime) > 0) return NAMES.length;
  const antiDependencies = count(EdgeKind.Overwrites);
  if (antiDependencies > 0) return antiDependencies === 1 ? 2 : 3;
  return count(EdgeKind.ReadFrom) + count(EdgeKind.Session) > 0 ? 1 : 0;
}
