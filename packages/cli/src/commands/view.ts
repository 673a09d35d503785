import { writeFileSync } from 'node:fs';
import { findLevel } from '@isolab/checker';
import { run } from '@isolab/runner';
import { viewHtml } from '@isolab/visualise';
import { engineChooser } from '../checkers.ts';
import { ExitCode, UsageError } from '../exit.ts';
import { runOptions } from '../limits.ts';
import { openHistory, preparedFrom } from '../open.ts';
import type { Printer } from '../print.ts';
import { storyOf } from '../tell.ts';
import { engineAsked } from './check.ts';
import type { ShrinkFlags } from './shrink.ts';

/** `isolab view`: one page, to be opened in a browser, that shows what went wrong, or why nothing did. */
export async function view(path: string, out: string, flags: ShrinkFlags, printer: Printer): Promise<number> {
  const found = findLevel(flags.level);
  if (!found) throw new UsageError(`There is no level ${flags.level}; isolab levels lists them.`);
  const level = found.level.name;
  const prepared = preparedFrom(await openHistory(path, flags));
  const named = flags.checker === undefined ? null : await engineAsked(flags.checker, flags);
  const engine = (await engineChooser(named, prepared, [level]))(level);
  const report = await run({ ...engine, prepared, level }, { ...runOptions(flags), certify: true });
  const story = await storyOf({ path, prepared, engine, report });
  if (story === null) {
    const why =
      report.verdict.status === 'unknown'
        ? (report.verdict.detail ?? report.verdict.reason)
        : 'it is satisfied, by more transactions than can be shown';
    printer.note(`${path}: there is nothing to show at ${level}: ${why}.`);
    return report.verdict.status === 'satisfied' ? ExitCode.Satisfied : ExitCode.Unknown;
  }
  writeFileSync(out, viewHtml(story));
  printer.out(`${out}: ${story.summary}`);
  return report.verdict.status === 'violated' ? ExitCode.Violated : ExitCode.Satisfied;
}
