import type { RunContext } from '@isolab/checker';
import type { PolygraphInput } from '@isolab/history';
import { type ReachabilityKernel, bitRows, polygraphOf } from '@isolab/polygraph';
import { type DecideOptions, decidePolygraph } from './decide.ts';

export type PolygraphVerdict =
  /** The nodes in an order in which all known edges, and one of each constraint, lead forward. */
  { readonly status: 'satisfied'; readonly order: Int32Array } | { readonly status: 'violated' };

/** Prunes and solves a polygraph that a file gives, of which no history is known. */
export function checkPolygraph(
  input: PolygraphInput,
  options: DecideOptions,
  context: RunContext,
  reachability: ReachabilityKernel = bitRows,
): PolygraphVerdict {
  context.stage('construct');
  const outcome = decidePolygraph(polygraphOf(input), options, context, reachability);
  return outcome.status === 'satisfied' ? outcome : { status: 'violated' };
}
