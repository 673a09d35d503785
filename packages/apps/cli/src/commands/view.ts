import { writeFileTo } from 'isolab/formats';
import { visibleLine } from 'isolab/skin';
import { check, type CheckResult } from 'isolab/check';
import { type Story, TooLargeError, viewHtml } from 'isolab';
import { UsageError } from '../exit.ts';
import { engineOf, exitCodeOf, tell } from '../judge.ts';
import { limitsOf } from '../limits.ts';
import { openPath } from '../open.ts';
import { type Printer, toJson } from '../print.ts';
import { insistOnTarget } from '../targets.ts';
import { levelAsked } from '../words.ts';
import type { ShrinkFlags } from './shrink.ts';
import { type CommandModule, option, ALLOWANCES, ENGINE, FORCE, LEVEL, LIMITS, READING } from '../options.ts';

export interface ViewFlags extends ShrinkFlags {
  readonly whole?: boolean;
}

export const command: CommandModule = {
  examples: [
    'isolab view history.jsonl page.html --level si',
    'isolab view history.jsonl page.html --level ser --whole',
  ],
  options: [
    ...READING,
    ...LIMITS,
    LEVEL,
    ...ENGINE,
    ...ALLOWANCES,
    option('--whole', 'show the whole history around the violation instead of a minimal one'),
    FORCE,
  ],
  run: view,
};

/** `isolab view`: one page, to be opened in a browser, that shows what went wrong, or why nothing did. */
export async function view(path: string, out: string, flags: ViewFlags, printer: Printer): Promise<number> {
  const level = levelAsked(flags.level).level.name;
  insistOnTarget(out, { inputs: [path], force: flags.force, made: 'page' });
  const input = await openPath(path, flags);
  const engine = await engineOf(flags);
  const result = await check(input, { ...limitsOf(flags), ...engine, level });
  const code = exitCodeOf(result);
  printer.judged(code);
  const story = await tell(input, result, flags, engine, printer);
  if (story === null) {
    printer.note(`${visibleLine(path)}: there is nothing to show at ${level}: ${whyNothing(result)}.`);
    return code;
  }
  const page = pageOf(story, flags);
  if (out === '-') printer.out(page.trimEnd());
  else {
    await writeFileTo(out, page);
    const told = {
      path,
      out,
      level,
      verdict: result.verdict,
      summary: story.summary,
      bytes: Buffer.byteLength(page),
    };
    printer.out(flags.output === 'json' ? toJson(told) : `${visibleLine(out)}: ${story.summary}`);
  }
  return code;
}

function pageOf(story: Story, { whole }: ViewFlags): string {
  try {
    return viewHtml(story);
  } catch (error) {
    if (!(error instanceof TooLargeError) || !whole) throw error;
    throw new UsageError(`${error.message}. isolab view does that without --whole.`);
  }
}

const whyNothing = ({ verdict, reason }: CheckResult): string =>
  verdict === 'unknown'
    ? (reason ?? 'the verdict is unknown')
    : verdict === 'satisfied'
      ? 'a polygraph has no operations to show'
      : 'the checker says no more than that it is violated';
