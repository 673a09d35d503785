import type { FoundAnomaly, LevelName } from '@isolab/contract';
import { type History, registersOf, visibleLine } from '@isolab/history';
import type { Story } from 'isolab';
import {
  type CheckResult,
  type Opened,
  type Report,
  askedLevels,
  decidingRun,
  exampleOf,
  namerOf,
  toldRuns,
} from 'isolab/check';
import { type BriefStory, reasonsAt } from './judge.ts';
import { NOT_KEPT } from './words.ts';
import { type Printer, count } from './print.ts';
import { tellAnomaly, tellBriefly, tellStory } from './story.ts';

/** Account of a violation: its story step by step, with --shrink, or in a few lines. */
export interface Told {
  readonly story?: Story | null;
  readonly brief?: BriefStory | null;
}

/** A verdict with its findings, as text for a reader: of each named level, then of all, if all were asked for. */
export async function asText(
  { prepared: { history } }: Opened,
  result: CheckResult,
  { story = null, brief = null }: Told,
  { style }: Pick<Printer, 'style'>,
): Promise<string> {
  const lines = [...linesOfNamed(result, style), ...answerLines(result, style)];
  const told = toldRuns(result).filter(({ verdict }) => verdict.status === 'violated');
  if (told.length > 0) {
    if (told.some(({ level }) => COMPARES_SNAPSHOTS.includes(level))) lines.push('', style.dim(SNAPSHOTS));
    if (told.some(({ supposing }) => supposing !== null)) lines.push('', style.dim(TIMESTAMPS));
    const level = story?.level ?? brief?.story.level ?? null;
    for (const telling of await tellings(history, result, level, style)) lines.push('', telling);
    if (story) lines.push('', await tellStory(story, style));
    else if (brief) lines.push('', await tellBriefly(brief, style));
  }
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

/** Reasons why named levels are unknown, below all else. */
function linesOfUnknown(result: CheckResult, isBelow: boolean, style: Printer['style']): string[] {
  const where = whereAndBy(result, style);
  return [...reasonsAt(namedAs('unknown', result), result)].flatMap(([reason, levels], i) => [
    ...(isBelow || i > 0 ? [''] : []),
    `${style.yellow('unknown')}    ${style.bold(levels.join(', '))}${where}`,
    `  ${reason}`,
  ]);
}

const namedAs = (status: string, { named, levels }: CheckResult): LevelName[] =>
  named.filter((level) => levels[level] === status);

/** Path of the history; for one level also the checker that decided it. */
function whereAndBy(result: CheckResult, style: Printer['style']): string {
  const by = askedLevels(result).length > 1 ? '' : style.dim(decidedBy(decidingRun(result)));
  return `  ${visibleLine(result.path)}${by}`;
}

/** Levels that are kept, not kept, and not decided, in one block. */
function answerLines(result: CheckResult, style: Printer['style']): string[] {
  const { path, named, levels, answer, restsOn } = result;
  if (answer === null || named.length === Object.keys(levels).length) return [];
  const { kept, notKept, notDecided } = answer;
  const reasons = reasonsAt(askedLevels(result), result);
  // Then there is nothing but the reason to say.
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
  '  This takes the timestamps that the database states for facts. Without them the history may satisfy the level: see --checker weave.';

/** Work of the deciding run: the time of its stages, and its counters. */
export function workOf({ stages, counters }: CheckResult): string[] {
  return [
    ...stages.map(({ name, ms }) => `  ${name}: ${ms.toFixed(0)} ms`),
    ...Object.entries(counters).map(([name, number]) => `  ${name}: ${number}`),
  ];
}

function decidedBy(run: Report | null): string {
  if (run === null) return '';
  return `  by ${run.checker}${run.variant === null ? '' : ` (${run.variant})`} in ${run.wallMs.toFixed(0)} ms`;
}

/** The findings of each run. Two levels that do not imply each other may be violated by the same finding. */
async function tellings(
  history: History,
  result: CheckResult,
  levelOfStory: string | null,
  style: Printer['style'],
): Promise<ReadonlySet<string>> {
  const told = new Set<string>();
  for (const run of toldRuns(result)) {
    // The story shows the minimal history; another witness of the same violation would only be longer.
    if (levelOfStory === run.level && result.kinds === undefined) continue;
    told.add(
      result.kinds === undefined
        ? await tellRun(history, run, style)
        : await tellKinds(history, result, run.level, style),
    );
  }
  return told;
}

function remarks({ unverified, runs, uncertified, warnings }: CheckResult, style: Printer['style']): string[] {
  const lines: string[] = [];
  if (unverified.length > 0) {
    const checker = runs.find(({ isPlugin }) => isPlugin)!.checker;
    const said = `the plug-in ${checker} gave no certificate, so its verdict is unverified`;
    lines.push('', `${style.yellow('unverified')} ${style.bold(unverified.join(', '))}: ${said}.`);
  }
  for (const why of uncertified) lines.push('', style.dim(why));
  for (const { name, text } of warnings) lines.push('', `${style.yellow('warning')}    ${name}: ${text}`);
  return lines;
}

/** With --find-all: each kind with its smallest example. */
async function tellKinds(
  whole: History,
  result: CheckResult,
  level: LevelName,
  style: Printer['style'],
): Promise<string> {
  const { kinds = [], notes = {} } = result;
  const told: string[] = [];
  for (const kind of kinds.filter((each) => each.level === level)) {
    const { name, aliases, count: times } = kind;
    const called = aliases.length === 0 ? '' : ` (${aliases.join(', ')})`;
    const head = `${style.bold(`${times} ×`)} ${style.red(name)}${called}${times > 1 ? ', of which the smallest is' : ''}`;
    told.push(`${head}\n${await tellFound(whole, level, exampleOf(result, kind), style)}`);
  }
  return [...told, style.dim(notes[level] ?? '')].join('\n\n');
}

async function tellRun(whole: History, { level, verdict }: Report, style: Printer['style']): Promise<string> {
  if (verdict.status !== 'violated') return '';
  const { anomalies } = verdict;
  const nameOf = await namerOf(whole);
  const told = await Promise.all(
    anomalies.slice(0, TOLD).map((anomaly) => tellFound(whole, level, nameOf(level, anomaly), style)),
  );
  const more = anomalies.length - told.length;
  return [
    ...told,
    ...(more > 0 ? [`… and ${count(more, 'more anomaly', 'more anomalies')}; --find-all counts them by kind.`] : []),
  ].join('\n\n');
}

/** An anomaly of more than one cycle, or over rows of tables, is printed as its story. */
async function tellFound(
  whole: History,
  level: LevelName,
  anomaly: FoundAnomaly,
  style: Printer['style'],
): Promise<string> {
  const { history, opOf } = registersOf(whole, anomaly);
  const kind = anomaly.certificate?.kind;
  const hasRows = whole.scans.tables.length > 0;
  if (!hasRows && (kind === undefined || kind === 'internal' || kind === 'cycle'))
    return tellAnomaly(history, anomaly, style);
  const { explain } = await import('@isolab/explain');
  const txnOf = Int32Array.from(whole.txnStatus.keys());
  const {
    copies: _,
    hidden: __,
    ...story
  } = explain(history, level, anomaly, {
    ...(hasRows && { whole: { history: whole, txnOf, opOf } }),
  });
  return tellStory(story, style);
}

/** Levels that compare snapshots with real time, which a serializable database need not keep. */
const COMPARES_SNAPSHOTS: readonly LevelName[] = [
  'generalized-snapshot-isolation',
  'strong-session-snapshot-isolation',
  'strong-snapshot-isolation',
];

const SNAPSHOTS = `The generalized and the strong variants of snapshot isolation compare snapshots with real time. A database that
locks what it reads has no snapshots: it can be strictly serializable and keep none of these levels.`;

/** How many anomalies are printed in full. */
const TOLD = 3;
