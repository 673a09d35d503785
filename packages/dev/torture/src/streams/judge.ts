import { writeFileSync } from 'node:fs';
import { check, open } from 'isolab';
import type { LevelName } from '@isolab/contract';
import { END } from './draw.ts';
import { withoutPromise } from './model.ts';

/** Verdicts of `isolab check` on lines, and possible exit codes of `isolab watch` for the same lines. */
export class Judge {
  readonly #path: string;
  readonly #known = new Map<string, 'satisfied' | 'violated' | 'unknown'>();

  constructor(path: string) {
    this.#path = path;
  }

  async verdict(lines: readonly string[], level: LevelName): Promise<'satisfied' | 'violated' | 'unknown'> {
    const text = lines.map((line) => `${withoutPromise(line)}\n`).join('');
    const asked = `${level} ${text}`;
    const known = this.#known.get(asked);
    if (known !== undefined) return known;
    writeFileSync(this.#path, text);
    const history = await open(this.#path);
    const { verdict } = await check(history, { level, checker: 'weave', allowVacuous: true });
    this.#known.set(asked, verdict);
    return verdict;
  }

  /** Correct exit codes for one stream; they depend on whether its source was read to the end. */
  async codes(lines: readonly string[], level: LevelName, isAtEnd: boolean): Promise<number[]> {
    const transactions = lines.filter((line) => !line.startsWith('{"isolab"')).length;
    if (transactions === 0) return [UNKNOWN];
    const verdict = await this.verdict(lines, level);
    const isComplete = lines.at(-1) === END || isAtEnd;
    if (verdict === 'unknown') return [SATISFIED, VIOLATED, UNKNOWN];
    if (isComplete) return [verdict === 'violated' ? VIOLATED : SATISFIED];
    // A read may wait for its writer.
    return verdict === 'violated' ? [VIOLATED, UNKNOWN] : [UNKNOWN];
  }
}

/**
 * Possible exit codes of a whole from those of its parts: a violation takes precedence over a failure, and a failure
 * over an unknown verdict.
 */
export function worstOf(parts: readonly (readonly number[])[]): number[] {
  let codes: number[] = parts.length === 0 ? [UNKNOWN] : [SATISFIED];
  for (const part of parts) codes = codes.flatMap((a) => part.map((b) => (RANK.indexOf(a) > RANK.indexOf(b) ? a : b)));
  return [...new Set(codes)];
}

export const [SATISFIED, VIOLATED, UNKNOWN, FAILED] = [0, 1, 2, 3] as const;
const RANK: readonly number[] = [SATISFIED, UNKNOWN, FAILED, VIOLATED];
