import { type FoundAnomaly, type LevelName, findAnomaly } from '@isolab/contract';
import { type History, countOperations, countTransactions, visibleLine } from '@isolab/history';
import { type LevelsReport, type Report, restsOn } from '@isolab/runner';
import type { Story } from '@isolab/story';
import type { Findings } from './find-all.ts';
import { type Printer, count } from './print.ts';
import { tellAnomaly, tellStory } from './story.ts';
import {
  decidingReport,
  isUnverified,
  numbered,
  reasonsAt,
  uncertifiedOf,
  violatedReports,
  warningsOf,
} from './verdict.ts';

export interface TextParts {
  readonly path: string;
  readonly asked: readonly LevelName[];
  readonly result: LevelsReport;
  /** With --find-all, what was found at each level that is told. */
  readonly findings: ReadonlyMap<LevelName, Findings>;
  /** With --shrink, the story of the smallest part. */
  readonly story: Story | null;
}

/** A verdict for people, with what was found. */
export async function asText(history: History, parts: TextParts, { style }: Printer): Promise<string> {
  const { asked, result, findings, story } = parts;
  const path = visibleLine(parts.path);
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
    if (result.evidence) lines.push(style.dim(`  ${restsOn(result.evidence)}`));
  }
  if (named('violated').length > 0) {
    const shown = several ? result.weakestViolated : named('violated');
    lines.push(
      `${style.red('violated')}   ${style.bold(shown.join(', '))}${several ? ' and every level above' : ''}  ${path}${several ? '' : by}`,
    );
    if (shown.some((level) => COMPARES_SNAPSHOTS.includes(level))) lines.push('', style.dim(CLOCKS));
    const tellings: string[] = [];
    // The story is told by the smallest part; beside it, another witness of the same would only be longer.
    const isToldBelow = ({ level }: Report): boolean => story?.level === level && findings.size === 0;
    for (const violated of several ? violatedReports(result) : report ? [report] : [])
      if (!isToldBelow(violated))
        tellings.push(await tellReport(history, violated, findings.get(violated.level) ?? null, style));
    // Levels of which neither implies the other may be violated by the same.
    for (const telling of new Set(tellings)) lines.push('', telling);
    if (story) lines.push('', await tellStory(story, style));
    else if (countTransactions(history) > SMALL)
      lines.push('', style.dim('--shrink tells it by the smallest part of the history; isolab view draws that.'));
  }
  for (const [reason, levels] of reasonsAt(named('unknown'), result)) {
    if (lines.length > 0) lines.push('');
    lines.push(
      `${style.yellow('unknown')}    ${style.bold(levels.join(', '))}  ${path}${several ? '' : by}`,
      `  ${reason}`,
    );
  }
  const unverified = asked.filter((level) => isUnverified(result, level));
  if (unverified.length > 0) {
    const checker = result.reports.find(({ isPlugin }) => isPlugin)!.checker;
    const said = `the plug-in ${checker} gave no certificate, so that nothing but its word is known`;
    lines.push('', `${style.yellow('unverified')} ${style.bold(unverified.join(', '))}: ${said}.`);
  }
  for (const why of uncertifiedOf(result)) lines.push('', style.dim(why));
  for (const { name, text } of warningsOf(result)) lines.push('', `${style.yellow('warning')}    ${name}: ${text}`);
  return lines.join('\n').trimEnd();
}

async function tellReport(
  history: History,
  { level, verdict }: Report,
  findings: Findings | null,
  style: Printer['style'],
): Promise<string> {
  if (verdict.status !== 'violated') return '';
  const shown = numbered(history);
  if (findings) {
    const kinds = await Promise.all(
      findings.kinds.map(async ({ name, count: times, example }) => {
        const aliases = findAnomaly(name)?.aliases ?? [];
        const called = aliases.length === 0 ? '' : ` (${aliases.join(', ')})`;
        const head = `${style.bold(`${times} ×`)} ${style.red(name)}${called}${times > 1 ? ', of which the smallest is' : ''}`;
        return `${head}\n${await tellFound(shown, level, { ...example, name }, style)}`;
      }),
    );
    return [...kinds, style.dim(findings.note)].join('\n\n');
  }
  const { anomalies } = verdict;
  const canonical = await namesFor(shown, level);
  const told = await Promise.all(
    anomalies.slice(0, TOLD).map((anomaly) => tellFound(shown, level, canonical(anomaly), style)),
  );
  const more = anomalies.length - told.length;
  return [
    ...told,
    ...(more > 0 ? [`… and ${count(more, 'more anomaly', 'more anomalies')}; --find-all counts them by kind.`] : []),
  ].join('\n\n');
}

/** The one name of the registry for what was found, however the checker calls it; for a very large history its own word. */
async function namesFor(history: History, level: LevelName): Promise<(anomaly: FoundAnomaly) => FoundAnomaly> {
  if (countOperations(history) > MOST_OPERATIONS) return (anomaly) => anomaly;
  const { classifier } = await import('@isolab/explain');
  const classify = classifier(history, level);
  return (anomaly) => ({ ...anomaly, name: classify(anomaly).name });
}

/** What takes more than one cycle is told as its story is. */
async function tellFound(
  history: History,
  level: LevelName,
  anomaly: FoundAnomaly,
  style: Printer['style'],
): Promise<string> {
  const kind = anomaly.certificate?.kind;
  if (kind === undefined || kind === 'internal' || kind === 'cycle') return tellAnomaly(history, anomaly, style);
  const { explain } = await import('@isolab/explain');
  const { copies: _, hidden: __, ...story } = explain(history, level, anomaly);
  return tellStory(story, style);
}

/** The levels that compare snapshots with real time, which no client's clock can tell exactly. */
const COMPARES_SNAPSHOTS: readonly LevelName[] = [
  'generalized-snapshot-isolation',
  'strong-session-snapshot-isolation',
  'strong-snapshot-isolation',
];

const CLOCKS = `The generalized and the strong variants of snapshot isolation compare snapshots with real time. If the times are those
of the clients, a snapshot may be younger than its call and a commit older than its return, so that they look violated
by what is only the way to the database; --checker viper --option drift=… allows for it.`;

/** How many anomalies are told in full. */
const TOLD = 3;
/** Histories of so many transactions need no shrinking to be looked at. */
const SMALL = 8;
/** Of larger histories it would take noticeable time to name what was found. */
const MOST_OPERATIONS = 200_000;
