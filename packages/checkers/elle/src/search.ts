import { type Digraph, components } from '@isolab/graph';
import { type DependencyGraph, type Layout, Relation, project, withHubs } from './graph.ts';
import type { LevelRule } from './levels.ts';
import { HubPaths } from './paths.ts';

/** Transactions that must each precede the next; the last must precede the first. */
export interface Cycle {
  /** Elle's name, with its suffix. */
  readonly name: string;
  readonly edges: readonly CycleEdge[];
}

export interface CycleEdge {
  /** Nodes of the model. */
  readonly from: number;
  readonly to: number;
  /** A Relation, none through hubs. */
  readonly relation: number;
}

/** A kind of cycle: the relations that it may contain, and the relation that it must begin with. */
interface Kind {
  readonly relations: number;
  readonly layout: Layout;
  readonly required: number;
  readonly once: boolean;
  /** Relations that a cycle of this kind must contain unless it is also of an earlier kind. */
  readonly needs: number;
}

const { WW, WR, RW, Process, RealTime } = Relation;

/** The kinds of a level, the worst first (Elle's severity): each without, with session and with real-time edges. */
function kindsOf({ cycles, process, realTime }: LevelRule): Kind[] {
  const variants = [
    { more: 0, required: 0 },
    ...(process ? [{ more: Process, required: Process }] : []),
    ...(realTime ? [{ more: Process | RealTime, required: RealTime }] : []),
  ];
  return variants.flatMap(({ more, required }) => {
    const kind = (relations: number, own: number, layout: Layout = 'serial', once = false): Kind => ({
      relations: relations | more,
      layout,
      required: once ? own : required || own,
      once,
      needs: (once ? own : 0) | (required || own),
    });
    return [
      kind(WW, WW), // G0
      kind(WW | WR, WR), // G1c
      ...(cycles === 'dependencies' ? [] : [kind(WW | WR | RW, RW, 'serial', true)]), // G-single
      ...(cycles === 'dependencies' ? [] : [kind(WW | WR | RW, RW, 'events')]), // G-nonadjacent
      ...(cycles === 'all' ? [kind(WW | WR | RW, RW)] : []), // G2-item
    ];
  });
}

/** A short cycle of each kind in a strongly connected part of the graph, or only the first cycle found. */
export function searchComponent(
  part: DependencyGraph,
  rule: LevelRule,
  { findAll, tick }: { readonly findAll: boolean; readonly tick: (steps: number) => void },
): Cycle[] {
  const found = new Map<string, Cycle>();
  const relations = relationsIn(part);
  for (const kind of kindsOf(rule)) {
    if ((kind.needs & ~relations) !== 0) continue;
    const cycle = shortestOf(part, kind, tick);
    if (cycle === null || found.has(cycle.name)) continue;
    found.set(cycle.name, cycle);
    if (!findAll) break;
  }
  return [...found.values()];
}

function relationsIn({ relation }: DependencyGraph): number {
  let all = 0;
  for (let e = 0; e < relation.length; e++) all |= relation[e];
  return all;
}

function shortestOf(part: DependencyGraph, kind: Kind, tick: (steps: number) => void): Cycle | null {
  const whole = project(part, withHubs(kind.relations), kind.layout);
  const candidates = edgesToTry(part, kind, whole);
  tick(whole.numNodes + whole.target.length);
  if (candidates.length === 0) return null;
  // The path through the hubs of an anti-dependency is open only to a path that enters by it.
  const rest = kind.once ? withHubs(kind.relations & ~RW) | Relation.ThroughRW : withHubs(kind.relations);
  const paths = new HubPaths(kind.once ? project(part, rest, kind.layout) : whole, part.relation);
  const tries = Math.min(candidates.length, Math.max(MIN_TRIES, Math.min(MAX_TRIES, WORK / part.numEdges)));
  let best: CycleEdge[] | null = null;
  for (let i = 0; i < tries; i++) {
    const { edge, from, to } = candidates[Math.floor((i * candidates.length) / tries)]!;
    const way = paths.shortest(to, from, best === null ? Infinity : best.length - 1);
    tick(paths.lastSteps);
    if (way !== null) best = withoutHubs(part, [edge, ...way]);
    if (best !== null && best.length <= 2) break;
  }
  return best && { name: nameOf(best), edges: best };
}

/** Initial number of edges to try, which is larger in a small component. */
const MIN_TRIES = 8;
const MAX_TRIES = 128;
const WORK = 4_000_000;

interface Candidate {
  readonly edge: number;
  readonly from: number;
  readonly to: number;
}

/** The required edges that lie on a cycle with any other edges. */
function edgesToTry({ relation }: DependencyGraph, { required }: Kind, whole: Digraph): Candidate[] {
  const { of } = components(whole);
  const found: Candidate[] = [];
  for (let from = 0; from < whole.numNodes; from++) {
    for (let i = whole.start[from]; i < whole.start[from + 1]; i++) {
      const edge = whole.edge[i];
      const to = whole.target[i];
      if (edge >= 0 && (relation[edge] & required) !== 0 && of[from] === of[to]) found.push({ edge, from, to });
    }
  }
  return found;
}

/** Joins the edges that enter hubs with the edges that leave them. */
function withoutHubs({ from, to, relation, numNodes }: DependencyGraph, edges: readonly number[]): CycleEdge[] {
  const joined: CycleEdge[] = [];
  for (let i = 0; i < edges.length; i++) {
    const first = edges[i]!;
    let last = first;
    while (to[last] >= numNodes) last = edges[++i]!;
    joined.push({ from: from[first], to: to[last], relation: relation[first] });
  }
  return joined;
}

function nameOf(edges: readonly CycleEdge[]): string {
  const has = (relation: number): boolean => edges.some((edge) => edge.relation === relation);
  const isAnti = (i: number): boolean => edges[i % edges.length]!.relation === RW;
  const numAnti = edges.reduce((sum, _, i) => sum + (isAnti(i) ? 1 : 0), 0);
  const isAdjacent = edges.some((_, i) => isAnti(i) && isAnti(i + 1));
  const suffix = has(RealTime) ? '-realtime' : has(Process) ? '-process' : '';
  if (numAnti === 0) return (has(WR) ? 'G1c' : 'G0') + suffix;
  if (numAnti === 1) return `G-single-item${suffix}`;
  return (isAdjacent ? 'G2-item' : 'G-nonadjacent-item') + suffix;
}
