import { visibleLine } from '@isolab/history';
import { type Level, type LevelName, findAnomaly } from '@isolab/contract';
import { type LevelsReport, type Report, restsOn } from '@isolab/runner';
import { escapeMarkdown } from '@isolab/markup';
import { type JunitCase, type JunitSuite, type Story, drawDot, drawSvg, storyMarkdown, viewHtml } from '@isolab/story';
import type { Failure } from './each-path.ts';
import type { Findings } from './find-all.ts';
import { isUnverified, reasonAt, reasonsAt, uncertifiedOf } from './verdict.ts';

/** What is said of one history. */
export interface OutputParts {
  readonly path: string;
  readonly asked: readonly LevelName[];
  readonly result: LevelsReport;
  readonly findings: ReadonlyMap<LevelName, Findings>;
  readonly story: Story | null;
}

export const picture = (form: 'html' | 'svg' | 'dot', story: Story): string =>
  ({ html: viewHtml, svg: drawSvg, dot: drawDot })[form](story);

/** For JUnit's XML: a test case for each level; what is unknown is an error, never a pass. */
export function asSuite({ path, asked, result, findings, story }: OutputParts): JunitSuite {
  const cases = asked.map((level): JunitCase => {
    const by = result.impliedBy[level] ?? level;
    const report = result.reports.find((one) => one.level === by) ?? null;
    const verdict = result.levels[level] ?? 'unknown';
    const found = findings.get(by);
    const told = story === null ? [] : [story.summary, ...story.prose.map(({ text }) => text)];
    if (verdict === 'violated') told.push(...uncertifiedOf(result));
    return {
      name: level,
      checker: `${report?.checker ?? 'none'}${isUnverified(result, level) ? ' (unverified)' : ''}`,
      verdict,
      ...(report && { ms: report.wallMs }),
      ...(verdict === 'violated' && { message: messageOf(report, found, story) }),
      ...(verdict === 'unknown' && { message: reasonAt(level, result) }),
      ...(verdict === 'satisfied' && result.evidence && { text: restsOn(result.evidence) }),
      ...(verdict === 'violated' && told.length > 0 && { text: told.join('\n') }),
    };
  });
  return { name: path, cases, timestamp: new Date().toISOString() };
}

function messageOf(report: Report | null, findings: Findings | undefined, story: Story | null): string {
  if (findings) return findings.kinds.map(({ name, count }) => `${count} × ${name}`).join(', ');
  if (story?.anomaly) return `${story.anomaly.name}: ${story.summary}`;
  if (report?.verdict.status === 'violated') {
    const { name } = report.verdict.anomalies[0]!;
    return `${name}: ${findAnomaly(name)?.title ?? ''}`;
  }
  return 'a weaker level is violated';
}

/** A history that could not be checked, or not in time: an error, never a pass. */
export const failedSuite = ({ path, message, isTimeout }: Failure, levels: readonly Level[]): JunitSuite => ({
  name: path,
  cases: levels.map(({ name }) => ({ name, checker: 'none', verdict: isTimeout ? 'unknown' : 'error', message })),
  timestamp: new Date().toISOString(),
});

export const failedMarkdown = ({ path, message }: Failure): string =>
  [`## ${escapeMarkdown(visibleLine(path))}`, '', `❗ could not be checked: ${escapeMarkdown(message)}`].join('\n');

/** A summary for a job or an issue: the verdicts, and the story of what was violated. */
export function asMarkdown({ path, asked, result, findings, story }: OutputParts): string {
  const { levels, strongest, weakestViolated } = result;
  const status = (level: LevelName): string => levels[level] ?? 'unknown';
  const marks: Readonly<Record<string, string>> = { satisfied: '✅', violated: '❌', unknown: '❔' };
  const listed =
    asked.length === 1
      ? asked
      : asked.filter((level) => [...strongest, ...weakestViolated].includes(level) || status(level) === 'unknown');
  const unknown = asked.filter((level) => status(level) === 'unknown');
  const rows = listed.map((level) => {
    const remark = isUnverified(result, level) ? ' (unverified: the word of a plug-in)' : '';
    return `| ${level} | ${marks[status(level)]} ${status(level)}${remark} |`;
  });
  const blocks = [
    [`## ${escapeMarkdown(visibleLine(path))}`, '', '| level | verdict |', '| --- | --- |', ...rows].join('\n'),
    ...(asked.some((level) => status(level) === 'satisfied') && result.evidence
      ? [`What is satisfied ${restsOn(result.evidence)}.`]
      : []),
    ...[...reasonsAt(unknown, result)].map(([reason, of]) => `Unknown: ${of.join(', ')}: ${escapeMarkdown(reason)}.`),
    ...[...findings].map(([level, found]) => kindsTable(level, found)),
    ...(story === null ? [] : [storyMarkdown(story, { heading: 3 })]),
    ...uncertifiedOf(result),
  ];
  return blocks.join('\n\n');
}

function kindsTable(level: LevelName, { kinds, note }: Findings): string {
  const rows = kinds.map(({ name, count }) => `| ${count} | \`${name}\` | ${findAnomaly(name)?.title ?? ''} |`);
  return [
    `What violates ${level}:`,
    '',
    '| times | anomaly | which is |',
    '| ---: | --- | --- |',
    ...rows,
    '',
    note,
  ].join('\n');
}
