/** Tells a verdict: the violation by the smallest part of the history that shows it, or an order that explains it. */

import { type FoundAnomaly, type LevelName, certificateFile } from '@isolab/contract';
import { type Judgement, type ShrinkResult, explain, shrink, storyOfOrder } from '@isolab/explain';
import { HISTORY_FORMATS, outputToMemory } from '@isolab/formats';
import { type History, countOperations, countTransactions, toRegisters } from '@isolab/history';
import { type Report, prepare, restsOn, run } from '@isolab/runner';
import { type Story, TooLargeError, storyMarkdown, viewHtml } from '@isolab/story';
import type { Progress, SavedFile, Told } from '../protocol.ts';
import type { Checked } from './check.ts';
import { count } from './words.ts';

type Say = (progress: Progress) => void;

export async function tell(checked: Checked, level: LevelName, say: Say): Promise<Told> {
  const { impliedBy, reports } = checked.result;
  const report = reports.find((one) => one.level === (impliedBy[level] ?? level));
  if (report === undefined) throw new RangeError(`${level} was not checked.`);
  const certificate = certificateOf(checked, report);
  const without = (note: string): Told => ({
    kind: 'told',
    level,
    page: null,
    markdown: null,
    note,
    history: null,
    certificate,
  });
  const { story, note, history } = await storyOf(checked, report, say);
  if (story === null) return without(note);
  try {
    const page = viewHtml(story);
    return { kind: 'told', level, page, markdown: storyMarkdown(story), note, history, certificate };
  } catch (error) {
    if (error instanceof TooLargeError) return { ...without(`Not drawn: ${error.message}.`), history };
    throw error;
  }
}

interface Telling {
  readonly story: Story | null;
  readonly note: string;
  readonly history: SavedFile | null;
}

const untold = (note: string): Telling => ({ story: null, note, history: null });

async function storyOf(checked: Checked, report: Report, say: Say): Promise<Telling> {
  const { prepared, isPolygraph, name } = checked;
  const { verdict, level, checker } = report;
  const origin = { source: name, checker };
  if (isPolygraph) return untold('A polygraph has no operations that could be told of.');
  if (verdict.status === 'unknown') return untold('There is no verdict to tell of.');
  if (verdict.status === 'satisfied') {
    const { certificate } = verdict;
    if (certificate === undefined || certificate.kind === 'inspection')
      return untold('Nothing in the history speaks against it; there is no single order to show.');
    const { history } = toRegisters(prepared.history);
    const size = countTransactions(history);
    if (size > MOST_STEPS)
      return untold(
        `An order explains it, of ${count(size, 'transaction')}; up to ${MOST_STEPS} are shown step by step.`,
      );
    const historyFile = await asFile('history.jsonl', prepared.history);
    const basis = report.evidence === null ? {} : { restsOn: `The verdict ${restsOn(report.evidence)}.` };
    const story = storyOfOrder(history, level, certificate, { origin, historyFile, ...basis });
    return { story, note: 'An order that explains every read, step by step.', history: historyFile };
  }
  const shrunk = await shrinkWith(checked, report, say);
  const history = await asFile('shrunk.jsonl', shrunk.history);
  if (shrunk.anomaly === null) return { ...untold('The checker names no anomaly in what is left.'), history };
  // Anomalies and their certificates speak of exchanges as of reads and writes.
  const { history: registers, opOf } = toRegisters(shrunk.history);
  const { strongest, weakestViolated, levels } = checked.result;
  const several = Object.keys(levels).length > 1;
  const story = explain(registers, level, shrunk.anomaly, {
    whole: { history: prepared.history, txnOf: shrunk.txnOf, opOf: opOf.map((op) => shrunk.opOf[op]!) },
    ...(shrunk.isMinimal && { hiddenBecause: 'without any single one of those shown, the violation goes away' }),
    ...(several && { levels: { violates: weakestViolated, satisfies: strongest } }),
    historyFile: history,
    origin,
  });
  return { story, note: howSmall(prepared.history, shrunk), history };
}

/** Makes a violating history as small as it can be, with the checker that found the violation. */
async function shrinkWith({ prepared, engineFor }: Checked, report: Report, say: Say): Promise<ShrinkResult> {
  const { level, verdict, lowered } = report;
  const engine = engineFor(level);
  const anomaly = verdict.status === 'violated' ? plainest(verdict.anomalies) : null;
  const violates = async (history: History): Promise<Judgement> => {
    const again = await run(
      { ...engine, prepared: prepare(history), level },
      { certify: true, allowVacuous: true, allowCutOff: true },
    );
    if (again.verdict.status === 'violated') return plainest(again.verdict.anomalies);
    return again.verdict.status === 'unknown' ? 'unknown' : null;
  };
  return shrink(prepared.history, violates, {
    // A lowered history has other numbers than the one that is shrunk.
    ...(!lowered && anomaly !== null && { anomaly }),
    onProgress: ({ transactions, checks }) =>
      say({
        kind: 'progress',
        doing: `Shrinking: ${count(transactions, 'transaction')} left, ${count(checks, 'check')}`,
        done: 0,
        total: 0,
      }),
  });
}

/** The anomaly that says most about itself. */
const plainest = (anomalies: readonly FoundAnomaly[]): FoundAnomaly =>
  anomalies.find(({ certificate }) => certificate !== undefined) ?? anomalies[0]!;

function howSmall(whole: History, { history, checks, isMinimal }: ShrinkResult): string {
  const part = `${count(countTransactions(history), 'transaction')} of ${countTransactions(whole)}, ${count(countOperations(history), 'operation')} of ${countOperations(whole)}`;
  const minimal = isMinimal ? 'without any single one of them the violation goes away' : 'not known to be minimal';
  return `Told by ${part}: ${minimal} (${count(checks, 'check')}).`;
}

/** A history in isolab's own format. */
async function asFile(fileName: string, history: History): Promise<SavedFile> {
  const files = new Map<string, Uint8Array>();
  const writer = await HISTORY_FORMATS.find(({ name }) => name === 'isolab')!.writer!();
  await writer.write(history, outputToMemory(files));
  return { fileName, text: new TextDecoder().decode(files.get('')) };
}

/** The evidence for the verdict on the history as it was given, as `isolab verify` reads it. */
function certificateOf({ prepared, isPolygraph }: Checked, { level, checker, verdict }: Report): SavedFile | null {
  if (verdict.status === 'unknown' || isPolygraph) return null;
  const certificate = verdict.status === 'satisfied' ? verdict.certificate : plainest(verdict.anomalies).certificate;
  if (certificate === undefined) return null;
  const file = certificateFile(prepared.history, { level, checker, verdict: verdict.status, certificate });
  return { fileName: 'certificate.json', text: `${JSON.stringify(file, withIntegers)}\n` };
}

/** An integer that JavaScript's numbers cannot hold becomes its digits. */
function withIntegers(_: string, value: unknown): unknown {
  if (typeof value !== 'bigint') return value;
  return value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER ? Number(value) : String(value);
}

/** More steps than anybody looks at. */
const MOST_STEPS = 200;
