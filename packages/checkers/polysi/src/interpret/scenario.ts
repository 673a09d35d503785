import type { StageDependency, StageScenario } from '@isolab/contract';
import { DependencyType, transactionOfNode } from '@isolab/polygraph';
import type { Problem } from '../problem/problem.ts';

const DEPENDENCY_NAMES = ['SO', 'WR', 'WW', 'RW'] as const;

export interface ScenarioDependency extends StageDependency {
  /** The constraint and its side, as a literal of Problem; 0 for a known dependency. */
  readonly side: number;
  /** Whether the dependency was restored or belongs to the cycle of the stage `raw`. */
  readonly restored: boolean;
}

export interface Scenario extends StageScenario {
  readonly dependencies: readonly ScenarioDependency[];
}

/** The four stages of figures 5, 12 and 13, and their data. */
export interface Interpretation {
  /** The cycle that the solver, or pruning, found. */
  readonly raw: Scenario;
  /** Scenario with the cycles that rule out the other choices, and with the sources of every anti-dependency. */
  readonly restored: Scenario;
  /** Scenario with all forced choices made. */
  readonly resolved: Scenario;
  /** Scenario without the remaining uncertain dependencies. */
  readonly finalized: Scenario;
  /** The minimal counterexample of appendix E: without any of these dependencies, the rest is satisfiable. */
  readonly counterexample: Scenario;
  /** Whether no violation with the cycle has fewer dependencies; false if the search was given up. */
  readonly isSmallest: boolean;
}

export function scenarioOf(dependencies: readonly ScenarioDependency[]): Scenario {
  const transactions = [...new Set(dependencies.flatMap(({ from, to }) => [from, to]))].toSorted((a, b) => a - b);
  return { transactions, dependencies };
}

export function dependencyOf(problem: Problem, d: number, restored: boolean): ScenarioDependency {
  const side = problem.literal(d);
  return {
    from: transactionOfNode(problem.from(d)),
    to: transactionOfNode(problem.to(d)),
    type: DEPENDENCY_NAMES[problem.type(d)],
    key: problem.key(d),
    certain: side === 0,
    side,
    restored,
  };
}

/** The edges, in order, of a cycle without two consecutive anti-dependencies; or null. */
export function undesiredCycle(dependencies: readonly ScenarioDependency[]): ScenarioDependency[] | null {
  let best: ScenarioDependency[] | null = null;
  for (const first of dependencies) {
    const cycle = cycleThrough(first, dependencies);
    if (cycle !== null && (best === null || cycle.length < best.length)) best = cycle;
  }
  return best;
}

/** A shortest such cycle through one of the dependencies. */
export function cycleThrough(
  first: ScenarioDependency,
  dependencies: readonly ScenarioDependency[],
): ScenarioDependency[] | null {
  // Each visited dependency with its predecessor. An anti-dependency does not follow another anti-dependency.
  const isAnti = (d: ScenarioDependency): boolean => d.type === DEPENDENCY_NAMES[DependencyType.RW];
  const before = new Map<ScenarioDependency, ScenarioDependency | null>([[first, null]]);
  const queue = [first];
  for (let at = 0; at < queue.length; at++) {
    const last = queue[at]!;
    if (last.to === first.from && !(isAnti(last) && isAnti(first))) {
      const cycle: ScenarioDependency[] = [];
      for (let d: ScenarioDependency | null = last; d !== null; d = before.get(d)!) cycle.push(d);
      return cycle.toReversed();
    }
    for (const next of dependencies) {
      if (next.from !== last.to || before.has(next) || (isAnti(last) && isAnti(next))) continue;
      before.set(next, last);
      queue.push(next);
    }
  }
  return null;
}
