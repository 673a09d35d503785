import { type FoundAnomaly, INITIAL_TXN, LEVELS, type LevelName, findAnomaly } from '@isolab/contract';
import { type History, nameAtom, nameTransaction } from '@isolab/history';
import { type LevelsReport, restsOn } from '@isolab/runner';
import type { Story } from '@isolab/story';
import type { Findings } from './find-all.ts';
import {
  cutOffNote,
  decidingReport,
  isUnverified,
  numbered,
  reasonAt,
  uncertifiedOf,
  violatedReports,
  warningsOf,
} from './verdict.ts';

export interface VerdictParts {
  readonly path: string;
  readonly asked: readonly LevelName[];
  readonly result: LevelsReport;
  readonly findings: ReadonlyMap<LevelName, Findings>;
  readonly story: Story | null;
  readonly parse: { readonly name: string; readonly ms: number };
  /** Whether the smallest part was asked for. */
  readonly isShrunk: boolean;
}

/** A verdict as one JSON object. */
export function asJson(
  history: History,
  { path, asked, result, findings: all, story, parse, isShrunk }: VerdictParts,
): object {
  const report = decidingReport(asked, result);
  const statuses = asked.map((level) => result.levels[level] ?? 'unknown');
  const unknown = asked.filter((_, i) => statuses[i] === 'unknown');
  const overall = statuses.includes('violated') ? 'violated' : statuses.includes('unknown') ? 'unknown' : 'satisfied';
  const shown = report === null ? history : numbered(history);
  const told = asked.length > 1 ? violatedReports(result) : report ? [report] : [];
  const found = told.flatMap(({ level, verdict }) =>
    verdict.status === 'violated' ? (all.get(level)?.anomalies ?? verdict.anomalies) : [],
  );
  return {
    path,
    verdict: overall,
    level: asked.length === LEVELS.length ? 'all' : asked.join(','),
    ...(asked.length > 1 && {
      levels: result.levels,
      strongest: result.strongest,
      weakestViolated: result.weakestViolated,
    }),
    checker: report?.checker ?? null,
    variant: report?.variant ?? null,
    proof: report?.proof ?? null,
    unverified: asked.filter((level) => isUnverified(result, level)),
    history: report?.history ?? null,
    stages: [parse, ...(report?.stages.map(({ name, ms }) => ({ name, ms: round(ms) })) ?? [])],
    counters: report?.counters ?? {},
    wallMs: round(parse.ms + result.reports.reduce((sum, { wallMs }) => sum + wallMs, 0)),
    peakRssBytes: report?.peakRssBytes ?? null,
    cutOff: cutOffNote(history),
    evidence: result.evidence,
    restsOn: result.evidence && restsOn(result.evidence),
    anomalies: found.slice(0, LISTED).map((anomaly) => anomalyOf(shown, anomaly)),
    ...(all.size > 0 && {
      kinds: [...all].flatMap(([level, { kinds }]) =>
        kinds.map(({ name, count, example }) => ({
          level,
          name,
          aliases: findAnomaly(name)?.aliases ?? [],
          count,
          example: anomalyOf(shown, example).transactions,
        })),
      ),
      complete: [...all.values()].every(({ isComplete }) => isComplete),
    }),
    ...(isShrunk && story?.verdict === 'violated' && { shrunk: shrunkOf(story) }),
    uncertified: uncertifiedOf(result),
    warnings: warningsOf(result),
    reason: overall === 'unknown' ? reasonAt(unknown[0]!, result) : null,
    // By level, with a word that programs can rely on.
    unknown: Object.fromEntries(
      unknown.map((level) => [
        level,
        { reason: result.whyUnknown[level]?.reason ?? 'incomplete', detail: reasonAt(level, result) },
      ]),
    ),
  };
}

const anomalyOf = (history: History, { name, pattern, transactions }: FoundAnomaly) => ({
  name,
  aliases: findAnomaly(name)?.aliases ?? [],
  ...(pattern !== undefined && { pattern }),
  transactions: transactions.map((t) => nameOf(history, t)),
  sessions: transactions.map((t) =>
    t === INITIAL_TXN ? null : nameAtom(history.sessionNames, history.txnSession[t]!),
  ),
});

const shrunkOf = ({ anomaly, summary, isPart = false, whole, ruledOut, leftStanding, prose, copies }: Story) => ({
  name: anomaly?.name ?? null,
  aliases: anomaly?.aliases ?? [],
  summary,
  isPart,
  ruledOut,
  leftStanding,
  whole: whole ?? null,
  explanation: prose.map(({ text }) => text),
  history: copies?.notation ?? null,
});

const nameOf = (history: History, t: number): string =>
  t === INITIAL_TXN ? 'the initial transaction' : nameTransaction(history, t);

export const round = (ms: number): number => Math.round(ms * 1000) / 1000;

/** How many anomalies are listed. */
const LISTED = 1000;
