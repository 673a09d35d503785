import { type RunContext, Stop } from '@isolab/contract';

/** The context, except for the given members. */
export const contextLike = (outer: RunContext, own: Partial<RunContext>): RunContext => ({
  certify: outer.certify,
  findAll: outer.findAll,
  stage: (name) => outer.stage(name),
  count: (name, amount) => outer.count(name, amount),
  progress: (done, total) => outer.progress(done, total),
  tick: (steps) => outer.tick(steps),
  ...own,
});

/** The context, where the order that satisfies a level is wanted, and no more than one anomaly. */
export const certifying = (context: RunContext): RunContext => contextLike(context, { certify: true, findAll: false });

/** The result; null if it takes more steps. */
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
