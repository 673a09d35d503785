/** Checks a history as `isolab check` does. What is found out stays here, for whoever wants to be told of it. */

import { LEVELS, type LevelName, findAnomaly, implies } from '@isolab/contract';
import { countKeys, countOperations, countSessions, countTransactions } from '@isolab/history';
import {
  type Engine,
  type LevelsReport,
  type Prepared,
  type Report,
  checkLevels,
  chooseEngines,
  internalOnly,
  prepare,
  preparePolygraph,
  restsOn,
} from '@isolab/runner';
import { checkerRef } from '../checkers.ts';
import type { LevelVerdict, Opened as OpenedAnswer, Progress, Request, RunRow, Verdicts } from '../protocol.ts';
import { type Opened, openFiles } from './open.ts';
import { count, ms } from './words.ts';

/** A history with its verdicts. */
export interface Checked {
  readonly name: string;
  readonly isPolygraph: boolean;
  readonly prepared: Prepared;
  readonly engineFor: (level: LevelName) => Engine;
  readonly result: LevelsReport;
}

type Say = (answer: Progress | OpenedAnswer | Verdicts) => void;

/** A history that cannot be checked as it is; the message says why, and the advice what to do. */
export class CannotCheck extends Error {
  override readonly name = 'CannotCheck';
  readonly advice: string;

  constructor(message: string, advice: string) {
    super(message);
    this.advice = advice;
  }
}

export async function check(request: Extract<Request, { readonly kind: 'check' }>, say: Say): Promise<Checked> {
  const progress = (doing: string, done = 0, total = 0): void => say({ kind: 'progress', doing, done, total });
  const { files, format, level } = request;
  const name = files.length > 1 ? count(files.length, 'file') : (files[0]?.name ?? '');
  const opened = await openFiles(files, format, (done, total) => progress('Reading', done, total));
  refuseUncheckable(opened);
  progress('Indexing');
  say({ kind: 'opened', name, content: contentOf(opened) });
  const prepared = opened.kind === 'polygraph' ? preparePolygraph(opened.polygraph) : prepare(opened.history);
  const asked = level === 'all' ? LEVELS.map((one) => one.name) : [level];
  const named = request.checker === 'auto' ? null : { checker: checkerRef(request.checker) };
  const engineFor = await chooseEngines(named, async (one) => checkerRef(one), prepared, asked);
  const result = await checkAll(engineFor, prepared, asked, progress);
  const verdicts = verdictsOf(asked, result);
  say(verdicts);
  return { name, isPolygraph: opened.kind === 'polygraph', prepared, engineFor, result };
}

function refuseUncheckable(opened: Opened): void {
  if (opened.kind === 'polygraph') return;
  const unmodelled = opened.history.source.notes['unmodelledOperations'] ?? 0;
  if (unmodelled > 0) {
    throw new CannotCheck(
      `It holds ${count(unmodelled, 'operation')} of a kind that isolab does not model, so that no verdict would mean anything.`,
      'Leave them out of the workload.',
    );
  }
}

function contentOf(opened: Opened): string {
  if (opened.kind === 'polygraph') {
    const { nodes, edges, constraints } = opened.polygraph;
    const parts = [
      count(nodes, 'node'),
      count(edges.length / 2, 'known edge'),
      count(constraints.length / 4, 'constraint'),
    ];
    return `a polygraph: ${parts.join(', ')}`;
  }
  const { history, format } = opened;
  const parts = [
    count(countTransactions(history), 'transaction'),
    count(countOperations(history), 'operation'),
    count(countSessions(history), 'session'),
    count(countKeys(history), 'key'),
  ];
  return `${parts.join(', ')}; read as ${format}`;
}

function checkAll(
  engineFor: (level: LevelName) => Engine,
  prepared: Prepared,
  asked: readonly LevelName[],
  progress: (doing: string, done?: number, total?: number) => void,
): Promise<LevelsReport> {
  let current: LevelName = asked[0]!;
  let runs = 0;
  const tell = (stage: string, done: number, total: number): void => {
    const { name } = engineFor(current).checker.checker.info;
    const after = runs > 0 ? ` (${count(runs, 'run')} done)` : '';
    progress(`Checking ${current} with ${name}: ${stage}${after}`, done, total);
  };
  // A level that nothing checks may still be violated because a weaker one is.
  const isWanted = (one: LevelName): boolean =>
    asked.some((level) => level === one || (engineFor(level).checker === internalOnly && implies(level, one)));
  const lastAsked = (level: LevelName): Engine => {
    current = level;
    return engineFor(level);
  };
  return checkLevels(lastAsked, prepared, {
    levels: LEVELS.map(({ name }) => name).filter(isWanted),
    certify: true,
    onProgress: ({ stage, done, total }) => tell(stage, done, total),
    onReport: () => void runs++,
  });
}

function verdictsOf(asked: readonly LevelName[], result: LevelsReport): Verdicts {
  const { reports, strongest, weakestViolated, evidence } = result;
  const isSatisfied = asked.some((level) => result.levels[level] === 'satisfied');
  const levels = asked.map((level) => verdictAt(level, result));
  const known = levels.filter(({ status, by }) => status !== 'unknown' && by !== null).map(({ level }) => level);
  const first = (wanted: readonly LevelName[]): LevelName | undefined => wanted.find((level) => known.includes(level));
  return {
    kind: 'verdicts',
    levels,
    strongest: strongest.filter((level) => asked.includes(level)),
    weakestViolated: weakestViolated.filter((level) => asked.includes(level)),
    restsOn: isSatisfied && evidence !== null ? restsOn(evidence) : null,
    runs: reports.map(rowOf),
    telling: first(weakestViolated) ?? first(strongest.toSorted(bySettled)) ?? known[0] ?? null,
  };
}

/** The level that implies the most comes first. */
const bySettled = (a: LevelName, b: LevelName): number => numberImplied(b) - numberImplied(a);
const numberImplied = (level: LevelName): number => LEVELS.filter(({ name }) => implies(level, name)).length;

function verdictAt(level: LevelName, { levels, impliedBy, reports, whyUnknown }: LevelsReport): LevelVerdict {
  const by = impliedBy[level] ?? level;
  const report = reports.find((one) => one.level === by) ?? null;
  const status = levels[level] ?? 'unknown';
  return {
    level,
    status,
    by: report === null ? null : by,
    checker: report?.checker ?? null,
    why: status === 'satisfied' ? null : (whyUnknown[level]?.detail ?? whyOf(report)),
  };
}

function whyOf(report: Report | null): string | null {
  if (report === null) return 'No checker took it.';
  const { verdict } = report;
  if (verdict.status === 'unknown') return verdict.detail ?? verdict.reason;
  if (verdict.status === 'satisfied') return null;
  const { name } = verdict.anomalies[0]!;
  return `${name}: ${findAnomaly(name)?.title ?? ''}`;
}

function rowOf({ level, checker, verdict, wallMs, stages, counters, notes }: Report): RunRow {
  const details = [
    ...stages.map((stage) => `${stage.name} ${ms(stage.ms)}`),
    ...Object.entries(counters).map(([name, amount]) => `${name}: ${amount}`),
    ...notes,
  ];
  return { level, checker, status: verdict.status, ms: wallMs, details: details.join(', ') };
}
