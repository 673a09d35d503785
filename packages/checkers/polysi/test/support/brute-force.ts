import type { ScenarioDependency } from '../../src/index.ts';

/** Returns whether some choice of sides leaves these dependencies without an undesired cycle; tries all of them. */
export function isSatisfiable(dependencies: readonly ScenarioDependency[]): boolean {
  const constraints = [...new Set(dependencies.map(({ side }) => Math.abs(side)))].filter((c) => c > 0);
  for (let bits = 0; bits < 2 ** constraints.length; bits++) {
    const holds = ({ side }: ScenarioDependency): boolean =>
      side === 0 || (((bits >> constraints.indexOf(Math.abs(side))) & 1) === 1) === side > 0;
    if (!hasUndesiredCycle(dependencies.filter(holds))) return true;
  }
  return false;
}

/** Composes anti-dependencies with the edges before them, as Definition 3 does, and closes the result. */
export function hasUndesiredCycle(dependencies: readonly ScenarioDependency[]): boolean {
  const nodes = [...new Set(dependencies.flatMap(({ from, to }) => [from, to]))];
  const reach = nodes.map(() => nodes.map(() => false));
  for (const { from, to, type } of dependencies) {
    if (type === 'RW') continue;
    reach[nodes.indexOf(from)]![nodes.indexOf(to)] = true;
    for (const next of dependencies)
      if (next.type === 'RW' && next.from === to) reach[nodes.indexOf(from)]![nodes.indexOf(next.to)] = true;
  }
  for (let k = 0; k < nodes.length; k++)
    for (let i = 0; i < nodes.length; i++)
      for (let j = 0; j < nodes.length; j++) if (reach[i]![k] && reach[k]![j]) reach[i]![j] = true;
  return nodes.some((_, i) => reach[i]![i]);
}
