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
import { type Printer, count } from './print.ts';
import { tellAnomaly, tellBriefly, tellStory } from './story.ts';

/** What is told of a violation: its story step by step, with --shrink, or in a few lines. */
export interface Told {
  readonly story?: Story | null;
  readonly brief?: BriefStory | null;
}

/** A verdict for people, with what was found. */
export async function asText(
  { prepared: { history } }: Opened,
  result: CheckResult,
  { story = null, brief = null }: Told,
  { style }: Pick<Printer, 'style'>,
): Promise<string> {
  const path = visibleLine(result.path);
  const asked = askedLevels(result);
  const several = asked.length > 1;
  const by = several ? '' : style.dim(decidedBy(decidingRun(result)));
  const named = (status: string): LevelName[] => asked.filter((level) => result.levels[level] === status);
  const lines: string[] = [];
  if (named('satisfied').length > 0) {
    const shown = several ? result.strongest : named('satisfied');
    const below = several ? ' and every level below' : '';
    lines.push(`${style.green('satisfied')}  ${style.bold(shown.join(', '))}${below}  ${path}${by}`);
    if (result.restsOn !== null) lines.push(style.dim(`  ${result.restsOn}`));
  }
  if (named('violated').length > 0) {
    const shown = several ? result.weakestViolated : named('violated');
    const above = several ? ' and every level above' : '';
    lines.push(`${style.red('violated')}   ${style.bold(shown.join(', '))}${above}  ${path}${by}`);
    if (shown.some((level) => COMPARES_SNAPSHOTS.includes(level))) lines.push('', style.dim(CLOCKS));
    if (restsOnTimestamps(result)) lines.push('', style.dim(TIMESTAMPS));
    const level = story?.level ?? brief?.story.level ?? null;
    for (const telling of await tellings(history, result, level, style)) lines.push('', telling);
    if (story) lines.push('', await tellStory(story, style));
    else if (brief) lines.push('', await tellBriefly(brief, style));
  }
  for (const [reason, levels] of reasonsAt(named('unknown'), result)) {
    if (lines.length > 0) lines.push('');
    lines.push(`${style.yellow('unknown')}    ${style.bold(levels.join(', '))}  ${path}${by}`, `  ${reason}`);
  }
  lines.push(...remarks(result, style));
  return lines.join('\n').trimEnd();
}

/** Whether what was found is that the database's own timestamps are contradicted. */
const restsOnTimestamps = (result: CheckResult): boolean =>
  toldRuns(result).some(({ verdict, supposing }) => verdict.status === 'violated' && supposing !== null);

const TIMESTAMPS =
  '  This takes the timestamps that the database states for facts. Without them the history may satisfy the level: see --checker weave.';

/** What the run did that decided: the time of its stages, and what it counted. */
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

/** The findings of each run; levels of which neither implies the other may be violated by the same one. */
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

/** The levels that compare snapshots with real time, which no client's clock can tell exactly. */
const COMPARES_SNAPSHOTS: readonly LevelName[] = [
  'generalized-snapshot-isolation',
  'strong-session-snapshot-isolation',
  'strong-snapshot-isolation',
];

const CLOCKS = `The generalized and the strong variants of snapshot isolation compare snapshots with real time. If the times are those
of the clients, a snapshot may be younger than its call and a commit older than its return, so network
delays can look like violations; --checker viper --option drift=… allows for them.`;

/** How many anomalies are printed in full. */
const TOLD = 3;
