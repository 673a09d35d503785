/**
 * Finds a cycle of waits through an event with as few choices as possible, because a smaller clause excludes more. The
 * search is breadth-first, and steps without a choice are free. Null if it visits too many events. All sources and
 * outcomes must be certain.
 */
import type { Replay } from '../order/replay.ts';
import type { Wait } from '../order/rules/rule.ts';

export function fewestChoices(replay: Replay, start: number, mostEvents: number): Wait[] | null {
  const cost = new Map<number, number>(); // by event: number of choices between it and the start
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
