import { visibleLine } from '@isolab/history';
import { writeFileTo } from '@isolab/formats';
import { type Report, run } from '@isolab/runner';
import { type Story, TooLargeError, viewHtml } from '@isolab/story';
import { engineChooser } from '../checkers.ts';
import { UsageError, codeOf } from '../exit.ts';
import { runOptions } from '../limits.ts';
import { openHistory, preparedFrom, readingWords } from '../open.ts';
import { type Printer, toJson } from '../print.ts';
import { insistOnTarget } from '../targets.ts';
import { storyOf } from '../tell.ts';
import { levelAsked } from '../words.ts';
import { engineAsked } from './check.ts';
import type { ShrinkFlags } from './shrink.ts';

export interface ViewFlags extends ShrinkFlags {
  readonly whole?: boolean;
}

/** `isolab view`: one page, to be opened in a browser, that shows what went wrong, or why nothing did. */
export async function view(path: string, out: string, flags: ViewFlags, printer: Printer): Promise<number> {
  const level = levelAsked(flags.level).level.name;
  insistOnTarget(out, { inputs: [path], force: flags.force, made: 'page' });
  const prepared = preparedFrom(await openHistory(path, flags));
  const named = flags.checker === undefined ? null : await engineAsked(flags.checker, flags);
  const engine = (await engineChooser(named, prepared, [level]))(level);
  const options = runOptions(flags);
  const report = await run({ ...engine, prepared, level }, { ...options, certify: true });
  printer.judged(codeOf(report.verdict));
  const story = await storyOf({
    path,
    prepared,
    engine,
    report,
    budget: options.budget ?? {},
    interruptible: printer.interruptible,
    onStopped: (why) => printer.note(`${visibleLine(path)}: perhaps not the smallest part: ${why}.`),
    whole: flags.whole ?? false,
    reading: readingWords(flags),
  });
  const page = story === null ? null : pageOf(story, flags);
  if (story === null || page === null) {
    printer.note(`${visibleLine(path)}: there is nothing to show at ${level}: ${whyNothing(report)}.`);
    return codeOf(report.verdict);
  }
  if (out === '-') printer.out(page.trimEnd());
  else {
    await writeFileTo(out, page);
    const told = {
      path,
      out,
      level,
      verdict: report.verdict.status,
      summary: story.summary,
      bytes: Buffer.byteLength(page),
    };
    printer.out(flags.output === 'json' ? toJson(told) : `${visibleLine(out)}: ${story.summary}`);
  }
  return codeOf(report.verdict);
}

/** Null for an order that is too long to be shown. */
function pageOf(story: Story, { whole }: ViewFlags): string | null {
  try {
    return viewHtml(story);
  } catch (error) {
    if (!(error instanceof TooLargeError)) throw error;
    if (story.verdict === 'satisfied') return null;
    throw whole ? new UsageError(`${error.message}. isolab view does that without --whole.`) : error;
  }
}

function whyNothing({ verdict }: Report): string {
  if (verdict.status === 'unknown') return verdict.detail ?? verdict.reason;
  return verdict.status === 'satisfied'
    ? 'it is satisfied, by an order of more transactions than a page can show'
    : 'the checker says no more than that it is violated';
}
