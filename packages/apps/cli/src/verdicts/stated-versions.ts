/** Judges a history with the version numbers that it states as facts. */
import { withVersions } from 'isolab/skin';
import type { CheckResult, Opened } from 'isolab/check';
import { UsageError } from '../terminal/exit.ts';
import { count } from '../terminal/print.ts';

export interface JudgedVersions {
  readonly input: Opened;
  readonly result: CheckResult;
  /** Statement about the versions, for people. */
  readonly note: string;
  /** States that the versions contradict each other or the reads of the history. */
  readonly isWrong: boolean;
}

/**
 * Judges a history by its reads alone, and if it satisfies the level, with the order of its versions. A violation then
 * is one of the stated versions.
 */
export async function judgedVersions(
  input: Opened,
  judge: (input: Opened) => Promise<CheckResult>,
): Promise<JudgedVersions> {
  if (input.kind !== 'history' || input.history.opVersion === null)
    throw new UsageError(`${input.name} states no versions; --trust versions needs {"version":n} in its operations.`);
  const alone = await judge(input);
  if (alone.verdict === 'violated') return { input, result: alone, note: NOT_NEEDED, isWrong: false };
  const stated = withVersions(input);
  if ('text' in stated) return { input, result: alone, note: `wrong versions: ${stated.text}`, isWrong: true };
  const result = await judge(stated.opened);
  const left = stated.left === 0 ? '' : `; ${count(stated.left, 'stated version')} not used`;
  const used = `${count(stated.reads, 'write')} with the version that it replaced${left}`;
  if (result.verdict !== 'violated')
    return { input: stated.opened, result, note: `stated versions are trusted: ${used}`, isWrong: false };
  const note = `wrong versions: no order agrees with the stated versions (${used}), though the reads alone ${
    alone.verdict === 'satisfied' ? 'satisfy the level' : 'are undecided'
  }`;
  return { input: stated.opened, result, note, isWrong: true };
}

const NOT_NEEDED = 'the reads alone violate the level, whatever the stated versions are';
