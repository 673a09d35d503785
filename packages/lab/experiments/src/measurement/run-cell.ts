/** Runs one cell: a checker of isolab in its own process, or an outside tool. */
import { INITIAL_TXN, evidenceOf } from '@isolab/contract';
import { type History, TxnStatus } from '@isolab/history';
import { basename } from 'node:path';
import { ALL_ALLOWED, polygraphOrderProblem, verifyEvidence } from '@isolab/verifier';
import {
  type CheckerRef,
  type RunPlace,
  type Prepared,
  type Progress,
  type Report,
  run,
  totalMs,
} from '@isolab/runner';
import type { ResultRow } from './row-shape.ts';
import type { Series } from '../experiment/experiment.ts';

/** Measurements of a cell; the other fields of a row identify the cell. */
export type Measured = Pick<
  ResultRow,
  | 'verdict'
  | 'reason'
  | 'wallMs'
  | 'fromFileMs'
  | 'prepareMs'
  | 'cpuMs'
  | 'peakRssBytes'
  | 'idleRssBytes'
  | 'stages'
  | 'counters'
  | 'certificate'
  | 'each'
>;

export interface Limits {
  readonly seconds: number;
  readonly megabytes: number;
}

export interface RunCellOptions {
  readonly limits: Limits;
  /** Requests a certificate and verifies it. */
  readonly verify: boolean;
  /** Defaults to its own process. */
  readonly place?: RunPlace;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

export const skipped = (reason: string): Measured => ({
  verdict: 'skipped',
  reason,
  wallMs: null,
  cpuMs: null,
  peakRssBytes: null,
  stages: [],
  counters: {},
  certificate: 'none',
});

export async function runChecker(
  checker: CheckerRef,
  series: Series,
  level: string,
  prepared: Prepared,
  { limits, verify, place = 'process', signal, onProgress }: RunCellOptions,
): Promise<Measured & { readonly history: Report['history'] }> {
  const report = await run(
    {
      checker,
      prepared,
      level: level as Report['level'],
      ...(series.variant !== undefined && { variant: series.variant }),
      ...(series.options !== undefined && { options: series.options }),
    },
    {
      place,
      // The memory of this process is not only the checker's.
      budget: {
        timeMs: limits.seconds * 1000,
        ...(place === 'process' && { memoryBytes: limits.megabytes * 1e6 }),
      },
      certify: verify,
      // Histories that cannot violate the level take time to check, too: some figures measure them.
      allowVacuous: true,
      findAll: series.findAll === true,
      ...(signal && { signal }),
      ...(onProgress && { onProgress }),
    },
  );
  const { verdict, supposing } = report;
  // A refused run took no time, which would look fast.
  const ran = verdict.status !== 'unknown' || verdict.reason !== 'unsupported';
  return {
    verdict: verdict.status,
    reason: verdict.status === 'unknown' ? withoutFolders(reasonOf(verdict), prepared.history) : supposing,
    wallMs: ran ? round(report.wallMs) : null,
    cpuMs: ran ? round(report.cpuMs) : null,
    peakRssBytes: place === 'process' ? report.peakRssBytes : null,
    prepareMs: round(totalMs(prepared.clock.stages)),
    stages: report.stages.map(({ name, ms }) => ({ name, ms: round(ms) })),
    counters: {
      ...report.counters,
      ...(series.findAll === true && anomaliesIn(verdict)),
      ...positionIn(prepared.history, verdict),
    },
    certificate: verify ? certificateOf(report, prepared, checker) : 'not asked',
    history: report.history,
  };
}

/** Number of reported anomalies, in total and by pattern. */
function anomaliesIn(verdict: Report['verdict']): Readonly<Record<string, number>> {
  if (verdict.status === 'unknown') return {};
  const anomalies = verdict.status === 'violated' ? verdict.anomalies : [];
  const counts: Record<string, number> = { anomalies: anomalies.length };
  for (const { pattern, name } of anomalies) counts[pattern ?? name] = (counts[pattern ?? name] ?? 0) + 1;
  return counts;
}

/** Position of the first reported anomaly: the place of its first transaction among the committed transactions. */
function positionIn(history: History, verdict: Report['verdict']): Readonly<Record<string, number>> {
  if (verdict.status !== 'violated') return {};
  const { txnBegin, txnPosition, txnStatus, source } = history;
  if (txnBegin === null && source.files.length > 1) return {}; // transactions of different session files have no order
  const when = txnBegin ?? txnPosition;
  const involved = verdict.anomalies[0]!.transactions.filter((txn) => txn !== INITIAL_TXN).map((txn) => when[txn]!);
  if (involved.length === 0) return {};
  const first = involved.reduce((least, one) => (one < least ? one : least));
  let position = 1;
  for (const [txn, status] of txnStatus.entries()) if (status === TxnStatus.Committed && when[txn]! < first) position++;
  return { 'counterexample.position': position };
}

/** Removes folder names from a text: results are published, and the folders of this machine are private. */
const withoutFolders = (text: string, { source }: History): string =>
  source.files.reduce((shorter, file) => shorter.replaceAll(file, basename(file)), text);

function reasonOf({ reason, detail }: { readonly reason: string; readonly detail?: string }): string {
  return detail === undefined || detail === reason || reason === 'timeout' || reason === 'memory'
    ? reason
    : `${reason}: ${detail}`;
}

function certificateOf(
  { verdict, level }: Report,
  prepared: Prepared,
  { checker }: CheckerRef,
): Measured['certificate'] {
  if (verdict.status === 'unknown') return 'none';
  const { certificate, passedOver } = evidenceOf(verdict) ?? {};
  if (certificate === undefined) return 'none';
  const input = prepared.inputFor(checker);
  if (input.kind === 'polygraph')
    return certificate.kind === 'commit-order' && polygraphOrderProblem(input.polygraph, certificate.order) === null
      ? 'verified'
      : 'rejected';
  const evidence = { certificate, passedOver };
  const history = input.kind === 'scans' ? input.withScans : input.history;
  return verifyEvidence(history, level, verdict.status, evidence, ALL_ALLOWED).ok ? 'verified' : 'rejected';
}

const round = (ms: number): number => Math.round(ms * 1000) / 1000;
