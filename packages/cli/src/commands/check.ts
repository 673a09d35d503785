import { writeFileSync } from 'node:fs';
import {
  type FoundAnomaly,
  INITIAL_TXN,
  LEVELS,
  type Level,
  type LevelName,
  certificateFile,
  findAnomaly,
  findLevel,
  implies,
} from '@isolab/checker';
import { type History, nameTransaction, toRegisters } from '@isolab/history';
import { type Engine, type LevelsReport, type Prepared, type Report, checkLevels } from '@isolab/runner';
import { checkerNamed, engineChooser, internalOnly, parseOptions } from '../checkers.ts';
import { ExitCode, UsageError, worseOf } from '../exit.ts';
import { type LimitFlags, runOptions } from '../limits.ts';
import { type InputFlags, openHistory, preparedFrom } from '../open.ts';
import { type Printer, count, toJson } from '../print.ts';
import { tellAnomaly } from '../story.ts';

export interface CheckFlags extends InputFlags, LimitFlags {
  readonly level: string;
  readonly output: string;
  readonly allowEmpty?: boolean;
  readonly checker?: string;
  readonly variant?: string;
  readonly option: readonly string[];
  readonly findAll?: boolean;
  readonly certificate?: string;
  readonly shrink?: boolean;
  readonly verbose?: boolean;
}

/** `isolab check`: whether each history satisfies a level, or which levels it satisfies. */
export async function check(paths: readonly string[], flags: CheckFlags, printer: Printer): Promise<number> {
  const levels = levelsAsked(flags.level, printer);
  if (flags.certificate !== undefined && (paths.length > 1 || levels.length > 1)) {
    throw new UsageError('--certificate takes one history and one level.');
  }
  const engine = flags.checker === undefined ? null : await engineAsked(flags.checker, flags);
  if (engine === null && (flags.variant !== undefined || flags.option.length > 0)) {
    throw new UsageError('--variant and --option are those of a checker; name it with --checker.');
  }
  let worst: number = ExitCode.Satisfied;
  for (const path of paths) worst = worseOf(worst, await checkOne(path, levels, engine, flags, printer));
  return worst;
}

function levelsAsked(word: string, printer: Printer): readonly Level[] {
  if (word === 'all') return LEVELS;
  const found = findLevel(word);
  if (!found) throw new UsageError(`There is no level ${word}; isolab levels lists them.`);
  if (found.warning) printer.note(`${word}: ${found.warning}`);
  return [found.level];
}

export async function engineAsked(name: string, flags: Pick<CheckFlags, 'variant' | 'option'>): Promise<Engine> {
  return {
    checker: await checkerNamed(name),
    ...(flags.variant !== undefined && { variant: flags.variant }),
    options: parseOptions(flags.option),
  };
}

async function checkOne(
  path: string,
  levels: readonly Level[],
  named: Engine | null,
  flags: CheckFlags,
  printer: Printer,
): Promise<number> {
  const begin = performance.now();
  const prepared = preparedFrom(await openHistory(path, flags));
  const { history } = prepared;
  const parsed = performance.now();
  const asked = levels.map(({ name }) => name);
  const engineFor = await engineChooser(named, prepared, asked);
  const options = {
    ...runOptions(flags),
    certify: flags.certificate !== undefined || flags.output === 'text',
    findAll: flags.findAll ?? false,
  };
  const result = await checkLevels(engineFor, prepared, {
    ...options,
    // A level that nothing checks may still be violated because a weaker one is.
    levels: LEVELS.map(({ name }) => name).filter((name) =>
      asked.some((level) => level === name || (engineFor(level).checker === internalOnly && implies(level, name))),
    ),
    ...placeOf(options.place),
  });
  const indexed = { name: 'parse', ms: round(parsed - begin) };
  if (flags.output === 'json') printer.out(toJson(asJson(history, asked, result, indexed)));
  else if (flags.output === 'text') {
    printer.out(asText(path, history, asked, result, flags, printer));
    if (flags.shrink) await printShrunk(path, prepared, engineFor, decidingReport(asked, result), printer);
  } else await printOther(path, prepared, asked, result, engineFor, flags, printer);
  if (flags.certificate !== undefined)
    writeCertificate(flags.certificate, history, decidingReport(asked, result), printer);

  const statuses = asked.map((level) => result.levels[level] ?? 'unknown');
  if (statuses.includes('violated')) return ExitCode.Violated;
  return statuses.includes('unknown') ? ExitCode.Unknown : ExitCode.Satisfied;
}

/** The fallback is not a file that a worker could load; it is over at once anyway. */
const placeOf = (place: string | undefined): object => (place === undefined ? {} : { place });

/** The run that a single level's verdict comes from, or the first violated one. */
function decidingReport(asked: readonly LevelName[], { reports, impliedBy }: LevelsReport): Report | null {
  const [level] = asked;
  const by = level === undefined ? undefined : (impliedBy[level] ?? level);
  return (
    reports.find((report) => report.level === by) ??
    reports.find(({ verdict }) => verdict.status === 'violated') ??
    reports[0] ??
    null
  );
}

type EngineFor = (level: LevelName) => Engine;

/** The story of a violation, shrunk; loaded when asked for. */
async function tell(path: string, prepared: Prepared, engineFor: EngineFor, report: Report | null) {
  if (report === null || report.verdict.status === 'unknown') return null;
  const { storyOf } = await import('../tell.ts');
  return storyOf({ path, prepared, engine: engineFor(report.level), report });
}

async function printShrunk(
  path: string,
  prepared: Prepared,
  engineFor: EngineFor,
  report: Report | null,
  printer: Printer,
): Promise<void> {
  if (report?.verdict.status !== 'violated') return;
  const story = await tell(path, prepared, engineFor, report);
  if (story === null) return;
  const { storyMarkdown } = await import('@isolab/visualise');
  printer.out(`\n${storyMarkdown(story)}`);
}

async function printOther(
  path: string,
  prepared: Prepared,
  asked: readonly LevelName[],
  result: LevelsReport,
  engineFor: EngineFor,
  { output }: CheckFlags,
  printer: Printer,
): Promise<void> {
  const { asJunit, asMarkdown, picture } = await import('../outputs.ts');
  const report = decidingReport(asked, result);
  const isPicture = output === 'html' || output === 'svg' || output === 'dot';
  // What holds needs no story in a summary.
  const story =
    isPicture || report?.verdict.status === 'violated' ? await tell(path, prepared, engineFor, report) : null;
  if (output === 'junit') printer.out(asJunit(path, asked, result, story).trimEnd());
  else if (!isPicture) printer.out(asMarkdown(path, asked, result, story));
  else if (story) printer.out(picture(output, story));
  else printer.note(`${path}: there is nothing to draw: ${reasonOf(report)}`);
}

function asJson(
  history: History,
  asked: readonly LevelName[],
  result: LevelsReport,
  parse: { name: string; ms: number },
): object {
  const report = decidingReport(asked, result);
  const statuses = asked.map((level) => result.levels[level] ?? 'unknown');
  const overall = statuses.includes('violated') ? 'violated' : statuses.includes('unknown') ? 'unknown' : 'satisfied';
  const shown = report === null ? history : numbered(history);
  const anomalies = report?.verdict.status === 'violated' ? report.verdict.anomalies : [];
  return {
    verdict: overall,
    level: asked.length === 1 ? asked[0] : 'all',
    ...(asked.length > 1 && {
      levels: result.levels,
      strongest: result.strongest,
      weakestViolated: result.weakestViolated,
    }),
    checker: report?.checker ?? null,
    variant: report?.variant ?? null,
    history: report?.history ?? null,
    stages: [parse, ...(report?.stages.map(({ name, ms }) => ({ name, ms: round(ms) })) ?? [])],
    counters: report?.counters ?? {},
    wallMs: round(parse.ms + result.reports.reduce((sum, { wallMs }) => sum + wallMs, 0)),
    peakRssBytes: report?.peakRssBytes ?? null,
    anomalies: anomalies.slice(0, LISTED).map((anomaly) => ({
      name: anomaly.name,
      aliases: findAnomaly(anomaly.name)?.aliases ?? [],
      ...(anomaly.pattern !== undefined && { pattern: anomaly.pattern }),
      transactions: anomaly.transactions.map((t) => nameOf(shown, t)),
    })),
    reason: overall === 'unknown' ? reasonOf(report) : null,
  };
}

function asText(
  path: string,
  history: History,
  asked: readonly LevelName[],
  result: LevelsReport,
  flags: CheckFlags,
  { style }: Printer,
): string {
  const lines: string[] = [];
  const report = decidingReport(asked, result);
  const by =
    report === null
      ? ''
      : style.dim(
          `  by ${report.checker}${report.variant === null ? '' : ` (${report.variant})`} in ${report.wallMs.toFixed(0)} ms`,
        );
  const named = (status: string): LevelName[] =>
    asked.filter((level) => (result.levels[level] ?? 'unknown') === status);
  const several = asked.length > 1;
  if (named('satisfied').length > 0) {
    const shown = several ? result.strongest : named('satisfied');
    lines.push(
      `${style.green('satisfied')}  ${style.bold(shown.join(', '))}${several ? ' and every level below' : ''}  ${path}${several ? '' : by}`,
    );
  }
  if (named('violated').length > 0) {
    const shown = several ? result.weakestViolated : named('violated');
    lines.push(
      `${style.red('violated')}   ${style.bold(shown.join(', '))}${several ? ' and every level above' : ''}  ${path}${several ? '' : by}`,
    );
    if (shown.some((level) => COMPARES_SNAPSHOTS.includes(level))) lines.push('', style.dim(CLOCKS));
    for (const violated of several ? violatedReports(result) : report ? [report] : [])
      lines.push('', tellReport(history, violated, flags, style));
  }
  const unknown = named('unknown');
  if (unknown.length > 0) {
    if (lines.length > 0) lines.push('');
    lines.push(`${style.yellow('unknown')}    ${style.bold(unknown.join(', '))}  ${path}${several ? '' : by}`);
    lines.push(
      `  ${reasonOf(several ? (result.reports.find(({ level }) => unknown.includes(level)) ?? null) : (result.reports.find(({ level }) => level === asked[0]) ?? report))}`,
    );
  }
  return lines.join('\n').trimEnd();
}

/** The runs whose violation no weaker violated level explains. */
const violatedReports = ({ reports, weakestViolated }: LevelsReport): Report[] =>
  reports.filter(({ level, verdict }) => verdict.status === 'violated' && weakestViolated.includes(level));

function tellReport(history: History, report: Report, flags: CheckFlags, style: Printer['style']): string {
  if (report.verdict.status !== 'violated') return '';
  const { anomalies } = report.verdict;
  const shown = numbered(history);
  const told = anomalies
    .slice(0, flags.findAll ? anomalies.length : TOLD)
    .map((anomaly) => tellAnomaly(shown, anomaly, style));
  const more = anomalies.length - told.length;
  return [
    ...told,
    ...(more > 0 ? [`… and ${count(more, 'more anomaly', 'more anomalies')}; --find-all tells them.`] : []),
  ].join('\n\n');
}

/** The history whose numbers certificates use, whether the checker took exchanges as they are or lowered. */
const numbered = (history: History): History => toRegisters(history).history;

const nameOf = (history: History, t: number): string =>
  t === INITIAL_TXN ? 'the initial transaction' : nameTransaction(history, t);

function reasonOf(report: Report | null): string {
  if (report === null) return 'no checker took it';
  const { verdict } = report;
  if (verdict.status !== 'unknown')
    return `${report.checker} decided ${report.level}, which does not settle this level; no checker for it is installed yet.`;
  return verdict.detail === undefined || verdict.detail === verdict.reason ? verdict.reason : verdict.detail;
}

function writeCertificate(path: string, history: History, report: Report | null, printer: Printer): void {
  const certificate = report === null ? undefined : certificateIn(report);
  if (report === null || certificate === undefined || report.verdict.status === 'unknown') {
    printer.note('There is no certificate for this verdict; nothing was written.');
    return;
  }
  const { level, checker, verdict } = report;
  writeFileSync(
    path,
    `${toJson(certificateFile(history, { level, checker, verdict: verdict.status as 'satisfied', certificate }))}\n`,
  );
}

function certificateIn({
  verdict,
}: Report): NonNullable<FoundAnomaly['certificate']> | undefined | ReturnType<typeof satisfiedOf> {
  if (verdict.status === 'violated')
    return verdict.anomalies.find(({ certificate }) => certificate !== undefined)?.certificate;
  return verdict.status === 'satisfied' ? satisfiedOf(verdict) : undefined;
}

const satisfiedOf = (verdict: Extract<Report['verdict'], { status: 'satisfied' }>) => verdict.certificate;

const round = (ms: number): number => Math.round(ms * 1000) / 1000;

/** The levels that compare snapshots with real time, which no client's clock can tell exactly. */
const COMPARES_SNAPSHOTS: readonly LevelName[] = [
  'generalized-snapshot-isolation',
  'strong-session-snapshot-isolation',
  'strong-snapshot-isolation',
];

const CLOCKS = `The generalized and the strong variants of snapshot isolation compare snapshots with real time. If the times are those
of the clients, a snapshot may be younger than its call and a commit older than its return, so that they look violated
by what is only the way to the database; --checker viper --option drift=… allows for it.`;

/** How many anomalies are told in full, and how many JSON lists. */
const TOLD = 3;
const LISTED = 1000;
