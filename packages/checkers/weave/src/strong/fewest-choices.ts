import { type Blocking, eachBlocker } from './blockers.ts';
import type { Choices } from './choices.ts';
import { type Schedule, Why } from './schedule.ts';

/**
 * Of the cycles in which an event waits, one that rests on as few choices as can be, for the fewer there are the more its
 * clause excludes: breadth first over all that events wait for, where steps without a choice are free. Null if it gets
 * too far. `chainBefore` is what an event that is not next in its chain waits for, −1 for one that is.
 */
export function fewestChoices(
  schedule: Schedule,
  choices: Choices,
  start: number,
  chainBefore: (event: number) => number,
): Blocking[] | null {
  const { writer } = schedule.versions;
  const isChoice = ({ why, basis }: Blocking): boolean =>
    why === Why.Lock || why === Why.Choice || (why === Why.Overwrite && basis < writer.length);
  const cost = new Map<number, number>(); // by event: the choices between it and the start
  const by = new Map<number, Blocking>();
  const done = new Set<number>();
  let level = [start];
  let best = Infinity;
  for (let count = 0; level.length > 0 && count < best; count++) {
    const next: number[] = [];
    const visit = (found: Blocking): void => {
      const { from } = found;
      const reached = count + (isChoice(found) ? 1 : 0);
      const known = from === start ? best : (cost.get(from) ?? Infinity);
      if (reached >= known) return;
      by.set(from, found);
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
      if (done.size > MOST) return null;
      const before = chainBefore(to);
      if (before < 0) eachBlocker(schedule, choices, to, visit);
      else visit({ from: before, to, why: Why.Chain, data: -1, basis: -1 });
    }
    level = next;
  }
  if (best === Infinity) return null;
  const cycle: Blocking[] = [];
  for (let step = by.get(start)!; ; step = by.get(step.to)!) {
    cycle.push(step);
    if (step.to === start) return cycle;
  }
}

/** Events that are looked at. */
const MOST = 4096;
