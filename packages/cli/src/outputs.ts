import { type LevelName, findAnomaly } from '@isolab/checker';
import type { LevelsReport, Report } from '@isolab/runner';
import { type JunitCase, type Story, drawDot, drawSvg, junitXml, storyMarkdown, viewHtml } from '@isolab/visualise';

/** What `check` can print besides text and JSON. */
export const PICTURES = ['html', 'svg', 'dot'] as const;
export const OUTPUTS = ['text', 'json', 'junit', 'markdown', ...PICTURES] as const;
export type OutputForm = (typeof OUTPUTS)[number];

export const picture = (form: (typeof PICTURES)[number], story: Story): string =>
  ({ html: viewHtml, svg: drawSvg, dot: drawDot })[form](story);

/** JUnit's XML: a test case for each level; what is unknown is an error, never a pass. */
export function asJunit(path: string, asked: readonly LevelName[], result: LevelsReport, story: Story | null): string {
  const cases = asked.map((level): JunitCase => {
    const by = result.impliedBy[level] ?? level;
    const report = result.reports.find((one) => one.level === by) ?? null;
    const verdict = result.levels[level] ?? 'unknown';
    return {
      name: level,
      checker: report?.checker ?? 'none',
      verdict,
      ...(report && { ms: report.wallMs }),
      ...(verdict !== 'satisfied' && { message: messageOf(verdict, report) }),
      ...(verdict === 'violated' && story && { text: story.prose.map(({ text }) => text).join('\n') }),
    };
  });
  return junitXml([{ name: path, cases, timestamp: new Date().toISOString() }]);
}

function messageOf(verdict: string, report: Report | null): string {
  if (report?.verdict.status === 'violated') {
    const { name } = report.verdict.anomalies[0]!;
    return `${name}: ${findAnomaly(name)?.title ?? ''}`;
  }
  if (report?.verdict.status === 'unknown') return report.verdict.detail ?? report.verdict.reason;
  return verdict === 'violated' ? 'a weaker level is violated' : 'nothing settles this level';
}

/** A summary for a job or an issue: the verdicts, and the story of what was violated. */
export function asMarkdown(
  path: string,
  asked: readonly LevelName[],
  { levels, strongest, weakestViolated }: LevelsReport,
  story: Story | null,
): string {
  const status = (level: LevelName): string => levels[level] ?? 'unknown';
  const marks: Readonly<Record<string, string>> = { satisfied: '✅', violated: '❌', unknown: '❔' };
  const listed =
    asked.length === 1
      ? asked
      : asked.filter((level) => [...strongest, ...weakestViolated].includes(level) || status(level) === 'unknown');
  const rows = listed.map((level) => `| ${level} | ${marks[status(level)]} ${status(level)} |`);
  const table = [`## ${path.replaceAll('|', '\\|')}`, '', '| level | verdict |', '| --- | --- |', ...rows].join('\n');
  return story === null ? table : `${table}\n\n${storyMarkdown(story, { heading: 3 })}`;
}
