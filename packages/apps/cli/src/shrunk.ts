import { countOperations, countTransactions, visibleLine, withoutHiddenColumns } from 'isolab/skin';
import { check } from 'isolab/check';
import { shrink as shrinkHistory } from 'isolab';
import { ExitCode } from './exit.ts';
import { type EngineFlags, againOf, engineOf, exitCodeOf, shrinkingLine } from './judge.ts';
import { limitsOf } from './limits.ts';
import { type InputFlags, openPath } from './open.ts';
import { type Printer, count, toJson } from './print.ts';
import { levelAsked } from './words.ts';
import { type WriteFlags, historyFormatFor, writeHistory } from './write.ts';

export interface ExplainFlags extends InputFlags, EngineFlags, WriteFlags {
  readonly level: string;
  readonly skip: readonly string[];
  readonly output: string;
}

/** Writes the smallest part of a history that still violates the level. */
export async function shrink(path: string, out: string, flags: ExplainFlags, printer: Printer): Promise<number> {
  const format = await historyFormatFor(out, [path], { to: 'isolab', ...flags });
  const level = levelAsked(flags.level).level.name;
  const input = await openPath(path, flags);
  const engine = await engineOf(flags);
  const result = await check(input, { ...limitsOf(flags), ...engine, level });
  const shownPath = visibleLine(path);
  if (result.verdict !== 'violated') {
    printer.note(
      `${shownPath} is not known to violate ${flags.level}: the verdict is ${result.verdict}. Nothing to shrink.`,
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
      `${visibleLine(out)}: ${left.transactions} of ${count(countTransactions(whole), 'transaction')}, ${new Set(opOf).size} of ${count(countOperations(whole), 'operation')}; ${stopped === null ? 'without any single one of them the violation goes away' : `perhaps not minimal: ${stopped}`} (${count(checks, 'check')})${asReads ? '. Scans of which only a part matters are spelled as reads of single rows' : ''}`,
    );
  }
  return ExitCode.Violated;
}
