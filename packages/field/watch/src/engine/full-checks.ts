import { type LevelName, type Verdict, definitionOf } from '@isolab/contract';
import type { History } from '@isolab/history';
import { deniesPaths, deniesSources } from '@isolab/levels';
import { weave } from '@isolab/weave';
import { check } from 'isolab';

/**
 * The schedule of the full checks of a level that weave does not decide. Each one checks all lines again, so full checks
 * become rarer the longer they take. These levels never settle lines.
 */
export class FullChecks {
  /** Number of lines in the latest full check that gave a verdict. */
  lines = 0;
  #checked = 0; // number of lines in the latest full check
  readonly #level: LevelName;
  #next = -Infinity;

  constructor(level: LevelName) {
    this.#level = level;
  }

  isDue(now: number, lines: number): boolean {
    return holdsOfParts(this.#level) && lines > this.#checked && now >= this.#next;
  }

  async run(history: History, lines: number, now: number, timeMs: number): Promise<Verdict> {
    const began = performance.now();
    // A long check runs in a worker, because this thread serves a page.
    const place = history.opKind.length > LONG ? 'worker' : 'thread';
    const { runs } = await check(history, { ...judging(this.#level), certify: false, timeMs, place });
    this.#checked = lines;
    this.#next = now + PAUSE * (performance.now() - began);
    const { verdict } = runs.at(-1) ?? {};
    if (verdict !== undefined && verdict.status !== 'unknown') this.lines = lines;
    return verdict ?? { status: 'unknown', reason: 'unsupported', detail: 'no checker supports it' };
  }
}

/** Returns whether a level is judged by full checks. */
export const isCheckedInFull = (level: LevelName): boolean => !weave.info.levels.includes(level);

/**
 * Returns whether every part of a history that satisfies the level also satisfies it. A part that violates such a level
 * proves that the whole does. If an axiom negates a relation, later lines may satisfy it, so only the complete stream
 * decides.
 */
export function holdsOfParts(level: LevelName): boolean {
  const definition = definitionOf(level);
  return !isCheckedInFull(level) || definition === null || !(deniesPaths(definition) || deniesSources(definition));
}

/** The options for checking a level. A part of a stream may be empty or cut off. */
export const judging = (level: LevelName) => ({
  level,
  ...(!isCheckedInFull(level) && { checker: 'weave' }),
  allowVacuous: true,
  allowCutOff: true,
});

/** Number of operations above which a full check may take more than a moment. */
const LONG = 50_000;

/** Length of the pause after a full check, as a multiple of its duration: full checks take a tenth of the time. */
const PAUSE = 9;
