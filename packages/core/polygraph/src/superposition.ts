import { EdgeColumns, components } from '@isolab/graph';
import { Decision, type Polygraph } from './polygraph.ts';

/** A part of a polygraph that can be solved independently. */
export interface Region {
  readonly nodes: readonly number[];
  readonly edges: readonly number[];
  readonly constraints: readonly number[];
}

export interface Regions {
  readonly regions: readonly Region[];
  readonly component: Int32Array;
  /** Constraints with a side that can hold for any choice of the other constraints, and that side. */
  readonly free: readonly { readonly constraint: number; readonly side: number }[];
}

/**
 * Finds the components with open constraints in the graph of all possible edges. Each cycle stays within a component.
 */
export function regionsOf(polygraph: Polygraph): Regions {
  const { numNodes, known, constraints } = polygraph;
  const all = new EdgeColumns(known.count + constraints.from.length);
  for (let e = 0; e < known.count; e++) all.add(known.ends.from[e], known.ends.to[e]);
  for (let c = 0; c < constraints.count; c++) {
    if (constraints.decision.items[c] !== Decision.Open) continue;
    for (let e = constraints.start[2 * c], end = constraints.start[2 * c + 2]; e < end; e++)
      all.add(constraints.from.items[e], constraints.to.items[e]);
  }
  const { count, of: component } = components(all.digraph(numNodes));

  const joined = Int32Array.from({ length: count }, (_, i) => i);
  const find = (of: number): number => {
    let root = of;
    while (joined[root] !== root) root = joined[root] = joined[joined[root]];
    return root;
  };
  const free: { constraint: number; side: number }[] = [];
  const placed: { constraint: number; at: number }[] = [];
  for (let c = 0; c < constraints.count; c++) {
    if (constraints.decision.items[c] !== Decision.Open) continue;
    const sides = [0, 1].map((side) => componentsOfSide(polygraph, component, c, side));
    const side = sides.findIndex((found) => found.length === 0);
    if (side >= 0) {
      free.push({ constraint: c, side });
      continue;
    }
    const touched = sides.flat();
    for (const other of touched) joined[find(other)] = find(touched[0]!);
    placed.push({ constraint: c, at: touched[0]! });
  }

  const regions = new Map<number, { nodes: number[]; edges: number[]; constraints: number[] }>();
  for (const { constraint, at } of placed) {
    const root = find(at);
    const region = regions.get(root) ?? { nodes: [], edges: [], constraints: [] };
    region.constraints.push(constraint);
    regions.set(root, region);
  }
  for (let n = 0; n < numNodes; n++) regions.get(find(component[n]))?.nodes.push(n);
  for (let e = 0; e < known.count; e++) {
    const at = component[known.ends.from[e]];
    if (at === component[known.ends.to[e]]) regions.get(find(at))?.edges.push(e);
  }
  return { regions: [...regions.values()], component, free };
}

export function wholeRegion({ numNodes, known, constraints }: Polygraph): Region {
  const open: number[] = [];
  for (let c = 0; c < constraints.count; c++) if (constraints.decision.items[c] === Decision.Open) open.push(c);
  return {
    nodes: Array.from({ length: numNodes }, (_, n) => n),
    edges: Array.from({ length: known.count }, (_, e) => e),
    constraints: open,
  };
}

/** Returns the components that contain edges of a side; edges between components are never on a cycle. */
function componentsOfSide({ constraints }: Polygraph, component: Int32Array, c: number, side: number): number[] {
  const { begin, end } = constraints.side(c, side);
  const found: number[] = [];
  for (let e = begin; e < end; e++) {
    const at = component[constraints.from.items[e]];
    if (at === component[constraints.to.items[e]] && !found.includes(at)) found.push(at);
  }
  return found;
}
