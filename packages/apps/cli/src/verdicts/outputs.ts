import { decidedAs, eachLevel, implies, visibleLine } from 'isolab/skin';
import { type CheckResult, findAnomaly, type Kind, type LevelName, type LevelResult } from 'isolab/check';
import { answerRows, drawDot, drawSvg, escapeMarkdown, type JunitCase, storyMarkdown, viewHtml } from 'isolab/stories';
import type { Story } from 'isolab';
import { reasonAt, reasonsAt } from './judge.ts';
import type { Failure } from './failure.ts';

/** Returns null for a drawing of a story without transactions: a satisfied history may have no order to show. */
export const picture = (form: 'html' | 'svg' | 'dot', story: Story): string | null =>
  form !== 'html' && story.transactions.length === 0
    ? null
    : { html: viewHtml, svg: drawSvg, dot: drawDot }[form](story);

/**
 * JUnit XML with a test case per level. An unknown verdict is an error, never a pass. A level that was not requested by
 * name is passed or skipped, because it is not required.
 */
export function casesOf(result: CheckResult, found: Story | null): JunitCase[] {
  return eachLevel(result.levels).map(([level, at]): JunitCase => {
    const { verdict, run, isUnverified, unknown } = at!;
    const isDemand = result.named.includes(level);
    // The story of a violated level applies only to levels that imply it.
    const story = found !== null && implies(decidedAs(level), found.level as LevelName) ? found : null;
    const isTold = story !== null && (isDemand || level === story.level);
    const told = isTold ? [story.summary, ...story.prose.map(({ text }) => text)] : [];
    if (verdict === 'violated' && isDemand) told.push(...result.uncertified);
    return {
      name: level,
      checker: `${run?.checker ?? 'none'}${isUnverified ? ' (unverified)' : ''}`,
      verdict,
      ...(!isDemand && { isInformation: true }),
      ...(run && { ms: run.wallMs }),
      ...(verdict === 'violated' && { message: messageOf(result, run, story) }),
      ...(verdict === 'unknown' && {
        message: isDemand ? reasonAt(level, result) : (unknown?.detail ?? ''),
      }),
      ...(verdict === 'satisfied' && result.restsOn !== null && { text: result.restsOn }),
      ...(verdict === 'violated' && told.length > 0 && { text: told.join('\n') }),
    };
  });
}

function messageOf(result: CheckResult, run: LevelResult['run'], story: Story | null): string {
  const kinds = result.kinds?.filter((kind) => kind.level === run?.level) ?? [];
  if (kinds.length > 0) return kinds.map(({ name, count }) => `${count} × ${name}`).join(', ');
  if (story?.anomaly) return `${story.anomaly.name}: ${story.summary}`;
  if (run?.verdict.status === 'violated') {
    const { name } = run.verdict.anomalies[0]!;
    return `${name}: ${findAnomaly(name)?.title ?? ''}`;
  }
  return 'a weaker level is violated';
}

export const failedMarkdown = ({ path, message }: Failure): string =>
  [`## ${escapeMarkdown(visibleLine(path))}`, '', `❗ could not be checked: ${escapeMarkdown(message)}`].join('\n');

/** Summary for a job or a bug report: the verdicts, and the story of the violated level. */
export function asMarkdown(result: CheckResult, story: Story | null): string {
  const { path, named, levels, answer, kinds = [], notes = {} } = result;
  const found = Object.values(levels).map((level) => level!);
  const rows = named.map((level) => {
    const { verdict, isUnverified } = levels[level]!;
    return `| ${level} | ${MARKS[verdict]} ${verdict}${isUnverified ? ' (unverified: claimed by a plug-in)' : ''} |`;
  });
  const unknown = named.filter((level) => levels[level]!.verdict === 'unknown');
  const blocks = [
    `## ${escapeMarkdown(visibleLine(path))}`,
    ...(rows.length === 0 ? [] : [['| level | verdict |', '| --- | --- |', ...rows].join('\n')]),
    ...(answer === null || named.length === found.length ? [] : [answerTable(answer)]),
    ...(found.some(({ verdict }) => verdict === 'satisfied') && result.restsOn !== null
      ? [`The satisfied verdict ${result.restsOn}.`]
      : []),
    ...[...reasonsAt(unknown, result)].map(([reason, of]) => `Unknown: ${of.join(', ')}: ${escapeMarkdown(reason)}.`),
    ...Object.entries(notes).map(([level, note]) => kindsTable(level, kinds, note ?? '')),
    ...(story === null ? [] : [storyMarkdown(withoutAnswer(story), { heading: 3 })]),
    ...result.uncertified,
  ];
  return blocks.join('\n\n');
}

/** The text above the story already contains the answer. */
function withoutAnswer(story: Story): Story {
  const { answer: _, ...rest } = story;
  return rest;
}

const MARKS: Readonly<Record<string, string>> = { satisfied: '✅', violated: '❌', unknown: '❔' };

/** Table of the verdicts on all levels, for information: no line in it is a pass or a failure. */
const answerTable = (answer: NonNullable<CheckResult['answer']>): string =>
  [
    '| all levels | |',
    '| --- | --- |',
    ...answerRows({ answer }).map(([label, words]) => `| ${label} | ${escapeMarkdown(visibleLine(words))} |`),
  ].join('\n');

function kindsTable(level: string, kinds: readonly Kind[], note: string): string {
  const shown = kinds.filter((kind) => kind.level === level);
  const rows = shown.map(({ name, count }) => `| ${count} | \`${name}\` | ${findAnomaly(name)?.title ?? ''} |`);
  return [
    `What violates ${level}:`,
    '',
    '| times | anomaly | description |',
    '| ---: | --- | --- |',
    ...rows,
    '',
    note,
  ].join('\n');
}
