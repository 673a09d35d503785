import type { CheckInput, FoundAnomaly, RunContext } from '@isolab/contract';
import type { ListVersions } from '@isolab/history';
import { certificateOf } from './certificate.ts';
import { minimalCore } from './core.ts';
import { classify } from './interpret/classify.ts';
import { interpret } from './interpret/interpret.ts';
import type { Interpretation } from './interpret/scenario.ts';
import type { Problem } from './problem.ts';
import { Reasons } from './reasons.ts';

export interface Explanation {
  readonly anomaly: FoundAnomaly;
  readonly interpretation: Interpretation;
}

/** Interprets, names and certifies a violation. `search` limits the search for the smallest counterexample. */
export function explain(
  { history, index }: CheckInput,
  lists: ListVersions | null,
  problem: Problem,
  cycles: readonly (readonly number[])[],
  search: number,
  context: RunContext,
): Explanation {
  const tick = (steps: number): void => context.tick(steps);
  const core = minimalCore(problem, cycles, tick);
  const interpretation = interpret(problem, core, { steps: search, tick });
  const { name, transactions } = classify(interpretation);
  if (!context.certify) return { anomaly: { name, transactions }, interpretation };
  context.stage('certify');
  const certificate = certificateOf(problem, core, new Reasons(problem, history, index, lists));
  return { anomaly: { name, transactions, certificate }, interpretation };
}
