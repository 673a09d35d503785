import type { FoundAnomaly, RunContext } from '@isolab/contract';
import type { Adjacency } from '@isolab/graph';
import type { Dependencies } from '../dependencies.ts';
import type { PartOptions } from '../options.ts';
import type { Sources } from '../sources.ts';
import { anomalyOfSearch } from './explain-search.ts';
import { linearize } from './linearize.ts';
import { type SearchLevel, type Steps, isSplit, stepsOf } from './steps.ts';

/**
 * An order of a history, or of a part of one: of its transactions, or for levels below serializable that are searched
 * of begins (2t) and commits (2t + 1); or what is wrong with it.
 */
export type PartResult =
  | { readonly order: Int32Array; readonly anomalies: null }
  | { readonly order: null; readonly anomalies: readonly FoundAnomaly[] };

export interface CausalPart {
  readonly deps: Dependencies;
  readonly sources: Sources;
  /** What the causal check added to SO ∪ WR: for each node, nodes that must come before it. */
  readonly saturation: Adjacency;
}

/** Prefix, snapshot isolation and serializability of a part that is causally consistent (paper, section 4). */
export function searchPart(
  part: CausalPart,
  level: SearchLevel,
  { asPublished, initialReads, eager, maxMemoBytes }: PartOptions,
  context: RunContext,
): PartResult {
  context.stage('construct');
  const steps = stepsOf({ ...part, level, initialReads, strictPrefix: asPublished });
  context.stage('search');
  const { order, stuck } = linearize(steps, { eager, maxMemoBytes }, context);
  if (order) return { order: inHistory(part.deps, level, order), anomalies: null };
  context.stage('certify');
  return { order: null, anomalies: [anomalyOfSearch(part.deps, steps, nextNodes(steps, stuck), context.certify)] };
}

/** Steps as transactions, or as begins and commits of transactions. */
const inHistory = ({ txnOf }: Dependencies, level: SearchLevel, order: Int32Array): Int32Array =>
  order.map((step) => (isSplit(level) ? 2 * txnOf[step >> 1] + (step & 1) : txnOf[step]));

/** What comes next in each session after a prefix. */
function nextNodes({ level, first }: Steps, boundary: Int32Array): number[] {
  const steps = Array.from(boundary, (count, s) => first[s] + count).filter((step, s) => step < first[s + 1]);
  return steps.map((step) => (isSplit(level) ? step >> 1 : step));
}
