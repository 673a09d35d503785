/**
 * Propagates units with two watched literals per clause (as in MiniSat, with blockers). Returns a false clause, or 0.
 */
import { LITERALS, LONG, type Arena } from './arena.ts';
import type { Assignment } from '../state/assignment.ts';
import type { Watches } from './watches.ts';

/** Returns the highest level of the variables in the words from `begin` to `end`. */
export function highestLevel(level: Int32Array, words: Int32Array, begin: number, end: number): number {
  let highest = 0;
  for (let i = begin; i < end; i++) if (level[words[i] >> 1] > highest) highest = level[words[i] >> 1];
  return highest;
}

/**
 * Returns the index of the next literal that is not false, or `stop`; searches cyclically from the last index found
 * (Gent, JAIR 2013).
 */
function findInLong(values: Int8Array, words: Int32Array, literals: number, stop: number): number {
  const last = literals + words[stop];
  let at = last;
  while (at < stop && values[words[at]] < 0) at++;
  if (at === stop) {
    at = literals + 2;
    while (at < last && values[words[at]] < 0) at++;
    if (at === last) return stop;
  }
  words[stop] = at - literals;
  return at;
}

/** Returns a false clause, or 0. Leaves the implied literals on the trail, with their clauses as reasons. */
// Calls within these loops cost five to eight percent of the solver's time.
// oxlint-disable-next-line max-lines-per-function
export function propagate(assignment: Assignment, arena: Arena, watches: Watches): number {
  const { values, level, reason, trail, decisionLevel } = assignment;
  const { start, size } = watches;
  const words = arena.words;
  let pool = watches.pool;
  let trailSize = assignment.size;
  let conflict = 0;
  let head = assignment.head;
  while (head < trailSize && conflict === 0) {
    const p = trail[head++];
    const falsified = p ^ 1;
    const levelOfP = level[p >> 1];
    const begin = start[p];
    const end = begin + size[p];
    let kept = begin; // entries before it stay in the list
    let at = begin;
    while (at < end) {
      const entry = pool[at];
      const blocker = pool[at + 1];
      at += 2;
      const blockerValue = values[blocker];
      if (blockerValue > 0) {
        pool[kept] = entry;
        pool[kept + 1] = blocker;
        kept += 2;
        continue;
      }
      if (entry < 0) {
        pool[kept] = entry;
        pool[kept + 1] = blocker;
        kept += 2;
        if (blockerValue < 0) {
          conflict = ~entry;
          break;
        }
        values[blocker] = 1;
        values[blocker ^ 1] = -1;
        level[blocker >> 1] = levelOfP;
        reason[blocker >> 1] = ~entry;
        trail[trailSize++] = blocker;
        continue;
      }

      // Move the falsified literal to the second place.
      const literals = entry + LITERALS;
      let first = words[literals];
      if (first === falsified) {
        first = words[literals + 1];
        words[literals] = first;
        words[literals + 1] = falsified;
      }
      if (values[first] > 0) {
        pool[kept] = entry;
        pool[kept + 1] = first;
        kept += 2;
        continue;
      }

      // Look for another literal to watch.
      const stop = literals + words[entry];
      let other = literals + 2;
      if (stop - literals > LONG) other = findInLong(values, words, literals, stop);
      else while (other < stop && values[words[other]] < 0) other++;
      if (other < stop) {
        const q = words[other];
        words[literals + 1] = q;
        words[other] = falsified;
        watches.push(q ^ 1, entry, first); // never p's own list, because q is not false
        pool = watches.pool;
        continue;
      }

      pool[kept] = entry;
      pool[kept + 1] = first;
      kept += 2;
      if (values[first] < 0) {
        conflict = entry;
        break;
      }
      values[first] = 1;
      values[first ^ 1] = -1;
      level[first >> 1] = levelOfP === decisionLevel ? levelOfP : highestLevel(level, words, literals + 1, stop);
      reason[first >> 1] = entry;
      trail[trailSize++] = first;
    }
    if (kept < at) {
      while (at < end) pool[kept++] = pool[at++];
      size[p] = kept - begin;
    }
  }
  assignment.size = trailSize;
  assignment.head = conflict === 0 ? head : trailSize;
  return conflict;
}
