import type { FoundAnomaly, RunContext } from '@isolab/checker';
import type { Dependencies } from './dependencies.ts';
import { type Facts, anomalyBeforeInitial, anomalyOfCycle } from './explain.ts';
import { type SaturationLevel, premiseOf } from './premises.ts';
import { saturate } from './saturation.ts';
import { shortestCycle } from './shortest-cycle.ts';
import { predecessors, sourcesOf } from './sources.ts';
import { type Traversal, strongComponents } from './strong-components.ts';
import type { Csr } from './csr.ts';

export interface PartOptions {
  readonly level: SaturationLevel;
  readonly asPublished: boolean;
  /** False leaves reads of the initial state out. */
  readonly initialReads: boolean;
  readonly maxClosureBytes: number;
}

/** A commit order of a history, or of a part of one, in transactions; or what is wrong with it. */
export type PartResult =
  | { readonly order: Int32Array; readonly anomalies: null }
  | { readonly order: null; readonly anomalies: readonly FoundAnomaly[] };

/** Algorithm 1: co := SO ∪ WR, saturated with the level's axiom, must be acyclic. */
export function checkPart(deps: Dependencies, options: PartOptions, context: RunContext): PartResult {
  const tick = (steps: number): void => context.tick(steps);
  context.stage('construct');
  const sources = sourcesOf(deps);
  const base = predecessors(deps, sources, null);
  const causes = strongComponents(base, tick);
  // A history in the sense of Definition 2.2 has an acyclic SO ∪ WR; premises need that.
  if (causes.cyclic.length > 0) {
    return { order: null, anomalies: anomaliesOf({ deps, sources, saturated: null }, base, causes, context) };
  }

  const input = { deps, sources, base, order: causes.order, maxClosureBytes: options.maxClosureBytes, tick };
  const premise = premiseOf(options.level, input, options.asPublished);
  context.stage('saturate');
  const saturation = saturate(deps, premise, context, options);

  context.stage('traverse');
  const commitOrder = predecessors(deps, sources, saturation.edges);
  const traversal = strongComponents(commitOrder, tick);
  if (traversal.cyclic.length === 0 && saturation.beforeInitial.length === 0)
    return { order: traversal.order.map((node) => deps.txnOf[node]), anomalies: null };
  const facts = { deps, sources, saturated: { premise, saturation } };
  return { order: null, anomalies: anomaliesOf(facts, commitOrder, traversal, context) };
}

function anomaliesOf(facts: Facts, graph: Csr, { cyclic }: Traversal, context: RunContext): FoundAnomaly[] {
  const { certify, findAll } = context;
  context.stage('certify');
  const anomalies: FoundAnomaly[] = [];
  for (const { node, read } of facts.saturated?.saturation.beforeInitial ?? []) {
    anomalies.push(anomalyBeforeInitial(facts, node, read, certify));
    if (!findAll) return anomalies;
  }
  for (const component of cyclic) {
    const cycle = shortestCycle(graph, component, (steps) => context.tick(steps));
    anomalies.push(anomalyOfCycle(facts, cycle, certify));
    if (!findAll) return anomalies;
  }
  return anomalies;
}
