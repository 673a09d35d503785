import type { CommitOrderCertificate, EventOrderCertificate, RunContext, Stages, Verdict } from '@isolab/contract';
import { explain, storyOfOrder, storyWithoutOrder } from '@isolab/explain';
import { HISTORY_FORMATS, outputToMemory } from '@isolab/formats';
import {
  type History,
  type IdColumn,
  type TransactionId,
  countTransactions,
  registersOf,
  shellPath,
  shellWord,
  toRegisters,
  visibleLine,
  withoutHiddenColumns,
} from '@isolab/history';
import { type Report, prepare, restsOn } from '@isolab/runner';
import { MAX_TRANSACTIONS, type Story } from '@isolab/story';
import { engineOf } from './again.ts';
import { checkedOf } from './checked.ts';
import { knownChecker } from './checkers.ts';
import { simplestOf } from './simplest.ts';
import { type Subject, historyOf } from './open.ts';
import type { CheckResult } from './result.ts';
import { withClock } from './story-clock.ts';
import { namedAnomaly } from './story-named.ts';
import { type ShrinkOptions, type Shrunk, runToTell, shrink } from './shrink.ts';

export interface StoryOptions extends ShrinkOptions {
  /** Whether to explain the whole history instead of the smallest part that violates the level. */
  readonly whole?: boolean;
  /**
   * Additional words of the command that repeats the check, such as options for reading the file; null for no command.
   */
  readonly commandWords?: readonly string[] | null;
  /** Called with the remaining history. */
  readonly onShrunk?: (shrunk: Shrunk) => void;
}

/**
 * Returns the shrunk story of a violation, or the story of the order that explains a satisfied history, for `drawSvg`,
 * `drawDot`, `viewHtml` and `storyMarkdown`. If no order can be shown, the story has no transactions and states the
 * reason. Returns null if the verdict is unknown or about a polygraph.
 */
export async function story(subject: Subject, result: CheckResult, options: StoryOptions = {}): Promise<Story | null> {
  const told = await storyOf(subject, result, options);
  return told && result.answer ? { ...told, answer: result.answer } : told;
}

async function storyOf(subject: Subject, result: CheckResult, options: StoryOptions): Promise<Story | null> {
  const run = runToTell(result, options.level);
  if (run === null || run.verdict.status === 'unknown') return null;
  if ('kind' in subject && subject.kind === 'polygraph') return null;
  const history = historyOf(subject);
  const { commandWords = [] } = options;
  const origin = {
    source: visibleLine(result.path),
    checker: run.checker,
    ...(commandWords && { command: commandOf(result, run, commandWords) }),
  };
  if (run.verdict.status === 'satisfied')
    return withClock(await storyOfSatisfied(history, result, run, origin), history);
  if (options.whole) return withClock(await wholeStory(history, run, origin), history);
  return shrunkStory(subject, history, result, run, origin, options);
}

type Origin = Story['origin'] & object;

async function storyOfSatisfied(whole: History, result: CheckResult, run: Report, origin: Origin): Promise<Story> {
  const { level, evidence, verdict } = run;
  const told = {
    origin,
    checked: checkedOf(whole, result),
    ...(evidence && { restsOn: `The verdict ${restsOn(evidence)}.` }),
  };
  const order = orderIn(whole, verdict);
  if (typeof order === 'string') return storyWithoutOrder(level, order, told);
  const { history, opOf } = toRegisters(whole);
  return storyOfOrder(history, level, order, {
    ...told,
    whole: { history: whole, txnOf: Int32Array.from(whole.txnStatus.keys()) as IdColumn<TransactionId>, opOf },
    ...(await asFile(whole, 'history.jsonl')),
  });
}

/** Returns the order that shows why a level holds, or the reason why there is none to show. */
function orderIn(whole: History, verdict: Verdict): CommitOrderCertificate | EventOrderCertificate | string {
  const certificate = verdict.status === 'satisfied' ? verdict.certificate : undefined;
  if (certificate === undefined) return 'The checker gives no evidence that can be shown.';
  switch (certificate.kind) {
    case 'inspection':
      return 'Each transaction was inspected by itself: this level needs no order of transactions.';
    case 'version-orders':
      return 'The evidence is an order of the versions of each key, not a single order of transactions that could be drawn.';
    case 'each-key':
      return 'The evidence is an order for each key by itself, not a single order of transactions that could be drawn.';
  }
  const size = countTransactions(whole);
  return size <= MAX_TRANSACTIONS
    ? certificate
    : `The order that explains every read has ${size.toLocaleString('en')} transactions. A page draws at most ${MAX_TRANSACTIONS.toLocaleString('en')}; “isolab check --certificate FILE” writes the order to a file, and “isolab verify” verifies it.`;
}

async function wholeStory(whole: History, { level, verdict }: Report, origin: Origin): Promise<Story | null> {
  if (verdict.status !== 'violated') return null;
  const witness = simplestOf(verdict.anomalies);
  const { history, opOf } = registersOf(whole, witness);
  return explain(history, level, witness, {
    whole: { history: whole, txnOf: Int32Array.from(whole.txnStatus.keys()) as IdColumn<TransactionId>, opOf },
    everything: true,
    ...(await asFile(whole, 'history.jsonl')),
    origin,
  });
}

async function shrunkStory(
  subject: Subject,
  whole: History,
  result: CheckResult,
  run: Report,
  origin: Origin,
  options: StoryOptions,
): Promise<Story | null> {
  const shrunk = await shrink(subject, result, options);
  options.onShrunk?.(shrunk);
  if (shrunk.anomaly === null) return null;
  // Anomalies and their certificates treat exchanges as reads and writes.
  const { history, opOf } = toRegisters(shrunk.reads);
  const stages = await stagesOf(history, result, run, options);
  const named = await namedAnomaly(history, run.level, shrunk.anomaly);
  const told = explain(history, run.level, shrunk.anomaly, {
    ...(named && { named }),
    whole: { history: whole, txnOf: shrunk.txnOf, opOf: opOf.map((op) => shrunk.opOf[op]!) },
    hiddenBecause: whyHidden(shrunk),
    ...(await asFile(shrunk.history, 'shrunk.jsonl')),
    ...(stages && { stages }),
    origin,
  });
  return withClock(told, history);
}

/** Returns a shell command that repeats the check, for any file name. */
function commandOf(result: CheckResult, run: Report, more: readonly string[]): string {
  // A checker that looks only for internal anomalies has no name on the command line.
  const named = knownChecker(run.checker)?.name ?? (run.plugin === null ? null : pathOf(run.plugin));
  const options = Object.entries(result.options).flatMap(([name, value]) => ['--option', `${name}=${value}`]);
  const checker = named === null ? [] : ['--checker', run.variant === null ? named : `${named}:${run.variant}`];
  const words = ['--level', run.level, ...checker, ...options, ...more];
  return ['isolab check', shellPath(result.path), ...words.map(shellWord)].join(' ');
}

const pathOf = (url: string): string => decodeURIComponent(new URL(url).pathname);

const whyHidden = ({ stopped }: Shrunk): string =>
  stopped === null
    ? 'the violation disappears if any transaction or operation shown is removed'
    : `the transactions shown violate the level by themselves, but fewer may suffice (${stopped})`;

/** Returns the stages of the checker's own explanation, if any; the code of a plug-in does not run in this thread. */
async function stagesOf(
  history: History,
  result: CheckResult,
  run: Report,
  options: StoryOptions,
): Promise<Stages | null> {
  const { checker } = (await engineOf(run, result, options)).checker;
  if (checker.interpret === undefined || countTransactions(history) > MOST_INTERPRETED) return null;
  return checker.interpret(prepare(history).inputFor(checker), run.level, SILENT);
}

const SILENT: RunContext = {
  certify: false,
  findAll: false,
  stage: () => {},
  count: () => {},
  progress: () => {},
  tick: () => {},
};

/**
 * Returns a history as text in isolab's own format, or nothing if the history is too long to copy or if versions differ
 * only in columns that no client saw.
 */
async function asFile(whole: History, fileName: string): Promise<{ historyFile?: { fileName: string; text: string } }> {
  if (countTransactions(whole) > MAX_TRANSACTIONS) return {};
  const history = withoutHiddenColumns(whole);
  if (history === null) return {};
  const files = new Map<string, Uint8Array>();
  const writer = await HISTORY_FORMATS.find(({ name }) => name === 'isolab')!.writer!();
  await writer.write(history, outputToMemory(files));
  return { historyFile: { fileName, text: new TextDecoder().decode(files.get('')) } };
}

const MOST_INTERPRETED = 200;
