import { countOperations, countTransactions, visibleLine } from '@isolab/history';
import { type Report, run } from '@isolab/runner';
import { engineChooser } from '../checkers.ts';
import { ExitCode, codeOf } from '../exit.ts';
import { type LimitFlags, runOptions } from '../limits.ts';
import { type InputFlags, openHistory, preparedFrom } from '../open.ts';
import { type Printer, count, toJson } from '../print.ts';
import { type Told, shrunk } from '../tell.ts';
import { levelAsked } from '../words.ts';
import { type WriteFlags, historyFormatFor, writeHistory } from '../write.ts';
import { engineAsked } from './check.ts';

export interface ShrinkFlags extends InputFlags, LimitFlags, WriteFlags {
  readonly level: string;
  readonly checker?: string;
  readonly variant?: string;
  readonly option: readonly string[];
  readonly output: string;
}

/** `isolab shrink`: the smallest part of a history that still violates the level. */
export async function shrink(path: string, out: string, flags: ShrinkFlags, printer: Printer): Promise<number> {
  const format = historyFormatFor(out, [path], { to: 'isolab', ...flags });
  const told = await violated(path, flags, printer);
  if ('verdict' in told) {
    printer.note(
      `${visibleLine(path)} is not known to violate ${flags.level}: the verdict is ${told.verdict.status}. Nothing to shrink.`,
    );
    return codeOf(told.verdict);
  }
  const { history, checks, isMinimal, stopped } = await shrunk(told);
  const whole = told.prepared.history;
  const losses = await writeHistory(
    history,
    'The shrunk history',
    out,
    format,
    { allowLossy: true, ...flags },
    printer,
  );
  if (losses === null) return ExitCode.Failed;
  const left = { transactions: countTransactions(history), operations: countOperations(history) };
  if (flags.output === 'json') printer.out(toJson({ path, out, ...left, checks, isMinimal, stopped }));
  else if (out !== '-')
    printer.out(
      `${visibleLine(out)}: ${left.transactions} of ${count(countTransactions(whole), 'transaction')}, ${left.operations} of ${count(countOperations(whole), 'operation')}; ${stopped === null ? 'without any single one of them the violation goes away' : `perhaps not minimal: ${stopped}`} (${count(checks, 'check')})`,
    );
  return ExitCode.Violated;
}

/** Checks a history; what shrinking it needs if it violates the level, otherwise the report. */
async function violated(path: string, flags: Omit<ShrinkFlags, 'output'>, printer: Printer): Promise<Told | Report> {
  const level = levelAsked(flags.level).level.name;
  const prepared = preparedFrom(await openHistory(path, flags));
  const named = flags.checker === undefined ? null : await engineAsked(flags.checker, flags);
  const engine = (await engineChooser(named, prepared, [level]))(level);
  const options = runOptions(flags);
  const report = await run({ ...engine, prepared, level }, { ...options, certify: true });
  if (report.verdict.status !== 'violated') return report;
  printer.judged(ExitCode.Violated);
  return { path, prepared, engine, report, budget: options.budget ?? {}, interruptible: printer.interruptible };
}
