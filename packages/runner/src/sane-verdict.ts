import {
  ALL_ANOMALIES,
  type FoundAnomaly,
  INITIAL_TXN,
  type UnknownReason,
  type Verdict,
  findAnomaly,
} from '@isolab/checker';
import { type Measured, measure } from './plain-data.ts';

/** What a checker returned, once looked at: a verdict, with remarks on what had to be left out, or what is wrong. */
export type Inspected = { readonly verdict: Verdict; readonly notes: readonly string[] } | { readonly problem: string };

/** Takes what a checker returned for a verdict on a history of so many transactions, unless it is none. */
export function inspectVerdict(returned: unknown, numTransactions: number): Inspected {
  const problem = whyNoVerdict(returned, numTransactions);
  if (problem !== null) return { problem };
  const measured = measure(returned);
  if (measured.problem !== null) return { problem: `the verdict is not plain data: ${measured.problem}` };
  if (measured.depth <= MAX_DEPTH && measured.size <= MAX_SIZE) return { verdict: returned as Verdict, notes: [] };
  const bare = withoutCertificates(returned as Verdict);
  const rest = measure(bare);
  if (rest.depth > MAX_DEPTH || rest.size > MAX_SIZE) return { problem: `the verdict is ${tooBig(rest)}` };
  return { verdict: bare, notes: [`The certificates are left out: ${tooBig(measured)}.`] };
}

function whyNoVerdict(returned: unknown, numTransactions: number): string | null {
  if (typeof returned !== 'object' || returned === null) {
    return `it returned ${returned === null ? 'null' : typeof returned}, expected a verdict`;
  }
  const { status } = returned as { readonly status?: unknown };
  if (status === 'satisfied') return null;
  if (status === 'unknown') {
    const { reason } = returned as { readonly reason?: unknown };
    if (isUnknownReason(reason)) return null;
    return `its verdict is unknown with the reason ${JSON.stringify(reason)}, expected one of ${UNKNOWN_REASONS.join(', ')}`;
  }
  if (status !== 'violated') {
    return `its verdict has the status ${JSON.stringify(status)}, expected satisfied, violated or unknown`;
  }
  const { anomalies } = returned as { readonly anomalies?: unknown };
  if (!Array.isArray(anomalies) || anomalies.length === 0) return 'its verdict is violated, but names no anomaly';
  for (const [i, anomaly] of anomalies.entries()) {
    const problem = whyNoAnomaly(anomaly, numTransactions);
    if (problem !== null) return `anomaly ${i + 1} of its verdict ${problem}`;
  }
  return null;
}

function whyNoAnomaly(anomaly: unknown, numTransactions: number): string | null {
  if (typeof anomaly !== 'object' || anomaly === null) return 'is no object';
  const { name, transactions } = anomaly as Partial<FoundAnomaly>;
  if (!ALL_ANOMALIES.some((known) => known.name === name)) {
    const meant = typeof name === 'string' ? findAnomaly(name) : null;
    const advice = meant
      ? `write '${meant.name}'`
      : `known names are ${ALL_ANOMALIES.map((known) => known.name).join(', ')}`;
    return `is named ${JSON.stringify(name)}, which is no name of an anomaly: ${advice}`;
  }
  if (!Array.isArray(transactions)) return `(${name}) does not list its transactions`;
  const isTransaction = (t: unknown): boolean =>
    Number.isInteger(t) && (t as number) >= INITIAL_TXN && (t as number) < numTransactions;
  const wrong = transactions.find((t) => !isTransaction(t)) as unknown;
  if (wrong === undefined) return null;
  return `(${name}) names transaction ${String(wrong)}, expected numbers from ${INITIAL_TXN} to ${numTransactions - 1}`;
}

function withoutCertificates(verdict: Verdict): Verdict {
  if (verdict.status === 'satisfied') return { status: 'satisfied' };
  if (verdict.status === 'unknown') return verdict;
  const anomalies = verdict.anomalies.map(({ name, pattern, transactions }) => ({
    name,
    ...(pattern !== undefined && { pattern }),
    transactions,
  }));
  return { status: 'violated', anomalies };
}

const tooBig = ({ depth, size }: Measured): string =>
  depth > MAX_DEPTH
    ? `nested ${depth} deep, at most ${MAX_DEPTH} can be handed over`
    : `${size} values, at most ${MAX_SIZE} can be handed over`;

export const isUnknownReason = (reason: unknown): reason is UnknownReason =>
  (UNKNOWN_REASONS as readonly unknown[]).includes(reason);

const UNKNOWN_REASONS = [
  'timeout',
  'memory',
  'steps',
  'aborted',
  'incomplete',
  'unsupported',
  'crashed',
] as const satisfies readonly UnknownReason[];

/** Neither JSON.stringify nor a structured clone survives much more than twice this. */
const MAX_DEPTH = 1000;
const MAX_SIZE = 1 << 25;
