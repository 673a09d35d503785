import { type RunContext, Stop } from '@isolab/contract';

export interface Limits {
  readonly timeMs?: number;
  readonly steps?: number;
}

export interface LimitedContext extends RunContext {
  configurations(): number;
  /** Returns the remaining limits at this time. */
  left(): Required<Limits>;
}

/** Returns a context that stops a search at its limits. Without explicit limits, a part of the heap stays free. */
export function limited({
  timeMs = Number.POSITIVE_INFINITY,
  steps = Number.POSITIVE_INFINITY,
}: Limits): LimitedContext {
  const deadline = performance.now() + timeMs;
  let spent = 0;
  let lookAt = LOOK_STEPS;
  let configurations = 0;
  return {
    certify: true,
    findAll: false,
    stage: () => {},
    progress: () => {},
    count: (name, amount) => {
      if (name === 'configurations') configurations += amount;
    },
    configurations: () => configurations,
    left: () => ({ timeMs: Math.max(0, deadline - performance.now()), steps: Math.max(0, steps - spent) }),
    tick: (amount) => {
      spent += amount;
      if (spent > steps) throw new Stop('steps', `the budget of ${steps} steps is spent`);
      if (spent < lookAt) return;
      lookAt = spent + LOOK_STEPS;
      if (performance.now() > deadline) throw new Stop('timeout', `the time limit of ${timeMs / 1000} s was reached`);
    },
  };
}

const LOOK_STEPS = 4096;
