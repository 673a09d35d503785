/** Plays a schedule: permits statements in its order, and continues with others while one waits for a lock. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Actor } from './actors.ts';

export interface Move {
  readonly actor: Actor;
  /** Number of the actor's first statements that are now to be executed. */
  readonly statements: number;
}

/** First difference between the schedule and its execution. */
export type Deviation =
  | { readonly kind: 'lock'; readonly actor: Actor }
  | { readonly kind: 'error'; readonly actor: Actor; readonly code: string }
  /** The statement was never sent; perhaps the command is over. */
  | { readonly kind: 'absent'; readonly actor: Actor; readonly isOver: boolean }
  | { readonly kind: 'unanswered'; readonly actor: Actor };

export interface Watched {
  /** States that some transaction waits for a lock. */
  readonly waitsForLock: () => Promise<boolean>;
  /** States that nothing more can be expected of the command. */
  readonly isOver: () => boolean;
  /** Time for which the command has been quiet. */
  readonly quietMs: () => number;
  /** Longest time for which the command may be quiet between two statements. */
  readonly patienceMs: number;
}

const POLLED_EVERY_MS = 3;
/** A statement that takes longer may wait for a lock. */
const QUICK_MS = 150;
/** Longest wait for a lock if nothing else is left to do. */
const LOCKED_MS = 8_000;

/** Returns the differences from the schedule, in order; it ends with a statement that is absent or unanswered. */
export async function play(moves: readonly Move[], watched: Watched): Promise<readonly Deviation[]> {
  const deviations: Deviation[] = [];
  const left = [...moves];
  const waiting = new Set<Actor>();
  const failed = new Set<Actor>();
  while (left.length > 0) {
    let next = left.findIndex(({ actor }) => !waiting.has(actor));
    if (next < 0) {
      const free = await oneOf(left, waiting);
      if (free === null) return [...deviations, { kind: 'unanswered', actor: left[0]!.actor }];
      waiting.delete(free);
      next = left.findIndex(({ actor }) => actor === free);
    }
    const [move] = left.splice(next, 1);
    const { actor } = move!;
    const result = await perform(move!, watched, deviations.length > 0 || left.length < moves.length - 1);
    if (result === 'absent') return [...deviations, { kind: 'absent', actor, isOver: watched.isOver() }];
    if (result === 'unanswered') return [...deviations, { kind: 'unanswered', actor }];
    if (result === 'lock') {
      deviations.push({ kind: 'lock', actor });
      waiting.add(actor);
      left.splice(next, 0, move!);
    }
    for (const each of new Set(moves.map((one) => one.actor))) {
      const [code] = each.errors;
      if (code === undefined || failed.has(each)) continue;
      failed.add(each);
      deviations.push({ kind: 'error', actor: each, code });
    }
    for (const each of waiting) if (!each.isBusy) waiting.delete(each);
  }
  return deviations;
}

async function perform(
  { actor, statements }: Move,
  { waitsForLock, isOver, quietMs, patienceMs }: Watched,
  isUnderWay: boolean,
): Promise<'done' | 'lock' | 'absent' | 'unanswered'> {
  actor.permit(statements);
  const since = performance.now();
  let busySince = since;
  for (;;) {
    if (actor.hasDone(statements)) return 'done';
    const now = performance.now();
    if (!actor.isBusy) busySince = now;
    if (now - busySince > QUICK_MS && (await waitsForLock())) return actor.hasDone(statements) ? 'done' : 'lock';
    if (isOver() && !actor.isOwn) return 'absent';
    const isQuiet = Math.min(quietMs(), now - since) > patienceMs;
    if (isUnderWay && isQuiet) return actor.isBusy ? 'unanswered' : 'absent';
    await pause(POLLED_EVERY_MS);
  }
}

/** Waits until one of the waiting actors has got its lock, or has failed. */
async function oneOf(left: readonly Move[], waiting: ReadonlySet<Actor>): Promise<Actor | null> {
  const until = performance.now() + LOCKED_MS;
  while (performance.now() < until) {
    const found = [...waiting].find((actor) => !actor.isBusy && left.some((move) => move.actor === actor));
    if (found !== undefined) return found;
    await pause(POLLED_EVERY_MS);
  }
  return null;
}
