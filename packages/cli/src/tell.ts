import { fileURLToPath } from 'node:url';
import type { Budget, FoundAnomaly, RunContext } from '@isolab/contract';
import {
  type Judgement,
  type ShrinkOptions,
  type ShrinkResult,
  type Stages,
  explain,
  shrink,
  storyOfOrder,
} from '@isolab/explain';
import { HISTORY_FORMATS, outputToMemory } from '@isolab/formats';
import { type History, countTransactions, shellPath, shellWord, toRegisters, visibleLine } from '@isolab/history';
import { type Engine, type Prepared, type Report, prepare, restsOn, run } from '@isolab/runner';
import { MAX_TRANSACTIONS, type Story } from '@isolab/story';
import { BUILT_IN } from './checkers.ts';
import { type Patience, patiently } from './patience.ts';
import type { Printer } from './print.ts';
import { progressLine } from './progress.ts';

/** What a verdict is told from: the run, and how to run the checker again on parts of the history. */
export interface Told {
  readonly path: string;
  readonly prepared: Prepared;
  readonly engine: Engine;
  readonly report: Report;
  /** What the run and the shrinking after it may spend together. */
  readonly budget?: Budget;
  /** How to shrink. */
  readonly shrinking?: Pick<ShrinkOptions, 'maxChecks' | 'signal' | 'onProgress'>;
  /** With it, Ctrl-C ends the shrinking, with what there is by then, instead of the program. */
  readonly interruptible?: Printer['interruptible'];
  /** Told why, if what is left is perhaps not the smallest part. */
  readonly onStopped?: (why: string) => void;
  /** What was found out about levels, where several were checked. */
  readonly levels?: Story['whole'];
  /** Tells of all transactions, instead of those that are left after shrinking. */
  readonly whole?: boolean;
  /** The options of the call by which the history was read, so that the command to see it again has them, too. */
  readonly reading?: readonly string[];
}

export interface Shrunk extends ShrinkResult {
  /** Why it is perhaps not the smallest part; null if it is minimal. */
  readonly stopped: string | null;
}

/**
 * Makes a violating history as small as it can be, with the checker that found the violation: until the time is over, or
 * somebody presses Ctrl-C, and then with what there is by then.
 */
export async function shrunk(told: Told): Promise<Shrunk> {
  const { path, prepared, engine, report, budget = {}, shrinking = {}, interruptible = null } = told;
  const { level, verdict, wallMs } = report;
  const anomaly = verdict.status === 'violated' ? witnessOf(verdict.anomalies) : null;
  // A lowered history has other numbers than the one that is shrunk.
  const start = report.lowered || anomaly === null ? {} : { anomaly };
  const line = progressLine((checks) => `shrinking ${path}: ${checks} checks; Ctrl-C ends it with what there is`);
  const limits = { budget, interruptible, spentMs: wallMs, lastMs: wallMs, canMove: engine.checker.url !== null };
  const { signal } = shrinking;
  return patiently(limits, async (patience) => {
    const violates = (part: History): Promise<Judgement> => judge(engine, level, part, patience);
    const onProgress = interruptible
      ? ({ checks }: { readonly checks: number }): void => line.show(checks, 0)
      : shrinking.onProgress;
    const either = {
      get aborted() {
        return patience.aborted || signal?.aborted === true;
      },
    };
    try {
      const options = { ...start, ...shrinking, ...(onProgress && { onProgress }), signal: either };
      const result = await shrink(prepared.history, violates, options);
      return { ...result, stopped: result.isMinimal ? null : whyStopped(patience, shrinking, result) };
    } finally {
      line.clear();
    }
  });
}

function whyStopped(
  patience: Patience,
  { signal, maxChecks = Infinity }: Told['shrinking'] & object,
  { checks }: ShrinkResult,
) {
  if (signal?.aborted) return 'it was interrupted';
  return patience.why() ?? (checks >= maxChecks ? `it took ${checks} checks` : 'some parts could not be decided');
}

/** Whether a part violates the level; what is left may hold because there is nothing left that could violate it. */
async function judge(engine: Engine, level: Report['level'], part: History, patience: Patience): Promise<Judgement> {
  return judgementOf(
    await patience.run((options) =>
      run(
        { ...engine, prepared: prepare(part), level },
        { ...options, certify: true, allowVacuous: true, allowCutOff: true },
      ),
    ),
  );
}

export function judgementOf({ verdict }: Report): Judgement {
  if (verdict.status === 'violated') return witnessOf(verdict.anomalies);
  return verdict.status === 'unknown' ? 'unknown' : null;
}

/** The anomaly that says most about itself. */
const witnessOf = (anomalies: readonly FoundAnomaly[]): FoundAnomaly =>
  anomalies.find(({ certificate }) => certificate !== undefined) ?? anomalies[0]!;

/** The story of a violation, shrunk; or of the order that a satisfied history has. Null if there is none to tell. */
export async function storyOf(told: Told): Promise<Story | null> {
  const { path, prepared, report } = told;
  const { level, verdict, checker } = report;
  const origin = { source: visibleLine(path), checker, command: commandOf(told) };
  if (verdict.status === 'satisfied') {
    const { certificate } = verdict;
    if (certificate === undefined || certificate.kind === 'inspection') return null;
    const { history } = toRegisters(prepared.history);
    if (countTransactions(history) > MAX_TRANSACTIONS) return null;
    const { evidence } = report;
    const basis = evidence === null ? {} : { restsOn: `The verdict ${restsOn(evidence)}.` };
    return storyOfOrder(history, level, certificate, {
      origin,
      ...basis,
      ...(await asFile(prepared.history, 'history.jsonl')),
    });
  }
  if (verdict.status === 'unknown') return null;
  if (told.whole) return explainWhole(told, origin);
  const result = await shrunk(told);
  if (result.stopped !== null) told.onStopped?.(result.stopped);
  if (result.anomaly === null) return null;
  // Anomalies and their certificates speak of exchanges as of reads and writes.
  const { history, opOf } = toRegisters(result.history);
  const stages = await stagesOf(told, history);
  return explain(history, level, result.anomaly, {
    whole: { history: prepared.history, txnOf: result.txnOf, opOf: opOf.map((op) => result.opOf[op]!) },
    hiddenBecause: whyHidden(result),
    ...(told.levels && { levels: told.levels }),
    ...(await asFile(result.history, 'shrunk.jsonl')),
    ...(stages && { stages }),
    origin,
  });
}

/** What anyone can paste into a shell to see the verdict again, whatever the file is called. */
function commandOf({ path, engine, report, reading = [] }: Told): string {
  const { url } = engine.checker;
  // What looks for nothing but internal anomalies has no name to be called by.
  const named = Object.hasOwn(BUILT_IN, report.checker) ? report.checker : url === null ? null : fileURLToPath(url);
  const checker = named === null ? [] : ['--checker', named];
  const options = Object.entries(engine.options ?? {}).flatMap(([name, value]) => ['--option', `${name}=${value}`]);
  const variant = report.variant === null ? [] : ['--variant', report.variant];
  const words = ['--level', report.level, ...checker, ...variant, ...options, ...reading];
  return ['isolab check', shellPath(path), ...words.map(shellWord)].join(' ');
}

const whyHidden = ({ stopped }: Shrunk): string =>
  stopped === null
    ? 'without any single one of those shown, the violation goes away'
    : `those shown violate the level by themselves, but perhaps fewer would do (${stopped})`;

async function explainWhole({ prepared, report }: Told, origin: Story['origin'] & object): Promise<Story | null> {
  if (report.verdict.status !== 'violated') return null;
  const { history, opOf } = toRegisters(prepared.history);
  return explain(history, report.level, witnessOf(report.verdict.anomalies), {
    whole: { history: prepared.history, txnOf: Int32Array.from(prepared.history.txnStatus.keys()), opOf },
    everything: true,
    ...(await asFile(prepared.history, 'history.jsonl')),
    origin,
  });
}

/** What PolySI's Interpret says of its own counterexample, at the level that it is about. */
async function stagesOf({ engine, report }: Told, history: History): Promise<Stages | null> {
  const { checker } = engine.checker;
  const isOurs = checker.info.name === 'polysi' && report.level === 'snapshot-isolation';
  if (!isOurs || countTransactions(history) > MOST_INTERPRETED) return null;
  const { interpretViolation } = await import('@isolab/polysi');
  return interpretViolation(prepare(history).inputFor(checker), SILENT);
}

const SILENT: RunContext = {
  certify: false,
  findAll: false,
  stage: () => {},
  count: () => {},
  progress: () => {},
  tick: () => {},
};

/** A history in isolab's own format, as text; none of a history that nobody would copy. */
async function asFile(
  history: History,
  fileName: string,
): Promise<{ historyFile?: { fileName: string; text: string } }> {
  if (countTransactions(history) > MAX_TRANSACTIONS) return {};
  const files = new Map<string, Uint8Array>();
  const writer = await HISTORY_FORMATS.find(({ name }) => name === 'isolab')!.writer!();
  await writer.write(history, outputToMemory(files));
  return { historyFile: { fileName, text: Buffer.from(files.get('')!).toString() } };
}

const MOST_INTERPRETED = 200;
