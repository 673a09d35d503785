import { type StageTime, levelsIn, totalMs, visibleLine } from 'isolab/skin';
import { type CheckResult, findAnomaly, jsonOf, type Kind, type LevelName, type Report } from 'isolab/check';
import type { Story } from 'isolab';
import { type BriefStory, reasonsAt } from './judge.ts';
import { NOT_KEPT } from '../terminal/words.ts';
import { type Printer, count } from '../terminal/print.ts';
import { tellBriefly, tellStory } from './story.ts';

/** Stories of violations: one step by step, with --shrink, and others in a few lines. */
export interface Told {
  readonly story?: Story | null;
  readonly briefs?: readonly BriefStory[];
}

/** Formats a verdict with its findings for a reader: each named level, then all levels, if all were requested. */
export async function asText(
  result: CheckResult,
  { story = null, briefs = [] }: Told,
  { style }: Pick<Printer, 'style'>,
): Promise<string> {
  const lines = [...linesOfNamed(result, style), ...answerLines(result, style)];
  const { violations, kinds } = result;
  if (violations.some(({ level }) => COMPARES_SNAPSHOTS.includes(level))) lines.push('', style.dim(SNAPSHOTS));
  if (violations.some(({ supposing }) => supposing !== null)) lines.push('', style.dim(TIMESTAMPS));
  if (kinds) for (const { level } of violations) lines.push('', await tellKinds(result, kinds, level, style));
  if (story) lines.push('', await tellStory(story, style));
  // Two levels that do not imply each other may be violated by the same finding.
  const brief = new Set(await Promise.all(briefs.map((each) => tellBriefly(each.story, style))));
  for (const each of brief) lines.push('', each);
  if (briefs.length > 0) {
    const how = briefs.every(({ isSmallest }) => isSmallest) ? '' : 'searches for a smaller part and ';
    const name = briefs.flatMap(({ story: { anomaly } }) => anomaly?.name ?? []).find((each) => findAnomaly(each));
    const about = name === undefined ? '' : `, and isolab explain ${name} shows how to prevent it`;
    lines.push(style.dim(`  --shrink ${how}explains it step by step; isolab explain draws it${about}.`));
  } else if (story === null && kinds === undefined) lines.push(...linesOfAnomalies(result, style));
  lines.push(...linesOfUnknown(result, lines.length > 0, style));
  lines.push(...remarks(result, style));
  return lines.join('\n').trimEnd();
}

/** Lines for the satisfied and violated levels among the named ones. */
function linesOfNamed(result: CheckResult, style: Printer['style']): string[] {
  const where = whereAndBy(result, style);
  const satisfied = namedAs('satisfied', result);
  const violated = namedAs('violated', result);
  const lines: string[] = [];
  if (satisfied.length > 0) {
    lines.push(`${style.green('satisfied')}  ${style.bold(satisfied.join(', '))}${where}`);
    if (result.restsOn !== null) lines.push(style.dim(`  ${result.restsOn}`));
  }
  if (violated.length > 0) lines.push(`${style.red('violated')}   ${style.bold(violated.join(', '))}${where}`);
  return lines;
}

/** Reasons why named levels are unknown, at the end. */
function linesOfUnknown(result: CheckResult, isBelow: boolean, style: Printer['style']): string[] {
  const where = whereAndBy(result, style);
  return [...reasonsAt(namedAs('unknown', result), result)].flatMap(([reason, levels], i) => [
    ...(isBelow || i > 0 ? [''] : []),
    `${style.yellow('unknown')}    ${style.bold(levels.join(', '))}${where}`,
    `  ${reason}`,
  ]);
}

const namedAs = (status: string, { named, levels }: CheckResult): LevelName[] =>
  named.filter((level) => levels[level]!.verdict === status);

/** Path of the history; for one level also the checker that decided it. */
function whereAndBy(result: CheckResult, style: Printer['style']): string {
  const by = levelsIn(result.levels).length > 1 ? '' : style.dim(decidedBy(result.deciding));
  return `  ${visibleLine(result.path)}${by}`;
}

/** Levels that are kept, not kept, and not decided, in one block. */
function answerLines(result: CheckResult, style: Printer['style']): string[] {
  const { path, named, levels, answer, restsOn } = result;
  if (answer === null || named.length === levelsIn(levels).length) return [];
  const { kept, notKept, notDecided } = answer;
  const reasons = reasonsAt(levelsIn(levels), result);
  // Only the reason needs to be printed then.
  const onlyReason = kept === null && notKept === null && reasons.size === 1 ? [...reasons.keys()] : null;
  const isOnlyInformation = named.length > 0;
  return [
    ...(isOnlyInformation ? ['', 'All levels, for information:'] : [visibleLine(path)]),
    ...(kept === null ? [] : [`${style.green('kept')}         ${kept}`]),
    ...(kept === null || restsOn === null || isOnlyInformation ? [] : [style.dim(`${BESIDE}${restsOn}`)]),
    ...(notKept === null ? [] : [`${style.red(NOT_KEPT)}     ${notKept}`]),
    ...(onlyReason?.map((reason) => `any level: ${reason}`) ?? notDecided).map(
      (line, i) => `${i === 0 ? style.yellow('not decided  ') : BESIDE}${visibleLine(line)}`,
    ),
  ];
}

const BESIDE = ' '.repeat('not decided  '.length);

const TIMESTAMPS =
  '  This verdict trusts the timestamps of the database. Without them the history may satisfy the level; try --checker weave.';

/**
 * Work on a history: the times of all stages, and the counters of the checker. The stages of the result divide the
 * stage `check`.
 */
export function workOf(result: CheckResult, around: readonly StageTime[]): string[] {
  const { stages, counters } = jsonOf(result);
  const all = around.flatMap((stage) =>
    stage.name === 'check' ? [...stages, { name: 'other', ms: stage.ms - totalMs(stages) }] : [stage],
  );
  return [
    ...all.map(({ name, ms }) => `  ${name}: ${ms.toFixed(0)} ms`),
    ...Object.entries(counters).map(([name, number]) => `  ${name}: ${number}`),
  ];
}

function decidedBy(run: Report | null): string {
  if (run === null) return '';
  return `  by ${run.checker}${run.variant === null ? '' : ` (${run.variant})`} in ${run.wallMs.toFixed(0)} ms`;
}

/** Anomalies of a violation without a story. */
function linesOfAnomalies({ anomalies }: CheckResult, style: Printer['style']): string[] {
  const more = anomalies.length - TOLD;
  return [
    ...anomalies
      .slice(0, TOLD)
      .flatMap(({ name, transactions }) => [
        '',
        `${style.red(name)}: ${findAnomaly(name)?.title ?? ''}`,
        `  ${transactions.join(', ')}`,
      ]),
    ...(more > 0
      ? ['', `… and ${count(more, 'more anomaly', 'more anomalies')}; --find-all counts them by kind.`]
      : []),
  ];
}

function remarks({ levels, runs, uncertified, warnings }: CheckResult, style: Printer['style']): string[] {
  const lines: string[] = [];
  const unverified = levelsIn(levels).filter((level) => levels[level]!.isUnverified);
  if (unverified.length > 0) {
    const checker = runs.find(({ isPlugin }) => isPlugin)!.checker;
    const said = `the plug-in ${checker} gave no certificate, so its verdict is unverified`;
    lines.push('', `${style.yellow('unverified')} ${style.bold(unverified.join(', '))}: ${said}.`);
  }
  for (const why of uncertified) lines.push('', style.dim(why));
  for (const { name, text } of warnings) lines.push('', `${style.yellow('warning')}    ${name}: ${text}`);
  return lines;
}

/** Prints, for --find-all, each kind of anomaly with its smallest example. */
async function tellKinds(
  { notes = {} }: CheckResult,
  kinds: readonly Kind[],
  level: LevelName,
  style: Printer['style'],
): Promise<string> {
  const told: string[] = [];
  for (const { name, aliases, count: times, story } of kinds.filter((each) => each.level === level)) {
    const called = aliases.length === 0 ? '' : ` (${aliases.join(', ')})`;
    const head = `${style.bold(`${times} ×`)} ${style.red(name)}${called}${times > 1 ? '; the smallest example:' : ''}`;
    const { copies: _copies, hidden: _hidden, ...shown } = story;
    told.push(`${head}\n${await tellStory(shown, style)}`);
  }
  return [...told, style.dim(notes[level] ?? '')].join('\n\n');
}

/** Levels that compare snapshots with real time, which a serializable database need not keep. */
const COMPARES_SNAPSHOTS: readonly LevelName[] = [
  'generalized-snapshot-isolation',
  'strong-session-snapshot-isolation',
  'strong-snapshot-isolation',
];

const SNAPSHOTS = `The generalized and the strong variants of snapshot isolation compare snapshots with real time. A database that
locks the rows that it reads has no snapshots: it can be strictly serializable and keep none of these levels.`;

/** Number of anomalies that are printed in full. */
const TOLD = 3;
