import type { IncomingEdges } from './edges.ts';
import type { Tuning } from '../../../problem/tuning.ts';
import type { EdgeFacts } from './facts.ts';

/** A cycle as a list of its transactions, each before the next and the last before the first. */
export type Cycle = readonly number[];

/** Finds short cycles among the unplaced transactions: one per strongly connected component, or only the first. */
export function findCycles(
  facts: EdgeFacts,
  edges: IncomingEdges,
  placed: Int32Array,
  { rootsTried }: Tuning,
  findAll: boolean,
): Cycle[] {
  const graph = restOf(facts, edges, placed);
  const cycles: Cycle[] = [];
  for (const component of components(graph)) {
    if (component.length === 1 && !graph.before(component[0]!).includes(component[0]!)) continue;
    cycles.push(shortCycle(graph, component.slice(0, rootsTried), component));
    if (!findAll) break;
  }
  return cycles;
}

/** Graph of the unplaced transactions, by predecessors. */
interface Rest {
  readonly nodes: readonly number[];
  before(t: number): readonly number[];
}

function restOf({ history, happened, source, previous }: EdgeFacts, edges: IncomingEdges, placed: Int32Array): Rest {
  const inRest = happened.slice();
  for (let i = 0; i < placed.length; i++) inRest[placed[i]] = 0;
  const known = new Map<number, readonly number[]>();
  const collect = (t: number): readonly number[] => {
    const found = new Set<number>();
    const add = (before: number): void => {
      if (before >= 0 && inRest[before]) found.add(before);
    };
    add(previous[t]);
    for (let op = history.txnStart[t]; op < history.txnStart[t + 1]; op++) add(source[op]);
    for (let i = edges.start[t]; i < edges.start[t + 1]; i++) add(edges.from[i]);
    return [...found];
  };
  return {
    nodes: Array.from(inRest.keys()).filter((t) => inRest[t] === 1),
    before: (t) => {
      let before = known.get(t);
      if (before === undefined) known.set(t, (before = collect(t)));
      return before;
    },
  };
}

/** Tarjan's strongly connected components, with an explicit stack. */
function* components({ nodes, before }: Rest): Generator<readonly number[]> {
  const index = new Map<number, number>();
  const low = new Map<number, number>();
  const onStack = new Set<number>();
  const stack: number[] = [];
  for (const root of nodes) {
    if (index.has(root)) continue;
    const frames: { t: number; next: number }[] = [{ t: root, next: 0 }];
    while (frames.length > 0) {
      const frame = frames[frames.length - 1]!;
      const { t } = frame;
      if (frame.next === 0) {
        low.set(t, index.size);
        index.set(t, index.size);
        stack.push(t);
        onStack.add(t);
      }
      const neighbours = before(t);
      let descended = false;
      while (frame.next < neighbours.length) {
        const u = neighbours[frame.next++]!;
        if (!index.has(u)) {
          frames.push({ t: u, next: 0 });
          descended = true;
          break;
        }
        if (onStack.has(u)) low.set(t, Math.min(low.get(t)!, index.get(u)!));
      }
      if (descended) continue;
      frames.pop();
      const parent = frames[frames.length - 1];
      if (parent) low.set(parent.t, Math.min(low.get(parent.t)!, low.get(t)!));
      if (low.get(t) !== index.get(t)) continue;
      const component: number[] = [];
      for (;;) {
        const u = stack.pop()!;
        onStack.delete(u);
        component.push(u);
        if (u === t) break;
      }
      yield component;
    }
  }
}

/** Returns the shortest cycle through any of some transactions of a component, by breadth-first search. */
function shortCycle({ before }: Rest, roots: readonly number[], component: readonly number[]): Cycle {
  const members = new Set(component);
  let best: number[] | null = null;
  for (const root of roots) {
    const after = new Map<number, number>(); // next transaction on the path to the root
    let frontier = [root];
    search: while (frontier.length > 0) {
      const next: number[] = [];
      for (const t of frontier) {
        for (const u of before(t)) {
          if (u === root) {
            const cycle = [root];
            for (let v = t; v !== root; v = after.get(v)!) cycle.push(v);
            if (best === null || cycle.length < best.length) best = cycle;
            break search;
          }
          if (!members.has(u) || after.has(u)) continue;
          after.set(u, t);
          next.push(u);
        }
      }
      frontier = next;
    }
  }
  return best!;
}
