import type { Replay } from '../replay/replay.ts';
import type { Wait } from '../replay/rules/rule.ts';

/**
 * Of the cycles in which an event waits, one that rests on as few choices as can be, for the fewer there are the more its
 * clause excludes: breadth first over all that events wait for, where steps without a choice are free. Null if it gets
 * too far. For histories in which it is certain what each read saw, and what happened.
 */
export function fewestChoices(replay: Replay, start: number, mostEvents: number): Wait[] | null {
  const cost = new Map<number, number>(); // by event: the choices between it and the start
  const by = new Map<number, Wait>();
  const done = new Set<number>();
  let level = [start];
  let best = Infinity;
  for (let count = 0; level.length > 0 && count < best; count++) {
    const next: number[] = [];
    const visit = (wait: Wait): void => {
      const { from } = wait;
      const reached = count + (wait.rule.restsOnOrder(wait.basis) ? 1 : 0);
      const known = from === start ? best : (cost.get(from) ?? Infinity);
      if (reached >= known) return;
      by.set(from, wait);
      if (from === start) {
        best = reached;
        return;
      }
      cost.set(from, reached);
      (reached === count ? level : next).push(from);
    };
    for (const to of level) {
      if (done.has(to)) continue;
      done.add(to);
      if (done.size > mostEvents) return null;
      replay.eachWaitOf(to, visit);
    }
    level = next;
  }
  if (best === Infinity) return null;
  const cycle: Wait[] = [];
  for (let step = by.get(start)!; ; step = by.get(step.to)!) {
    cycle.push(step);
    if (step.to === start) return cycle;
  }
}
