import type { AnomalyName } from '@isolab/contract';
import { type Interpretation, type ScenarioDependency, undesiredCycle } from './scenario.ts';

/** The name of an anomaly in the registry, and its transactions in the order of the story. */
export interface Classified {
  readonly name: AnomalyName;
  readonly transactions: readonly number[];
}

export function classify({ raw, restored, finalized }: Interpretation): Classified {
  const lost = lostUpdate(restored.dependencies);
  if (lost !== null) return { name: 'lost-update', transactions: lost };
  const cycle = undesiredCycle(finalized.dependencies) ?? raw.dependencies;
  return { name: nameOf(cycle), transactions: [...new Set(cycle.map(({ from }) => from))] };
}

/** Two transactions that read the same version and both overwrite it. */
function lostUpdate(dependencies: readonly ScenarioDependency[]): number[] | null {
  const antis = dependencies.filter(({ type }) => type === 'RW');
  for (const one of antis) {
    const other = antis.find(({ from, to, key }) => from === one.to && to === one.from && key === one.key);
    if (other === undefined) continue;
    const readsFrom = (t: number): number | undefined =>
      dependencies.find(({ to, type, key }) => to === t && type === 'WR' && key === one.key)?.from;
    const source = readsFrom(one.from);
    if (source !== undefined && source === readsFrom(other.from)) return [source, one.from, other.from];
  }
  return null;
}

function nameOf(cycle: readonly ScenarioDependency[]): AnomalyName {
  const has = (type: string): boolean => cycle.some((d) => d.type === type);
  const antis = cycle.filter(({ type }) => type === 'RW').length;
  if (antis === 0) return has('WR') || !has('WW') ? 'G1c' : 'G0';
  if (antis > 1) return 'G-nonadjacent';
  // Berenson et al., P4: a transaction overwrites a write that followed its own read.
  if (cycle.length === 2 && has('WW') && cycle[0]!.key === cycle[1]!.key) return 'lost-update';
  if (has('WW')) return 'G-single';
  // The writer is visible to the reader, which sees an older version. The paper has no separate name for a session that
  // misses part of its past.
  return cycle.length === 2 && has('WR') ? 'fractured-read' : 'causality-violation';
}
