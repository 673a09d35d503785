import { Solver, negative, positive } from '@isolab/solver';
import type { Problem } from '../problem/problem.ts';

/** True literals of a choice of sides without an undesired cycle; null if every choice closes such a cycle. */
export function satisfyingChoice(problem: Problem, dependencies: readonly number[]): ReadonlySet<number> | null {
  const solver = new Solver();
  const eventOf = new Map<number, number>();
  const place = (event: number): number => {
    const known = eventOf.get(event);
    if (known !== undefined) return known;
    eventOf.set(event, eventOf.size);
    return eventOf.size - 1;
  };
  const variables = new Map<number, number>(); // by constraint, counted from 1
  const edges = dependencies.map((d) => {
    for (const node of [problem.from(d), problem.to(d)]) [2 * node, 2 * node + 1].forEach(place);
    const side = problem.literal(d);
    const c = Math.abs(side);
    if (c > 0 && !variables.has(c)) variables.set(c, solver.newVariable());
    return { from: place(problem.leaves(d)), to: place(problem.arrives(d)), side };
  });
  const graph = solver.addGraph(eventOf.size);
  for (const event of eventOf.keys()) if (event % 2 === 0) solver.addEdge(graph, place(event), place(event + 1));
  for (const { from, to, side } of edges) {
    const variable = variables.get(Math.abs(side));
    if (variable === undefined) solver.addEdge(graph, from, to);
    else solver.addEdge(graph, from, to, side > 0 ? positive(variable) : negative(variable));
  }
  if (solver.solve() !== 'satisfiable') return null;
  return new Set([...variables].map(([c, variable]) => (solver.value(variable) ? c : -c)));
}

/** Removes single dependencies as long as the rest is still a violation; the dependencies in `keep` are tried last. */
export function withoutSuperfluous(
  problem: Problem,
  dependencies: readonly number[],
  keep: ReadonlySet<number>,
  tick: (steps: number) => void,
): number[] {
  let rest = [...dependencies];
  const candidates = dependencies.toSorted((a, b) => Number(keep.has(a)) - Number(keep.has(b)));
  for (const candidate of candidates) {
    tick(rest.length);
    const fewer = rest.filter((d) => d !== candidate);
    if (satisfyingChoice(problem, fewer) === null) rest = fewer;
  }
  return rest;
}
