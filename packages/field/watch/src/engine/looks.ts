import { type LevelName, type Verdict, definitionOf } from '@isolab/contract';
import type { History } from '@isolab/history';
import { deniesPaths, deniesSources } from '@isolab/levels';
import { weave } from '@isolab/weave';
import { check } from 'isolab';

/**
 * Times for judging a level that weave does not decide. All lines are checked again each time, so the looks come the
 * more rarely the longer they take. Nothing is ever settled for it.
 */
export class Looks {
  /** Number of lines that the latest look took in that gave a verdict. */
  lines = 0;
  #taken = 0;
  readonly #level: LevelName;
  #next = -Infinity;

  constructor(level: LevelName) {
    this.#level = level;
  }

  isDue(now: number, lines: number): boolean {
    return holdsOfParts(this.#level) && lines > this.#taken && now >= this.#next;
  }

  async take(history: History, lines: number, now: number, timeMs: number): Promise<Verdict> {
    const began = performance.now();
    // A long look is taken beside this thread, which has a page to serve.
    const place = history.opKind.length > LONG ? 'worker' : 'thread';
    const { runs } = await check(history, { ...judging(this.#level), certify: false, timeMs, place });
    this.#taken = lines;
    this.#next = now + PAUSE * (performance.now() - began);
    const { verdict } = runs.at(-1) ?? {};
    if (verdict !== undefined && verdict.status !== 'unknown') this.lines = lines;
    return verdict ?? { status: 'unknown', reason: 'unsupported', detail: 'no checker takes it' };
  }
}

/** Returns whether a level is judged by examining everything. */
export const isByLooks = (level: LevelName): boolean => !weave.info.levels.includes(level);

/**
 * Returns whether a history that satisfies a level does so in each of its parts. Then a part that violates it proves
 * that the whole does. Where an axiom denies a relation, later lines may make it hold: only the end decides.
 */
export function holdsOfParts(level: LevelName): boolean {
  const definition = definitionOf(level);
  return !isByLooks(level) || definition === null || !(deniesPaths(definition) || deniesSources(definition));
}

/** How a level is checked. A part of a stream may show nothing, and may have been cut off. */
export const judging = (level: LevelName) => ({
  level,
  ...(!isByLooks(level) && { checker: 'weave' }),
  allowVacuous: true,
  allowCutOff: true,
});

/** Operations above which a look may take more than a moment. */
const LONG = 50_000;

/** Length of the pause behind a look, in lengths of the look: looks take a tenth of the time. */
const PAUSE = 9;
