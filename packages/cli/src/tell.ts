import type { FoundAnomaly } from '@isolab/checker';
import { type ShrinkResult, explain, shrink, storyOfOrder } from '@isolab/explain';
import { HISTORY_FORMATS, outputToMemory } from '@isolab/formats';
import { type History, countTransactions, toRegisters } from '@isolab/history';
import { type Engine, type Prepared, type Report, prepare, run } from '@isolab/runner';
import type { Story } from '@isolab/visualise';
import { progressLine } from './progress.ts';

/** What a verdict is told from: the run, and how to run the checker again on parts of the history. */
export interface Told {
  readonly path: string;
  readonly prepared: Prepared;
  readonly engine: Engine;
  readonly report: Report;
}

/** Makes a violating history as small as it can be, with the checker that found the violation. */
export async function shrunk({ path, prepared, engine, report }: Told): Promise<ShrinkResult> {
  const { level, verdict } = report;
  const anomaly = verdict.status === 'violated' ? witnessOf(verdict.anomalies) : null;
  const line = progressLine((checks) => `shrinking ${path}: ${checks} checks`);
  const violates = async (history: History): Promise<FoundAnomaly | null> => {
    const again = await run({ ...engine, prepared: prepare(history), level }, { certify: true });
    return again.verdict.status === 'violated' ? witnessOf(again.verdict.anomalies) : null;
  };
  // A lowered history has other numbers than the one that is shrunk.
  const start = report.lowered || anomaly === null ? {} : { anomaly };
  try {
    const onProgress = ({ checks }: { readonly checks: number }): void => line.show(checks, 0);
    return await shrink(prepared.history, violates, { ...start, onProgress });
  } finally {
    line.clear();
  }
}

/** The anomaly that says most about itself. */
const witnessOf = (anomalies: readonly FoundAnomaly[]): FoundAnomaly =>
  anomalies.find(({ certificate }) => certificate !== undefined) ?? anomalies[0]!;

/** The story of a violation, shrunk; or of the order that a satisfied history has. Null if there is none to tell. */
export async function storyOf(told: Told): Promise<Story | null> {
  const { path, prepared, report } = told;
  const { level, verdict, checker } = report;
  const origin = { source: path, checker, command: `isolab check ${path} --level ${level} --checker ${checker}` };
  if (verdict.status === 'satisfied') {
    const { certificate } = verdict;
    if (certificate === undefined || certificate.kind === 'inspection') return null;
    const { history } = toRegisters(prepared.history);
    if (countTransactions(history) > MOST_STEPS) return null;
    return storyOfOrder(history, level, certificate, { origin, historyFile: await asFile(prepared.history) });
  }
  if (verdict.status === 'unknown') return null;
  const result = await shrunk(told);
  if (result.anomaly === null) return null;
  // Anomalies and their certificates speak of exchanges as of reads and writes.
  const { history, opOf } = toRegisters(result.history);
  return explain(history, level, result.anomaly, {
    whole: { history: prepared.history, txnOf: result.txnOf, opOf: opOf.map((op) => result.opOf[op]!) },
    ...(result.isMinimal && { hiddenBecause: 'without any single one of those shown, the violation goes away' }),
    historyFile: await asFile(result.history),
    origin,
  });
}

/** A history in isolab's own format, as text. */
async function asFile(history: History): Promise<{ fileName: string; text: string }> {
  const files = new Map<string, Uint8Array>();
  const writer = await HISTORY_FORMATS.find(({ name }) => name === 'isolab')!.writer!();
  await writer.write(history, outputToMemory(files));
  return { fileName: 'shrunk.jsonl', text: Buffer.from(files.get('')!).toString() };
}

/** More steps than anybody looks at. */
const MOST_STEPS = 200;
