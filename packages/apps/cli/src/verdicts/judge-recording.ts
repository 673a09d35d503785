import { existsSync } from 'node:fs';
import type { Framework, Recorded } from '@isolab/record';
import { UsageError } from '../terminal/exit.ts';
import { parseTime } from '../terminal/limits.ts';
import { progressLine } from '../terminal/progress.ts';
import { parseOptions } from '../terminal/words.ts';
import type { JudgedWith } from './tell-recording.ts';

interface JudgingFlags {
  readonly time: string;
  readonly option: readonly string[];
}

/** Judges the recording, and the earlier recording that it is compared with. */
export async function judgedWith(
  recorded: Recorded,
  flags: JudgingFlags,
  frameworks: readonly Framework[] | null,
): Promise<JudgedWith> {
  const { before: path } = parseOptions(flags.option, '--option');
  const { judge, possibleIn, compared } = await import('@isolab/record');
  let doing = '';
  let steps = 0;
  const line = progressLine(() => doing);
  const options = {
    timeMs: parseTime(flags.time, '--time'),
    ...(frameworks && { frameworks }),
    onProgress: (now: string) => {
      doing = now;
      line.show(steps++, Infinity);
    },
  };
  try {
    const judged = await judge(recorded.path, options);
    const before = path === undefined ? null : await judge(path, options);
    const possible = await possibleIn(recorded, judged.troubles);
    const comparison =
      before === null ? null : { path: path!, overlaps: before.overlaps, changes: compared(before, judged) };
    return { judged, possible, comparison };
  } finally {
    line.clear();
  }
}

/** Returns the frameworks that `--option orm` names; null if the statements decide. */
export async function frameworksOf(flags: JudgingFlags): Promise<readonly Framework[] | null> {
  const { orm, before, statements, ...others } = parseOptions(flags.option, '--option');
  const [unknown] = Object.keys(others);
  if (unknown !== undefined)
    throw new UsageError(`--option has no ${unknown}; expected before=FILE, orm=NAME or statements=kept.`);
  if (statements !== undefined && statements !== 'kept')
    throw new UsageError(`--option statements is ${statements}; expected kept.`);
  if (before !== undefined && !existsSync(before)) throw new UsageError(`--option before=${before} does not exist.`);
  if (orm === undefined) return null;
  const { FRAMEWORKS, frameworkNamed } = await import('@isolab/record');
  if (orm === 'all') return FRAMEWORKS;
  const named = frameworkNamed(orm);
  if (named) return [named];
  throw new UsageError(`--option orm is ${orm}; expected all or ${FRAMEWORKS.map(({ name }) => name).join(', ')}.`);
}
