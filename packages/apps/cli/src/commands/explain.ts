import { writeFileTo } from 'isolab/formats';
import { countOperations, countTransactions, visibleLine, withoutHiddenColumns } from 'isolab/skin';
import { check, type CheckResult } from 'isolab/check';
import { type Story, TooLargeError, shrink as shrinkHistory, viewHtml } from 'isolab';
import { ExitCode, UsageError } from '../terminal/exit.ts';
import { againOf, engineOf, exitCodeOf, shrinkingLine, tell } from '../verdicts/judge.ts';
import { limitsOf } from '../terminal/limits.ts';
import { openPath } from '../verdicts/open.ts';
import { type Printer, count, toJson } from '../terminal/print.ts';
import { insistOnTarget } from '../terminal/targets.ts';
import { levelAsked } from '../terminal/words.ts';
import { historyFormatFor, writeHistory } from './write.ts';
import {
  type CommandFlags,
  type CommandModule,
  ALLOWANCES,
  ENGINE,
  FORCE,
  LEVEL,
  LIMITS,
  LOSSY,
  READING,
  TO,
  skip,
} from '../terminal/options.ts';

const OPTIONS = [
  ...READING,
  ...LIMITS,
  LEVEL('check this level'),
  ...ENGINE,
  ...ALLOWANCES,
  TO('write a page (html) or a minimal history in this format; chosen by the file name if absent'),
  LOSSY,
  skip('shrinking'),
  FORCE,
] as const;
type ExplainFlags = CommandFlags<typeof OPTIONS>;

export const command: CommandModule = {
  examples: ['isolab explain lost-update', 'isolab explain history.jsonl page.html --level si'],
  options: OPTIONS,
  run: explain,
};

/**
 * `isolab explain`: explains an anomaly or a level, writes a page about the verdict, or writes the smallest part of a
 * history that still violates the level.
 */
export async function explain(
  path: string,
  out: string | undefined,
  flags: ExplainFlags,
  printer: Printer,
): Promise<number> {
  const { level, to } = flags;
  if (out === undefined && (level ?? to) !== undefined)
    throw new UsageError('--level and --to need a file to write: isolab explain FILE page.html --level LEVEL.');
  if (out === undefined) return (await import('../verdicts/explain-name.ts')).explainName(path, flags.output, printer);
  const isPage = flags.to === undefined ? /\.html?$/.test(out) : flags.to === 'html';
  if (isPage) return view(path, out, flags, printer);
  if (flags.skip.length > 0) throw new UsageError('--skip shrinking applies to a page, written with --to html.');
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
      : 'the checker gives no evidence for the violation';

/** Writes the smallest part of a history that still violates the level. */
async function shrink(path: string, out: string, flags: ExplainFlags, printer: Printer): Promise<number> {
  const format = await historyFormatFor(out, [path], { to: 'isolab', ...flags });
  const level = levelAsked(flags.level).level.name;
  const input = await openPath(path, flags);
  const engine = await engineOf(flags);
  const result = await check(input, { ...limitsOf(flags), ...engine, level });
  const shownPath = visibleLine(path);
  if (result.verdict !== 'violated') {
    printer.note(
      `${shownPath} is not known to violate ${flags.level}: the verdict is ${result.verdict}. There is nothing to shrink.`,
    );
    return exitCodeOf(result);
  }
  printer.judged(ExitCode.Violated);
  const line = shrinkingLine(shownPath);
  const { history, reads, opOf, checks, isMinimal, stopped } = await printer
    .interruptible((signal) =>
      shrinkHistory(input, result, { ...againOf(flags, engine), signal, onProgress: line.onProgress }),
    )
    .finally(line.clear);
  const losses = await writeHistory(
    withoutHiddenColumns(history) ?? history,
    'The shrunk history',
    out,
    format,
    { allowLossy: true, ...flags },
    printer,
  );
  if (losses === null) return ExitCode.Failed;
  const whole = input.prepared.history;
  const left = { transactions: countTransactions(history), operations: countOperations(history) };
  if (flags.output === 'json') printer.out(toJson({ path, out, ...left, checks, isMinimal, stopped }));
  else if (out !== '-') {
    const asReads = whole.scans.tables.length > 0 && history === reads;
    printer.out(
      `${visibleLine(out)}: ${left.transactions} of ${count(countTransactions(whole), 'transaction')}, ${new Set(opOf).size} of ${count(countOperations(whole), 'operation')}; ${stopped === null ? 'the violation needs each of them' : `may not be minimal: ${stopped}`} (${count(checks, 'check')})${asReads ? '. Scans with only some relevant rows are written as reads of single rows' : ''}`,
    );
  }
  return ExitCode.Violated;
}
