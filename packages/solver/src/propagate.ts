import { LITERALS, LONG, type Arena } from './arena.ts';
import type { Assignment } from './assignment.ts';
import type { Literal } from './literals.ts';
import type { Watches } from './watches.ts';

/** The highest level of the variables of words from `begin` to `end`. */
export function highestLevel(level: Int32Array, words: Int32Array, begin: number, end: number): number {
  let highest = 0;
  for (let i = begin; i < end; i++) if (level[words[i] >> 1] > highest) highest = level[words[i] >> 1];
  return highest;
}

/** The place of a literal behind the first two that is not false; `stop` if there is none. */
function findOther(values: Int8Array, words: Int32Array, literals: number, stop: number): number {
  if (stop - literals > LONG) return findInLong(values, words, literals, stop);
  let other = literals + 2;
  while (other < stop && values[words[other]] < 0) other++;
  return other;
}

/**
 * The same for a long clause. Goes round from where it found one last, so that a clause that becomes false bit by bit is
 * read once (Gent, Optimal implementation of watched literals, JAIR 2013).
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

/**
 * Unit propagation over two watched literals (MiniSat's, with blockers), for the literals of the trail from `head` on.
 * Returns a clause whose literals are all false, or 0.
 */
export function propagate(assignment: Assignment, arena: Arena, watches: Watches): number {
  const { trail } = assignment;
  while (assignment.head < assignment.size) {
    const conflict = visitWatches(trail[assignment.head++], assignment, arena, watches);
    if (conflict === 0) continue;
    assignment.head = assignment.size;
    return conflict;
  }
  return 0;
}

/** Goes through the clauses that watch the negation of `p`, which has become true. */
function visitWatches(p: Literal, assignment: Assignment, { words }: Arena, watches: Watches): number {
  const { values, level, decisionLevel } = assignment;
  const falsified = p ^ 1;
  const levelOfP = level[p >> 1];
  const begin = watches.start[p];
  const end = begin + watches.size[p];
  let { pool } = watches;
  let conflict = 0;
  let kept = begin; // entries before it stay in the list
  let at = begin;
  while (at < end) {
    const entry = pool[at];
    const blocker = pool[at + 1];
    at += 2;
    pool[kept] = entry;
    pool[kept + 1] = blocker;
    kept += 2;
    if (values[blocker] > 0) continue;
    if (entry < 0) {
      // A clause of two literals.
      if (values[blocker] < 0) {
        conflict = ~entry;
        break;
      }
      assignment.assign(blocker, ~entry, levelOfP);
      continue;
    }

    // The falsified literal goes second.
    const literals = entry + LITERALS;
    let first = words[literals];
    if (first === falsified) {
      first = words[literals + 1];
      words[literals] = first;
      words[literals + 1] = falsified;
    }
    pool[kept - 1] = first;
    if (values[first] > 0) continue;

    // Another literal to watch?
    const stop = literals + words[entry];
    const other = findOther(values, words, literals, stop);
    if (other < stop) {
      kept -= 2;
      const q = words[other];
      words[literals + 1] = q;
      words[other] = falsified;
      watches.push(q ^ 1, entry, first); // never p's own list: q is not false
      pool = watches.pool;
      continue;
    }
    if (values[first] < 0) {
      conflict = entry;
      break;
    }
    const isOnTop = levelOfP === decisionLevel;
    assignment.assign(first, entry, isOnTop ? levelOfP : highestLevel(level, words, literals + 1, stop));
  }
  if (kept < at) {
    while (at < end) pool[kept++] = pool[at++];
    watches.size[p] = kept - begin;
  }
  return conflict;
}
