import { type LevelName, Stop } from '@isolab/contract';
import type { Adjacency } from '@isolab/graph';
import { BitRows } from '@isolab/polygraph';
import type { Dependencies } from './dependencies/dependencies.ts';
import { pathBetween } from './shortest-cycle.ts';
import { type Sources, findSource } from './dependencies/sources.ts';

export const LEVELS = [
  'read-committed-dbcop',
  'read-committed',
  'read-atomic',
  'causal',
] as const satisfies readonly LevelName[];

export type SaturationLevel = (typeof LEVELS)[number];

/** A step of SO (`read` is −1), or of WR with a read that shows it. */
export interface PremiseStep {
  readonly from: number;
  readonly to: number;
  readonly read: number;
}

/** The left-hand side of a level's axiom (paper, Figure 2): whether t₂ is visible to a read of t₃. */
export interface Premise {
  holds(t2: number, read: number): boolean;
  /** Evidence for the premise: steps from t₂ to t₃ in the form that the level requires. */
  evidence(t2: number, read: number): readonly PremiseStep[];
}

export interface PremiseInput {
  readonly deps: Dependencies;
  readonly sources: Sources;
  /** SO ∪ WR as predecessors, and its nodes in a topological order. */
  readonly base: Adjacency;
  readonly order: Int32Array;
  readonly maxClosureBytes: number;
  readonly tick: (steps: number) => void;
}

export function premiseOf(level: SaturationLevel, input: PremiseInput, asPublished: boolean): Premise {
  switch (level) {
    case 'read-committed-dbcop':
      return monotonic(input, false);
    case 'read-committed':
      return monotonic(input, true);
    case 'read-atomic':
      return direct(input, asPublished);
    case 'causal':
      return causal(input);
  }
}

/** Figure 2(a): t₃ reads from t₂ in an earlier statement; in Plume's version, it reads another key. */
function monotonic({ deps, sources }: PremiseInput, otherKeyOnly: boolean): Premise {
  const { reader, readKey, readStatement } = deps;
  const { firstRead, otherRead } = sources;
  const earlierRead = (t2: number, read: number): number => {
    const i = findSource(sources, reader[read], t2);
    if (i < 0) return -1;
    const earlier = otherKeyOnly && readKey[firstRead[i]] === readKey[read] ? otherRead[i] : firstRead[i];
    return earlier >= 0 && readStatement[earlier] < readStatement[read] ? earlier : -1;
  };
  return {
    holds: (t2, read) => earlierRead(t2, read) >= 0,
    evidence: (t2, read) => [{ from: t2, to: reader[read], read: earlierRead(t2, read) }],
  };
}

/** Figure 2(b): t₂ (SO ∪ WR) t₃. The published code omits the closure of SO, so only the next transaction counts. */
function direct({ deps, sources }: PremiseInput, nextInSessionOnly: boolean): Premise {
  const { reader, session } = deps;
  const inSession = (t2: number, t3: number): boolean =>
    session[t2] === session[t3] && (nextInSessionOnly ? t2 === t3 - 1 : t2 < t3);
  return {
    holds: (t2, read) => inSession(t2, reader[read]) || findSource(sources, reader[read], t2) >= 0,
    evidence: (t2, read) => [directStep(deps, sources, t2, reader[read])!],
  };
}

/** Figure 2(c): t₂ (SO ∪ WR)⁺ t₃. */
function causal(input: PremiseInput): Premise {
  const { deps, sources, base, tick } = input;
  const { reader } = deps;
  const isBefore = causalOrder(input);
  return {
    holds: (t2, read) => isBefore(t2, reader[read]),
    evidence: (t2, read) => {
      const t3 = reader[read];
      const step = directStep(deps, sources, t2, t3);
      if (step) return [step];
      return stepsAlong(
        deps,
        sources,
        pathBetween(base, t2, t3, () => true, Infinity, tick)!,
      );
    },
  };
}

export function directStep(deps: Dependencies, sources: Sources, from: number, to: number): PremiseStep | null {
  if (deps.session[from] === deps.session[to] && from < to) return { from, to, read: -1 };
  const i = findSource(sources, to, from);
  return i < 0 ? null : { from, to, read: sources.firstRead[i] };
}

/** The steps along a path of SO ∪ WR; consecutive steps within a session become one step. */
function stepsAlong(deps: Dependencies, sources: Sources, path: readonly number[]): PremiseStep[] {
  const steps: PremiseStep[] = [];
  for (let i = 1; i < path.length; i++) {
    const step = directStep(deps, sources, path[i - 1], path[i])!;
    const last = steps.at(-1);
    if (last && last.read < 0 && step.read < 0) steps[steps.length - 1] = { from: last.from, to: step.to, read: -1 };
    else steps.push(step);
  }
  return steps;
}

/**
 * (SO ∪ WR)⁺ as rows of bits. `order` puts every vertex after its predecessors. Throws Stop if memory is insufficient.
 */
function causalOrder({ base, order, maxClosureBytes, tick }: PremiseInput): (t2: number, t3: number) => boolean {
  const { numNodes, target } = base;
  const bytes = BitRows.bytesFor(numNodes);
  if (bytes > maxClosureBytes) {
    const detail = `the causal order of ${numNodes} transactions takes ${bytes} bytes, more than maxClosureBytes (${maxClosureBytes})`;
    throw new Stop('memory', detail);
  }
  const backwards = new BitRows({ ...base, edge: new Int32Array(target.length) }, order.toReversed(), tick);
  return (t2, t3) => backwards.has(t3, t2);
}
