// Interpret (Algorithm 3): restores missing dependencies of a cycle, resolves uncertain ones, and finalizes the result.

import { DependencyType, INITIAL_NODE, transactionOfNode } from '@isolab/polygraph';
import { type Clause, shortest } from '../problem/core.ts';
import type { Problem } from '../problem/problem.ts';
import { smallestViolation } from './adjoining-cycles.ts';
import {
  type Interpretation,
  type Scenario,
  type ScenarioDependency,
  cycleThrough,
  dependencyOf,
  scenarioOf,
} from './scenario.ts';
import { withoutSuperfluous } from './violation.ts';

const { WR, WW, RW } = DependencyType;

export interface InterpretOptions {
  /** Limit of the search for a smaller counterexample. */
  readonly steps: number;
  readonly tick: (steps: number) => void;
}

/** Interprets the shortest cycle of a core, a minimal set of cycles that rule out every choice. */
export function interpret(problem: Problem, core: readonly Clause[], options: InterpretOptions): Interpretation {
  const { cycle } = shortest(core);
  const all = new Set(core.flatMap((clause) => clause.cycle));
  const violation = withoutSuperfluous(problem, [...all], new Set(cycle), options.tick);
  const { dependencies, isSmallest } = smallestViolation(problem, cycle, violation, options);

  const inCycle = new Set(cycle);
  const describe = (d: number): ScenarioDependency => dependencyOf(problem, d, !inCycle.has(d));
  const complete = [...inCycle, ...dependencies.filter((d) => !inCycle.has(d))];
  const restored = withOrigins(problem, complete).map(describe);
  const resolved = resolve([...restored, ...initialOrigins(problem, complete)]);
  return {
    raw: scenarioOf([...inCycle].map(describe)),
    restored: scenarioOf([...restored, ...initialOrigins(problem, complete)]),
    resolved: scenarioOf(resolved),
    finalized: finalize(resolved),
    counterexample: scenarioOf(dependencies.map(describe)),
    isSmallest,
  };
}

/** Adds for every anti-dependency the read-from and the write dependency that it derives from (lines 13 to 16). */
function withOrigins(problem: Problem, dependencies: readonly number[]): number[] {
  const all = new Set(dependencies);
  for (const d of dependencies) {
    if (problem.type(d) !== RW) continue;
    const writer = problem.writerRead(d);
    if (writer === INITIAL_NODE && problem.polygraph.versions.initialFirst) continue;
    const readFrom = findKnown(problem, writer, problem.from(d), WR, problem.key(d));
    if (readFrom >= 0) all.add(readFrom);
    const side = problem.literal(d);
    const order =
      side === 0
        ? findKnown(problem, writer, problem.to(d), WW, problem.key(d))
        : problem.sideOf(side).find((e) => problem.type(e) === WW && problem.key(e) === problem.key(d));
    if (order !== undefined && order >= 0) all.add(order);
  }
  return [...all];
}

/**
 * Dependencies for readers of an initial state: polygraphs leave their dependencies on the initial transaction
 * implicit.
 */
function initialOrigins(problem: Problem, dependencies: readonly number[]): ScenarioDependency[] {
  const origins = new Map<string, ScenarioDependency>();
  for (const d of dependencies) {
    if (problem.type(d) !== RW || problem.writerRead(d) !== INITIAL_NODE) continue;
    const from = transactionOfNode(INITIAL_NODE);
    const key = problem.key(d);
    for (const [type, node] of [
      ['WR', problem.from(d)],
      ['WW', problem.to(d)],
    ] as const) {
      const to = transactionOfNode(node);
      origins.set(`${type} ${to} ${key}`, { from, to, type, key, certain: true, side: 0, restored: true });
    }
  }
  return [...origins.values()];
}

function findKnown({ polygraph }: Problem, from: number, to: number, type: number, key: number): number {
  const { known } = polygraph;
  for (let e = 0; e < known.count; e++)
    if (known.from[e] === from && known.to[e] === to && known.type[e] === type && known.key[e] === key) return e;
  return -1;
}

/** Removes sides that close an undesired cycle with certain dependencies (lines 48 to 54), orders of writers first. */
function resolve(given: readonly ScenarioDependency[]): ScenarioDependency[] {
  let dependencies = [...given];
  for (;;) {
    const certain = dependencies.filter((d) => d.certain);
    const uncertain = dependencies.filter((d) => !d.certain);
    const candidates = [...uncertain.filter((d) => d.type === 'WW'), ...uncertain.filter((d) => d.type !== 'WW')];
    const impossible = candidates.find((d) => cycleThrough(d, [...certain, d]) !== null);
    if (impossible === undefined) return dependencies;
    dependencies = dependencies
      .filter((d) => d.certain || d.side !== impossible.side)
      .map((d) => (d.side === -impossible.side ? { ...d, certain: true } : d));
  }
}

const finalize = (resolved: readonly ScenarioDependency[]): Scenario =>
  scenarioOf(resolved.filter(({ certain }) => certain));
