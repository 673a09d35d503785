import type { RunContext, Verdict } from '@isolab/contract';
import type { PolygraphInput } from '@isolab/history';
import { polygraphOf } from '@isolab/polygraph';
import { type DecideOptions, decidePolygraph } from './decide.ts';

/** Prunes and solves a polygraph that a file gives, of which no history is known. */
export function checkPolygraph(input: PolygraphInput, options: DecideOptions, context: RunContext): Verdict {
  context.stage('construct');
  const outcome = decidePolygraph(polygraphOf(input), options, context);
  if (outcome.status === 'satisfied')
    return { status: 'satisfied', certificate: { kind: 'commit-order', order: Array.from(outcome.order) } };
  return { status: 'violated', anomalies: [{ name: 'cyclic-polygraph', transactions: [0] }], uncertified: 'polygraph' };
}
