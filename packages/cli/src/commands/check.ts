import {
  INTERNAL_ANOMALY_NAMES,
  LEVELS,
  type Level,
  type LevelName,
  findLevel,
  implies,
  levelsForbidding,
} from '@isolab/checker';
import {
  type History,
  type InternalAnomalies,
  type InternalAnomaly,
  buildReadFrom,
  countKeys,
  countOperations,
  countSessions,
  countTransactions,
  findInternalAnomalies,
  nameTransaction,
  transactionOf,
} from '@isolab/history';
import process from 'node:process';
import { ExitCode, UsageError } from '../exit.ts';
import { type InputFlags, openDocument } from '../open.ts';
import { type Printer, count, toJson } from '../print.ts';
import { tellStory } from '../story.ts';

export interface CheckFlags extends InputFlags {
  readonly level: string;
  readonly output: string;
  readonly allowEmpty?: boolean;
}

type Status = 'satisfied' | 'violated' | 'unknown';

/**
 * `isolab check`. So far it knows the internal anomalies, which violate a level whatever else the history holds; where
 * there are none, the verdict is unknown.
 */
export async function check(paths: readonly string[], flags: CheckFlags, printer: Printer): Promise<number> {
  if (flags.output !== 'text' && flags.output !== 'json')
    throw new UsageError(`--output is text or json, not ${flags.output}.`);
  const levels = levelsAsked(flags.level, printer);
  let worst: number = ExitCode.Satisfied;
  for (const path of paths) worst = worseOf(worst, await checkOne(path, levels, flags, printer));
  return worst;
}

function levelsAsked(word: string, printer: Printer): readonly Level[] {
  if (word === 'all') return LEVELS;
  const found = findLevel(word);
  if (!found) throw new UsageError(`There is no level ${word}; isolab levels lists them.`);
  if (found.warning) printer.note(`${word}: ${found.warning}`);
  return [found.level];
}

async function checkOne(path: string, levels: readonly Level[], flags: CheckFlags, printer: Printer): Promise<number> {
  const clock = new StageClock();
  const document = await openDocument(path, flags);
  clock.finish('parse');
  if (document.kind === 'polygraph')
    throw new UsageError(`${path} is a polygraph, and no checker that takes polygraphs is installed yet.`);
  const { history } = document;
  if (countOperations(history) === 0 && !flags.allowEmpty) {
    throw new UsageError(
      `${path} holds no operation, so that every level would hold; --allow-empty checks it all the same.`,
    );
  }
  const index = buildReadFrom(history);
  clock.finish('index');
  const anomalies = findInternalAnomalies(history, index);
  clock.finish('internal-anomalies');

  const verdicts = levels.map(({ name }) => ({ name, status: verdictOf(anomalies, name) }));
  const overall: Status = verdicts.some(({ status }) => status === 'violated') ? 'violated' : 'unknown';
  const reason = overall === 'unknown' ? NO_CHECKER : null;
  if (flags.output === 'json') {
    printer.out(toJson(report(history, levels, verdicts, overall, reason, anomalies, clock)));
  } else {
    printer.out(tell(path, history, verdicts, overall, anomalies, printer));
  }
  return overall === 'violated' ? ExitCode.Violated : ExitCode.Unknown;
}

function verdictOf({ counts }: InternalAnomalies, level: LevelName): Status {
  for (const [anomaly, n] of Object.entries(counts) as [InternalAnomaly['name'], number][]) {
    if (n > 0 && levelsForbidding(anomaly).includes(level)) return 'violated';
  }
  return 'unknown';
}

interface LevelVerdict {
  readonly name: LevelName;
  readonly status: Status;
}

function report(
  history: History,
  levels: readonly Level[],
  verdicts: readonly LevelVerdict[],
  overall: Status,
  reason: string | null,
  anomalies: InternalAnomalies,
  clock: StageClock,
): object {
  return {
    verdict: overall,
    level: levels.length === 1 ? levels[0]!.name : 'all',
    ...(levels.length > 1 && {
      levels: Object.fromEntries(verdicts.map(({ name, status }) => [name, status])),
      strongest: [],
      weakestViolated: weakestViolated(verdicts),
    }),
    checker: null,
    variant: null,
    history: {
      sessions: countSessions(history),
      transactions: countTransactions(history),
      operations: countOperations(history),
      keys: countKeys(history),
    },
    stages: clock.stages,
    counters: anomalies.counts,
    wallMs: clock.totalMs(),
    peakRssBytes: process.resourceUsage().maxRSS * 1024,
    anomalies: first(anomalies, LISTED).map(({ name, read, other }) => ({
      name: INTERNAL_ANOMALY_NAMES[name].name,
      aliases: INTERNAL_ANOMALY_NAMES[name].aliases,
      transactions: transactionsOf(history, read, other),
    })),
    reason,
  };
}

const transactionsOf = (history: History, ...ops: readonly number[]): string[] => [
  ...new Set(ops.filter((op) => op >= 0).map((op) => nameTransaction(history, transactionOf(history, op)))),
];

/** Violated levels that imply no other violated level. */
function weakestViolated(verdicts: readonly LevelVerdict[]): LevelName[] {
  const violated = verdicts.filter(({ status }) => status === 'violated').map(({ name }) => name);
  return violated.filter((name) => !violated.some((weaker) => weaker !== name && implies(name, weaker)));
}

function tell(
  path: string,
  history: History,
  verdicts: readonly LevelVerdict[],
  overall: Status,
  anomalies: InternalAnomalies,
  { style }: Printer,
): string {
  const violated = verdicts.filter(({ status }) => status === 'violated').map(({ name }) => name);
  const unknown = verdicts.filter(({ status }) => status === 'unknown').map(({ name }) => name);
  const lines: string[] = [];
  if (overall === 'violated') {
    const named = verdicts.length === 1 ? violated : weakestViolated(verdicts);
    lines.push(
      `${style.red('violated')}  ${style.bold(named.join(', '))}${verdicts.length > 1 ? ' and every level above' : ''}  ${path}`,
      '',
    );
    for (const anomaly of first(anomalies, TOLD)) lines.push(tellStory(history, anomaly, style), '');
    if (anomalies.count > TOLD)
      lines.push(`… and ${count(anomalies.count - TOLD, 'more internal anomaly', 'more internal anomalies')}.`, '');
  }
  if (unknown.length > 0)
    lines.push(`${style.yellow('unknown')}   ${style.bold(unknown.join(', '))}  ${path}`, `  ${NO_CHECKER}`);
  return lines.join('\n').trimEnd();
}

const first = (anomalies: InternalAnomalies, most: number): InternalAnomaly[] =>
  Array.from({ length: Math.min(anomalies.count, most) }, (_, i) => anomalies.at(i));

/** The exit code that says more: failed before violated before unknown before satisfied. */
function worseOf(a: number, b: number): number {
  const order: readonly number[] = [ExitCode.Satisfied, ExitCode.Unknown, ExitCode.Violated, ExitCode.Failed];
  return order.indexOf(a) > order.indexOf(b) ? a : b;
}

class StageClock {
  readonly stages: { name: string; ms: number }[] = [];
  readonly #begin = performance.now();
  #stageBegin = this.#begin;

  finish(name: string): void {
    const now = performance.now();
    this.stages.push({ name, ms: round(now - this.#stageBegin) });
    this.#stageBegin = now;
  }

  totalMs(): number {
    return round(performance.now() - this.#begin);
  }
}

const round = (ms: number): number => Math.round(ms * 1000) / 1000;

const NO_CHECKER =
  'No internal anomaly was found, and no checker for this level is installed yet, so that nothing more can be said.';
/** How many anomalies are told in full, and how many JSON lists. */
const TOLD = 3;
const LISTED = 1000;
