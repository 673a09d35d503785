/**
 * Shared code of the commands that check histories: the checker, the story of the verdict, the exit code, and Ctrl-C.
 */
import {
  type CheckOptions,
  type CheckResult,
  type EngineOptions,
  type LevelName,
  loadChecker,
  type Opened,
} from 'isolab/check';
import { countOperations, type UnknownReason, visibleLine } from 'isolab/skin';
import type { Story } from 'isolab';
import type { ENGINE, FlagsIn } from '../terminal/options.ts';
import { ExitCode } from '../terminal/exit.ts';
import { type LimitFlags, limitsOf } from '../terminal/limits.ts';
import { type InputFlags, readingWords } from './open.ts';
import type { Printer } from '../terminal/print.ts';
import { progressLine } from '../terminal/progress.ts';
import { parseOptions } from '../terminal/words.ts';

export type EngineFlags = LimitFlags & FlagsIn<typeof ENGINE>;

/** Loads the checker of `NAME`, `NAME:VARIANT` or a file, once for all histories. */
export async function engineOf(flags: EngineFlags): Promise<EngineOptions> {
  if (flags.checker === undefined) return {};
  const { timeMs } = limitsOf(flags);
  const { name, variant } = checkerIn(flags.checker);
  return {
    checker: await loadChecker(name, timeMs === undefined ? {} : { timeMs }),
    ...(variant !== undefined && { variant }),
    options: parseOptions(flags.option),
  };
}

export function checkerIn(word: string): { readonly name: string; readonly variant?: string } {
  const [, name, variant] = /^(.+):([a-z][\w-]*)$/.exec(word) ?? [];
  return name === undefined || variant === undefined ? { name: word } : { name, variant };
}

/** Options of the library for running a result's checker again on parts of the history. */
export const againOf = (flags: LimitFlags, { checker }: EngineOptions) => {
  const { timeMs, memoryBytes, steps } = limitsOf(flags);
  return {
    ...(checker !== undefined && { checker }),
    ...(timeMs !== undefined && { timeMs }),
    ...(memoryBytes !== undefined && { memoryBytes }),
    ...(steps !== undefined && { steps }),
  };
};

/**
 * Returns the story of a result's deciding run; its code is loaded when needed. Ctrl-C ends the shrinking of a
 * violation with the smallest part found so far.
 */
export function tell(
  input: Opened,
  result: CheckResult,
  flags: InputFlags & LimitFlags & { readonly whole?: boolean },
  engine: EngineOptions,
  printer: Printer,
  onShrunk: (shrunk: { readonly isMinimal: boolean }) => void = () => {},
): Promise<Story | null> {
  const path = visibleLine(result.path);
  const line = shrinkingLine(path);
  const telling = async (signal?: AbortSignal): Promise<Story | null> =>
    (await import('isolab')).story(input, result, {
      ...againOf(flags, engine),
      ...(signal && { signal }),
      whole: flags.whole ?? false,
      commandWords: readingWords(flags),
      onProgress: line.onProgress,
      onShrunk: (shrunk) => {
        line.clear();
        if (shrunk.stopped !== null) printer.note(`${path}: the part may not be the smallest: ${shrunk.stopped}.`);
        onShrunk(shrunk);
      },
    });
  return result.verdict === 'violated' ? printer.interruptible(telling).finally(line.clear) : telling();
}

/** Story of a violation, with the part of the history that was found quickly, and whether a smaller part may exist. */
export interface BriefStory {
  readonly story: Story;
  readonly isSmallest: boolean;
}

/** Returns the story of the violation at a level that was not requested, without a noticeable wait. */
export async function tellAtOnce(
  input: Opened,
  result: CheckResult,
  flags: InputFlags & LimitFlags,
  engine: EngineOptions,
  printer: Printer,
  level: LevelName,
): Promise<BriefStory | null> {
  const { story } = await import('isolab');
  let isSmallest = true;
  const told = await printer.interruptible((signal) =>
    story(input, result, {
      ...againOf(flags, engine),
      level,
      signal: AbortSignal.any([signal, AbortSignal.timeout(momentFor(input))]),
      commandWords: null,
      onShrunk: (shrunk) => {
        isSmallest = shrunk.isMinimal;
      },
    }),
  );
  return told && { story: told, isSmallest };
}

/**
 * Time for a small history, which needs half a second at most, or more on a busy machine: the output must not depend on
 * the load.
 */
const momentFor = (input: Opened): number =>
  input.kind === 'history' && countOperations(input.history) <= FEW_OPERATIONS ? 5_000 : 1_000;

const FEW_OPERATIONS = 1_000;

export function shrinkingLine(path: string) {
  const line = progressLine((checks) => `shrinking ${path}: ${checks} checks; Ctrl-C keeps the smallest part so far`);
  return { clear: line.clear, onProgress: ({ checks }: { readonly checks: number }): void => line.show(checks, 0) };
}

export function checkingLine(path: string) {
  let doing = '';
  const line = progressLine(
    (done, total) => `checking ${visibleLine(path)}: ${doing}${total > 0 ? ` ${done} of ${total}` : ''}`,
  );
  const onProgress = ({ level, stage, done, total }: CheckingProgress): void => {
    const now = `${level}, ${stage}`;
    // Each stage has its own estimate: the time of one does not predict the next.
    const isNew = now !== doing;
    doing = now;
    line.show(done, total, isNew);
  };
  return { clear: line.clear, onProgress };
}

type CheckingProgress = Parameters<NonNullable<CheckOptions['onProgress']>>[0];

/**
 * Exit code of a result. A level requested by name counts. If no level was named, all levels are information, and the
 * code reports only whether they were checked.
 */
export function exitCodeOf(result: CheckResult): number {
  const { levels, named, runs } = result;
  // At least one checker is wrong, and it is unknown which.
  if (runs.some(({ verdict }) => verdict.status === 'unknown' && verdict.reason === 'contradiction'))
    return ExitCode.Failed;
  if (named.length === 0) return wereJudged(result) ? ExitCode.Satisfied : ExitCode.Unknown;
  const statuses = named.map((level) => levels[level]!.verdict);
  if (statuses.includes('violated')) return ExitCode.Violated;
  return statuses.includes('unknown') ? ExitCode.Unknown : ExitCode.Satisfied;
}

/**
 * Returns whether some verdict is known, and no open one could be decided by another run or by the rest of the history.
 */
const wereJudged = ({ levels }: CheckResult): boolean =>
  Object.values(levels).some((level) => level!.verdict !== 'unknown') &&
  Object.values(levels).every((level) => level!.unknown === null || !CUT_SHORT.includes(level!.unknown.reason));

const CUT_SHORT: readonly UnknownReason[] = [
  'timeout',
  'memory',
  'steps',
  'aborted',
  'crashed',
  'certificate-refused',
  'cut-off',
];

/** Distinct reasons of some levels, each with its levels and a remedy on the command line. */
export function reasonsAt(levels: readonly LevelName[], result: CheckResult): ReadonlyMap<string, LevelName[]> {
  const reasons = new Map<string, LevelName[]>();
  for (const level of levels) {
    const reason = reasonAt(level, result);
    reasons.set(reason, [...(reasons.get(reason) ?? []), level]);
  }
  return reasons;
}

export function reasonAt(level: LevelName, result: CheckResult): string {
  const { reason, detail } = result.levels[level]?.unknown ?? {
    reason: 'incomplete',
    detail: 'no checker can decide it',
  };
  if (reason === 'cut-off')
    return `${detail}; --allow-cut-off accepts a satisfied verdict all the same. isolab collect --resume continues a collection whose database still has the data`;
  const isVacuous = reason === 'nothing-to-judge' || reason === 'needs-times';
  return isVacuous ? `${detail}; --allow-vacuous accepts a satisfied verdict all the same` : detail;
}
