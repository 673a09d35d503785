import {
  LEVELS,
  type Level,
  type LevelName,
  UNCERTIFIED,
  certificateFile,
  certificateOf,
  implies,
} from '@isolab/contract';
import { writeFileTo } from '@isolab/formats';
import { visibleLine } from '@isolab/history';
import { type Engine, type LevelsReport, type Prepared, type Report, checkLevels, internalOnly } from '@isolab/runner';
import type { JunitSuite } from '@isolab/story';
import { checkerNamed, engineChooser, parseOptions } from '../checkers.ts';
import { type Failure, type PathsOutput, eachPath } from '../each-path.ts';
import { ExitCode, UsageError, worseOf } from '../exit.ts';
import type { Findings } from '../find-all.ts';
import { type LimitFlags, runOptions } from '../limits.ts';
import { type InputFlags, openHistory, preparedFrom, readingWords } from '../open.ts';
import { type Printer, toJson } from '../print.ts';
import { appendTo, insistOnTarget, removeMade } from '../targets.ts';
import {
  cutOffNote,
  decidingReport,
  numbered,
  reasonAt,
  uncertifiedOf,
  violatedReports,
  withoutPasses,
} from '../verdict.ts';
import { asJson, round } from '../verdict-json.ts';
import { levelAsked } from '../words.ts';

export interface CheckFlags extends InputFlags, LimitFlags {
  readonly level: string;
  readonly output: string;
  readonly checker?: string;
  readonly variant?: string;
  readonly option: readonly string[];
  readonly findAll?: boolean;
  readonly certificate?: string;
  readonly shrink?: boolean;
  readonly summary?: string;
  readonly force?: boolean;
  readonly verbose?: boolean;
}

export interface CheckOptions {
  readonly counts?: (level: LevelName) => boolean;
  readonly whyPartial?: string | null;
}

/**
 * `isolab check`: whether each history satisfies a level, or which levels it satisfies. The exit code is about the levels
 * that count. Where there is a reason why the histories are not whole, what they satisfy is unknown.
 */
export async function check(
  paths: readonly string[],
  flags: CheckFlags,
  printer: Printer,
  { counts = () => true, whyPartial = null }: CheckOptions = {},
): Promise<number> {
  const levels = levelsAsked(flags.level, printer);
  if (flags.certificate !== undefined && (paths.length > 1 || levels.length > 1)) {
    throw new UsageError('--certificate takes one history and one level.');
  }
  if (isPicture(flags.output) && paths.length > 1) {
    throw new UsageError(`--output ${flags.output} takes one history; ${paths.length} would be files in one another.`);
  }
  const inputs = [...paths, ...(flags.checker === undefined ? [] : [flags.checker])];
  if (flags.certificate !== undefined)
    insistOnTarget(flags.certificate, { inputs, force: flags.force, made: 'certificate' });
  if (flags.summary !== undefined) insistOnTarget(flags.summary, { inputs, force: true }); // it is added to
  const engine = flags.checker === undefined ? null : await engineAsked(flags.checker, flags);
  if (engine === null && (flags.variant !== undefined || flags.option.length > 0)) {
    throw new UsageError('--variant and --option are those of a checker; name it with --checker.');
  }
  const suites: JunitSuite[] = [];
  const code = await eachPath(
    paths,
    flags,
    printer,
    async (path) => {
      const found = await checkOne(path, levels, engine, flags);
      const checked = whyPartial === null ? found : { ...found, result: withoutPasses(found.result, whyPartial) };
      const verdict = exitCodeOf(checked, counts);
      printer.judged(verdict);
      await print(checked, flags, suites, printer);
      return flags.certificate === undefined
        ? verdict
        : worseOf(verdict, await writeCertificate(flags.certificate, checked, printer));
    },
    await outputOf(levels, flags, suites, printer),
  );
  if (flags.output === 'junit') printer.out((await import('@isolab/story')).junitXml(suites).trimEnd());
  return code;
}

/** Whoever reads only the output must not take a history that was not checked for one that was not asked for. */
async function outputOf(
  levels: readonly Level[],
  { output, summary }: CheckFlags,
  suites: JunitSuite[],
  printer: Printer,
): Promise<PathsOutput> {
  if (summary === undefined && output !== 'json' && output !== 'markdown' && output !== 'junit') return {};
  const { failedMarkdown, failedSuite } = await import('../outputs.ts');
  const { JUNIT_FOOT, junitHead, junitSuite } = await import('@isolab/story');
  const cutOff = (path: string): Failure => ({
    path,
    message: 'isolab was cut off before this was finished',
    isTimeout: false,
  });
  const asJsonOf = ({ path, message, isTimeout }: Failure): string =>
    toJson({ path, verdict: 'unknown', ...(isTimeout && { reason: 'timeout' }), error: message });
  const onFailed = (failure: Failure): void => {
    if (output === 'json') printer.out(asJsonOf(failure));
    else if (output === 'markdown') printer.out(failedMarkdown(failure));
    else if (output === 'junit') suites.push(failedSuite(failure, levels));
    if (summary !== undefined) appendTo(summary, `${failedMarkdown(failure)}\n`);
  };
  if (output === 'json') return { onFailed, missing: (path) => asJsonOf(cutOff(path)) };
  if (output === 'markdown') return { onFailed, missing: (path) => failedMarkdown(cutOff(path)) };
  if (output !== 'junit') return { onFailed };
  return {
    onFailed,
    head: junitHead(),
    missing: (path) => junitSuite(failedSuite(cutOff(path), levels)),
    judged: () => junitSuite(suites.at(-1)!),
    foot: JUNIT_FOOT,
  };
}

/** Some levels by their names, separated by commas, or all. */
function levelsAsked(words: string, printer: Printer): readonly Level[] {
  const levels = words.split(',').flatMap((word) => {
    if (word === 'all') return LEVELS;
    if (word === '') throw new UsageError(`There is an empty name in --level '${words}'; isolab levels lists them.`);
    const { level, warning } = levelAsked(word);
    if (warning) printer.note(`${word}: ${warning}`);
    return [level];
  });
  return [...new Set(levels)];
}

export async function engineAsked(
  name: string,
  flags: Pick<CheckFlags, 'variant' | 'option'> & LimitFlags,
): Promise<Engine> {
  return {
    checker: await checkerNamed(name, runOptions(flags).budget),
    ...(flags.variant !== undefined && { variant: flags.variant }),
    options: parseOptions(flags.option),
  };
}

/** A history, what was asked of it, and what was found out. */
interface Checked {
  readonly path: string;
  readonly prepared: Prepared;
  readonly asked: readonly LevelName[];
  readonly engineFor: (level: LevelName) => Engine;
  readonly result: LevelsReport;
  readonly parse: { readonly name: string; readonly ms: number };
}

async function checkOne(
  path: string,
  levels: readonly Level[],
  named: Engine | null,
  flags: CheckFlags,
): Promise<Checked> {
  const begin = performance.now();
  const prepared = preparedFrom(await openHistory(path, flags));
  const parsed = performance.now();
  const asked = levels.map(({ name }) => name);
  const engineFor = await engineChooser(named, prepared, asked);
  const result = await checkLevels(engineFor, prepared, {
    ...runOptions(flags),
    // A plug-in's word is not enough: its certificate is verified.
    certify:
      named?.checker.isPlugin === true ||
      flags.certificate !== undefined ||
      flags.output !== 'json' ||
      flags.shrink === true ||
      flags.findAll === true,
    findAll: flags.findAll ?? false,
    // A level that nothing checks may still be violated because a weaker one is.
    levels: LEVELS.map(({ name }) => name).filter((name) =>
      asked.some((level) => level === name || (engineFor(level).checker === internalOnly && implies(level, name))),
    ),
  });
  return { path, prepared, asked, engineFor, result, parse: { name: 'parse', ms: round(parsed - begin) } };
}

function exitCodeOf({ asked, result }: Checked, counts: (level: LevelName) => boolean): number {
  const statuses = asked.filter(counts).map((level) => result.levels[level] ?? 'unknown');
  // A checker is wrong, and nobody knows which one.
  if (Object.values(result.whyUnknown).some(({ reason }) => reason === 'contradiction')) return ExitCode.Failed;
  if (statuses.includes('violated')) return ExitCode.Violated;
  return statuses.includes('unknown') ? ExitCode.Unknown : ExitCode.Satisfied;
}

async function print(checked: Checked, flags: CheckFlags, suites: JunitSuite[], printer: Printer): Promise<void> {
  const { path, prepared, asked, result } = checked;
  const { output, summary } = flags;
  const cut = cutOffNote(prepared.history);
  if (cut !== null) printer.note(`${visibleLine(path)}: ${cut}`);
  const report = decidingReport(asked, result);
  const isViolated = report?.verdict.status === 'violated';
  const findings = flags.findAll ? await findingsOf(checked, flags, printer) : new Map<LevelName, Findings>();
  // What holds needs no story where there is no picture.
  const isTold = flags.shrink === true || summary !== undefined || output === 'junit' || output === 'markdown';
  const story = isPicture(output) || (isViolated && isTold) ? await tell(checked, flags, printer) : null;
  const parts = { ...checked, findings, story };

  if (output === 'json') printer.out(toJson(asJson(prepared.history, { ...parts, isShrunk: flags.shrink ?? false })));
  else if (output === 'text') {
    const { asText } = await import('../verdict-text.ts');
    const shown = flags.shrink ? story : null;
    printer.out(await asText(prepared.history, { ...parts, story: shown }, printer));
  }
  if (summary === undefined && (output === 'json' || output === 'text')) return;
  const { asMarkdown, asSuite, picture } = await import('../outputs.ts');
  if (output === 'junit') suites.push(asSuite(parts));
  else if (output === 'markdown') printer.out(asMarkdown(parts));
  else if (isPicture(output)) {
    for (const why of uncertifiedOf(result)) printer.note(`${visibleLine(path)}: ${why}`);
    if (story) printer.out(picture(output, story));
    else printer.note(`${visibleLine(path)}: there is nothing to draw: ${whyUndrawn(asked, result)}`);
  }
  if (summary !== undefined) appendTo(summary, `${asMarkdown(isViolated ? parts : { ...parts, story: null })}\n`);
}

function whyUndrawn(asked: readonly LevelName[], result: LevelsReport): string {
  const unknown = asked.find((level) => (result.levels[level] ?? 'unknown') === 'unknown');
  return unknown === undefined ? 'no single order shows why it holds' : reasonAt(unknown, result);
}

const isPicture = (output: string): output is 'html' | 'svg' | 'dot' =>
  output === 'html' || output === 'svg' || output === 'dot';

/** The story of the verdict, shrunk if it is a violation; loaded when asked for. */
async function tell({ path, prepared, asked, engineFor, result }: Checked, flags: CheckFlags, printer: Printer) {
  const report = decidingReport(asked, result);
  if (report === null || report.verdict.status === 'unknown') return null;
  const { storyOf } = await import('../tell.ts');
  const { budget = {} } = runOptions(flags);
  const onStopped = (why: string): void => printer.note(`${visibleLine(path)}: perhaps not the smallest part: ${why}.`);
  const { interruptible } = printer;
  const { weakestViolated, strongest } = result;
  const levels = asked.length > 1 ? { levels: { violates: weakestViolated, satisfies: strongest } } : {};
  const engine = engineFor(report.level);
  const reading = readingWords(flags);
  return storyOf({ path, prepared, engine, report, budget, interruptible, onStopped, reading, ...levels });
}

/** At every level that is told of, what else is wrong. */
async function findingsOf(
  { prepared, asked, engineFor, result }: Checked,
  flags: CheckFlags,
  { interruptible }: Printer,
) {
  const { findAll } = await import('../find-all.ts');
  const deciding = decidingReport(asked, result);
  const reports = asked.length > 1 ? violatedReports(result) : deciding ? [deciding] : [];
  const { budget = {} } = runOptions(flags);
  const findings = new Map<LevelName, Findings>();
  for (const report of reports)
    findings.set(
      report.level,
      await findAll(numbered(prepared.history), engineFor(report.level), report, budget, interruptible),
    );
  return findings;
}

/**
 * Writes the evidence for the verdict. Where there is none the verdict stands, but not all that was asked for was given,
 * which the exit code says; an older certificate in that place is removed, lest it be taken for this verdict's.
 */
async function writeCertificate(path: string, { prepared, asked, result }: Checked, printer: Printer): Promise<number> {
  const report = decidingReport(asked, result);
  const certificate = report === null ? undefined : certificateOf(report.verdict);
  if (report === null || certificate === undefined) {
    const removed = removeMade(path, 'certificate') ? ', and the one that was there before is removed' : '';
    printer.note(`isolab: no certificate was written to ${path}${removed}: ${whyUncertified(report)}.`);
    return ExitCode.Unknown;
  }
  const { level, checker, verdict } = report;
  const file = { level, checker, verdict: verdict.status as 'satisfied', certificate };
  await writeFileTo(path, `${toJson(certificateFile(prepared.history, file))}\n`);
  return ExitCode.Satisfied;
}

function whyUncertified(report: Report | null): string {
  if (report === null || report.verdict.status === 'unknown') return 'the verdict is unknown';
  const { status, uncertified = 'unstated' } = report.verdict;
  return `that ${report.level} is ${status} has none, because ${UNCERTIFIED[uncertified]}`;
}
