import { type RunContext, Stop } from '@isolab/contract';

export const contextLike = (outer: RunContext, own: Partial<RunContext>): RunContext => ({
  certify: outer.certify,
  findAll: outer.findAll,
  stage: (name) => outer.stage(name),
  count: (name, amount) => outer.count(name, amount),
  progress: (done, total) => outer.progress(done, total),
  tick: (steps) => outer.tick(steps),
  ...own,
});

/** Returns a context that asks for the order that satisfies a level, or else for a single anomaly. */
export const certifying = (context: RunContext): RunContext => contextLike(context, { certify: true, findAll: false });

/** Returns the result, or null if it takes more than this number of steps. */
export function withinSteps<T>(context: RunContext, most: number, run: (inner: RunContext) => T): T | null {
  let steps = 0;
  const tick = (more: number): void => {
    steps += more;
    if (steps > most) throw new Stop('steps');
    context.tick(more);
  };
  try {
    return run(contextLike(context, { tick }));
  } catch (error) {
    if (error instanceof Stop && steps > most) return null;
    throw error;
  }
}
