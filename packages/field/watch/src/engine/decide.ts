import { type LevelName, type RunContext, Stop, type Verdict, implies } from '@isolab/contract';
import type { History } from '@isolab/history';
import { prepare, resolveOptions, unmetRequirement } from '@isolab/runner';
import { weave } from '@isolab/weave';
import { withArrivals } from './mask.ts';

/** Returns weave's verdict about a part of a stream, with its certificate. */
export function decide(history: History, level: LevelName, timeMs: number): Verdict {
  const guided = withArrivals(history, implies('causal', level));
  const input = prepare(guided).inputFor(weave);
  const unmet = unmetRequirement(weave, input, level);
  if (unmet !== null) return { status: 'unknown', reason: 'incomplete', detail: unmet };
  const deadline = performance.now() + timeMs;
  let spent = 0;
  const context: RunContext = {
    certify: true,
    findAll: false,
    stage: () => {},
    count: () => {},
    progress: () => {},
    tick: (steps) => {
      spent += steps;
      if (spent < LOOK_AFTER) return;
      spent = 0;
      if (performance.now() > deadline) throw new Stop('timeout', `it took more than ${timeMs} ms`);
    },
  };
  try {
    // Only other checkers return a promise.
    return weave.check(input, level, OPTIONS, context) as Verdict;
  } catch (error) {
    if (error instanceof Stop) return { status: 'unknown', reason: error.reason, detail: error.message };
    throw error;
  }
}

const OPTIONS = resolveOptions(weave) as never;
const LOOK_AFTER = 10_000;
