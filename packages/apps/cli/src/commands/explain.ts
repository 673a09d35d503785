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
import { type ExplainFlags, shrink } from '../shrunk.ts';
import { type CommandModule, ALLOWANCES, ENGINE, FORCE, LEVEL, LIMITS, LOSSY, READING, TO, skip } from '../options.ts';

export const command: CommandModule = {
  examples: [
    'isolab explain history.jsonl page.html --level si',
    'isolab explain history.jsonl small.jsonl --level ser --time 60s',
  ],
  options: [
    ...READING,
    ...LIMITS,
    LEVEL(),
    ...ENGINE,
    ...ALLOWANCES,
    TO('write html, a page, or a minimal history in this format; by the name if absent'),
    LOSSY,
    skip('shrinking'),
    FORCE,
  ],
  run: explain,
};

/** `isolab explain`: a page about the verdict, or the smallest part of a history that still violates the level. */
export function explain(path: string, out: string, flags: ExplainFlags, printer: Printer): Promise<number> {
  const isPage = flags.to === undefined ? /\.html?$/.test(out) : flags.to === 'html';
  if (isPage) return view(path, out, flags, printer);
  if (flags.skip.length > 0) throw new UsageError('--skip shrinking is for a page, written with --to html.');
  return shrink(path, out, flags, printer);
}

async function view(path: string, out: string, flags: ExplainFlags, printer: Printer): Promise<number> {
  const level = levelAsked(flags.level).level.name;
  insistOnTarget(out, { inputs: [path], force: flags.force, made: 'page' });
  const input = await openPath(path, flags);
  const engine = await engineOf(flags);
  const result = await check(input, { ...limitsOf(flags), ...engine, level });
  const code = exitCodeOf(result);
  printer.judged(code);
  const isWhole = flags.skip.includes('shrinking');
  const story = await tell(input, result, { ...flags, whole: isWhole }, engine, printer);
  if (story === null) {
    printer.note(`${visibleLine(path)}: there is nothing to show at ${level}: ${whyNothing(result)}.`);
    return code;
  }
  const page = pageOf(story, isWhole);
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

function pageOf(story: Story, isWhole: boolean): string {
  try {
    return viewHtml(story);
  } catch (error) {
    if (!(error instanceof TooLargeError) || !isWhole) throw error;
    throw new UsageError(`${error.message}. Leave out --skip shrinking.`);
  }
}

const whyNothing = ({ verdict, reason }: CheckResult): string =>
  verdict === 'unknown'
    ? (reason ?? 'the verdict is unknown')
    : verdict === 'satisfied'
      ? 'a polygraph has no operations to show'
      : 'the checker says no more than that it is violated';
