import type { CycleCertificate, Edge } from '@isolab/contract';
import type { Contradiction } from './contradiction.ts';
import type { ProofLine } from '../learn/proof.ts';
import type { NamedWait } from '../learn/cycles.ts';

/** A certain order of two writers as an edge with nested reasons, and the size and depth of the nesting. */
interface Derived {
  readonly edge: Edge;
  readonly size: number;
  readonly depth: number;
}

/**
 * Returns the contradiction as one nested cycle; null if it needs a case split or its nesting is too deep. Every step
 * excludes one order of two writers, given the earlier exclusions, and its cycle is the reason for the opposite edge.
 */
export function nestedCycle(contradiction: Contradiction): CycleCertificate | null {
  const { core, search, tuning } = contradiction;
  const { steps } = search.proof;
  const derived = new Map<number, Derived>(); // by literal
  for (const number of core) {
    const step = steps[number]!;
    if (step.read >= 0 || step.cycle?.some(({ assumed }) => assumed.length > 0)) return null;
    if (step.clause.length > 1) {
      if (step.cycle === null) return null;
      continue;
    }
    const cycle = cycleOf(step, steps);
    if (cycle === null) return null;
    const [literal] = step.clause;
    if (literal === undefined) {
      const all = derive(contradiction, derived, cycle);
      if (all === null || contradiction.narrowed.size > 0) return null;
      return { kind: 'cycle', edges: all.edges };
    }
    const fact = deriveOrder(contradiction, derived, cycle, literal);
    if (fact === null || fact.size > tuning.largestNested || fact.depth > tuning.deepestNested) return null;
    derived.set(literal, fact);
  }
  return null;
}

/** Returns the cycle of a step that follows from a single cycle and certain orders only, or null. */
function cycleOf(step: ProofLine, steps: readonly ProofLine[]): readonly NamedWait[] | null {
  if (step.cycle !== null) return step.cycle;
  let cycle: readonly NamedWait[] | null = null;
  for (const earlier of step.from) {
    const { clause, cycle: its } = steps[earlier]!;
    if (clause.length <= 1 && cycle !== null) continue; // the conflict itself comes first
    if (its === null || cycle !== null) return null;
    cycle = its;
  }
  return cycle;
}

/** Returns the edge for a literal that holds because its opposite closes the cycle. */
function deriveOrder(
  contradiction: Contradiction,
  derived: ReadonlyMap<number, Derived>,
  cycle: readonly NamedWait[],
  literal: number,
): Derived | null {
  const { search } = contradiction;
  const at = cycle.findIndex((wait) => wait.literal === (literal ^ 1));
  const using = cycle[at]!;
  const rest = [...cycle.slice(at + 1), ...cycle.slice(0, at)];
  if (rest.some((wait) => wait.literal === (literal ^ 1))) return null;
  const others = derive(contradiction, derived, rest);
  if (others === null) return null;
  const { edges, size, depth } = others;
  const from = search.choices.firstOf(literal);
  const to = search.choices.secondOf(literal);
  const [wait] = contradiction.edgesOf([using], () => ASSUMED);
  if (wait?.reason.kind !== 'overwrites') {
    // A single edge between writers of a key already shows whose commit comes before whose begin.
    return edges.length === 1 && edges[0]!.from === from && edges[0]!.to === to
      ? { edge: edges[0]!, size, depth }
      : null;
  }
  const { read } = wait.reason;
  const write = contradiction.writeOf(from, contradiction.history.opKey[read]);
  return {
    edge: { from, to, reason: { kind: 'overwritten', write, read, visible: edges } },
    size: size + 1,
    depth: depth + 1,
  };
}

/** Placeholder for the order that a wait assumes. */
const ASSUMED: Edge = { from: -1, to: -1, reason: { kind: 'assumed' } };

function derive(
  contradiction: Contradiction,
  derived: ReadonlyMap<number, Derived>,
  waits: readonly NamedWait[],
): { edges: Edge[]; size: number; depth: number } | null {
  let size = 0;
  let depth = 0;
  for (const { literal } of waits) {
    if (literal < 0) continue;
    const fact = derived.get(literal);
    if (fact === undefined) return null;
    size += fact.size;
    depth = Math.max(depth, fact.depth);
  }
  const edges = contradiction.edgesOf(waits, (literal) => derived.get(literal)!.edge);
  return { edges, size: size + edges.length, depth: depth + 1 };
}
