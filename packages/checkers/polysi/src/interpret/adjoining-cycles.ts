// FindACS (Algorithm 3, lines 19 to 40; appendix E): the violation with the fewest dependencies that contains a cycle.
// The paper regards a set of cycles as a violation as soon as every constraint that a cycle touches is touched on both
// sides. That is not sufficient: if two cycles go through the `either` sides and the `or` sides of the same two
// constraints, a mixed choice avoids both. So we ask the solver for a choice that avoids all cycles so far, and
// continue with the cycles that this choice closes; the search ends when there is no such choice.

import { type Digraph, digraphOf, reversed } from '@isolab/graph';
import { beginEvent, commitEvent } from '@isolab/polygraph';
import type { Problem } from '../problem/problem.ts';
import { satisfyingChoice, withoutSuperfluous } from './violation.ts';

export interface SmallestViolation {
  readonly dependencies: readonly number[];
  readonly isSmallest: boolean;
}

/** Improves on a violation that contains the cycle, within the given number of steps. */
export function smallestViolation(
  problem: Problem,
  cycle: readonly number[],
  violation: readonly number[],
  { steps, tick }: { readonly steps: number; readonly tick: (steps: number) => void },
): SmallestViolation {
  const search = new Search(problem, violation, steps, tick);
  search.extend([...new Set(cycle)]);
  const dependencies = withoutSuperfluous(problem, search.best, new Set(cycle), tick);
  return { dependencies, isSmallest: search.stepsLeft > 0 };
}

class Search {
  best: readonly number[];
  stepsLeft: number;
  readonly #problem: Problem;
  readonly #tick: (steps: number) => void;
  readonly #graph: Digraph; // all dependencies between events, by number; −1 from a begin to its commit
  readonly #backward: Digraph;
  readonly #tried = new Set<string>();

  constructor(problem: Problem, violation: readonly number[], steps: number, tick: (steps: number) => void) {
    this.best = violation;
    this.stepsLeft = steps;
    this.#problem = problem;
    this.#tick = tick;
    this.#graph = eventGraph(problem);
    this.#backward = reversed(this.#graph);
  }

  /** Tries to complete the current dependencies to a violation smaller than the best. */
  extend(dependencies: readonly number[]): void {
    if (dependencies.length >= this.best.length || this.stepsLeft <= 0) return;
    const name = dependencies.toSorted((a, b) => a - b).join();
    if (this.#tried.has(name)) return;
    this.#tried.add(name);
    this.#spend(STEPS_A_SOLUTION);
    const choice = satisfyingChoice(this.#problem, dependencies);
    if (choice === null) {
      this.best = dependencies;
      return;
    }
    const chosen = new Set(dependencies);
    for (const literal of choice) {
      for (const d of this.#problem.sideOf(literal)) {
        for (const cycle of this.#cyclesThrough(d, choice, chosen)) {
          this.extend([...new Set([...dependencies, ...cycle])]);
          if (this.stepsLeft <= 0) return;
        }
      }
    }
  }

  /**
   * Undesired cycles through a dependency that a choice allows, with few enough new dependencies to beat the best
   * violation.
   */
  *#cyclesThrough(first: number, choice: ReadonlySet<number>, chosen: ReadonlySet<number>): Generator<number[]> {
    const problem = this.#problem;
    const goal = problem.leaves(first);
    const room = (): number => this.best.length - 1 - chosen.size - (chosen.has(first) ? 0 : 1);
    if (room() < 0) return;
    const distance = this.#distancesTo(goal, choice, chosen, room());
    const { start, target, edge } = this.#graph;
    const path: number[] = [first];
    const sides = new Set([problem.literal(first)]); // number of constraints that the choice leaves open
    const visited = new Set<number>();
    const walk = function* (this: Search, event: number, left: number): Generator<number[]> {
      if (event === goal) {
        yield [...path];
        return;
      }
      visited.add(event);
      for (let i = start[event]; i < start[event + 1] && this.stepsLeft > 0; i++) {
        this.#spend(1);
        const d = edge[i];
        const next = target[i];
        const cost = d < 0 || chosen.has(d) ? 0 : 1;
        if (visited.has(next) || (distance.get(next) ?? Infinity) > left - cost || left - cost > room()) continue;
        const side = d < 0 ? 0 : problem.literal(d);
        if (choice.has(-side) || sides.has(-side)) continue;
        if (d >= 0) path.push(d);
        const isNew = side !== 0 && !sides.has(side);
        if (isNew) sides.add(side);
        yield* walk.call(this, next, left - cost);
        if (isNew) sides.delete(side);
        if (d >= 0) path.pop();
      }
      visited.delete(event);
    };
    yield* walk.call(this, problem.arrives(first), room());
  }

  /** Minimum number of new dependencies from each event to the goal, where it is at most `room`. */
  #distancesTo(
    goal: number,
    choice: ReadonlySet<number>,
    chosen: ReadonlySet<number>,
    room: number,
  ): ReadonlyMap<number, number> {
    const { start, target, edge } = this.#backward;
    const distance = new Map([[goal, 0]]);
    // Events at one distance, from which edges without cost lead to further events at this distance.
    let level = [goal];
    for (let far = 0; far <= room && level.length > 0; far++) {
      const next: number[] = [];
      for (let at = 0; at < level.length; at++) {
        const event = level[at]!;
        if (distance.get(event)! < far) continue;
        for (let i = start[event]; i < start[event + 1]; i++) {
          this.#spend(1);
          if (this.stepsLeft <= 0) return distance;
          const d = edge[i];
          const cost = d < 0 || chosen.has(d) ? 0 : 1;
          if (far + cost >= (distance.get(target[i]) ?? Infinity) || far + cost > room) continue;
          if (d >= 0 && choice.has(-this.#problem.literal(d))) continue;
          distance.set(target[i], far + cost);
          (cost === 0 ? level : next).push(target[i]);
        }
      }
      level = next;
    }
    return distance;
  }

  #spend(steps: number): void {
    this.stepsLeft -= steps;
    this.#tick(steps);
  }
}

/** Cost of asking the solver, relative to examining an edge. */
const STEPS_A_SOLUTION = 100;

function eventGraph(problem: Problem): Digraph {
  const { numNodes } = problem.polygraph.versions;
  const from = new Int32Array(numNodes + problem.count);
  const to = new Int32Array(numNodes + problem.count);
  for (let node = 0; node < numNodes; node++) {
    from[node] = beginEvent(node);
    to[node] = commitEvent(node);
  }
  for (let d = 0; d < problem.count; d++) {
    from[numNodes + d] = problem.leaves(d);
    to[numNodes + d] = problem.arrives(d);
  }
  const graph = digraphOf(2 * numNodes, from, to);
  return { ...graph, edge: graph.edge.map((e) => (e < numNodes ? -1 : e - numNodes)) };
}
