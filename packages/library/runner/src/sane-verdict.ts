import {
  ALL_ANOMALIES,
  CLAIM_ANOMALIES,
  type CheckInput,
  type CheckerReason,
  type CheckerVerdict,
  type FoundAnomaly,
  INITIAL_TXN,
  UNCERTIFIED,
  certificateOf,
  findAnomaly,
} from '@isolab/contract';
import type { InputData } from './input-data.ts';
import { shortened } from './outcome.ts';
import { type Measured, measure } from './plain-data.ts';

/** Result of inspecting a checker's return value: a verdict with remarks on dropped parts, or the problem. */
export type Inspected =
  | { readonly verdict: CheckerVerdict; readonly notes: readonly string[] }
  | { readonly problem: string };

/** Number of transactions that a verdict may name. For a polygraph, the number of its nodes. */
export const numTransactionsOf = (input: CheckInput | InputData): number =>
  input.kind === 'polygraph' ? input.polygraph.nodes : input.history.txnStatus.length;

/** Checks that the return value of a checker is a verdict on a history of `numTransactions` transactions. */
export function inspectVerdict(returned: unknown, numTransactions: number): Inspected {
  try {
    return inspect(returned, numTransactions);
  } catch (error) {
    // Thrown by a getter or a proxy of the checker.
    return { problem: `its verdict cannot be read: ${error instanceof Error ? error.message : String(error)}` };
  }
}

function inspect(returned: unknown, numTransactions: number): Inspected {
  const problem = whyNoVerdict(returned, numTransactions);
  if (problem !== null) return { problem };
  const measured = measure(returned);
  if (measured.problem !== null) return { problem: `the verdict is not plain data: ${measured.problem}` };
  const { status, reason, detail } = returned as { status: string; reason: CheckerReason; detail?: string };
  if (status === 'unknown')
    return { verdict: { status, reason, ...(detail !== undefined && { detail: shortened(detail) }) }, notes: [] };
  if (measured.depth <= MAX_DEPTH && measured.size <= MAX_SIZE)
    return { verdict: returned as CheckerVerdict, notes: [] };
  const bare = withoutCertificates(returned as CheckerVerdict);
  const rest = measure(bare);
  if (rest.depth > MAX_DEPTH || rest.size > MAX_SIZE) return { problem: `the verdict is ${tooBig(rest)}` };
  return { verdict: bare, notes: [`The certificates were dropped: ${tooBig(measured)}.`] };
}

function whyNoVerdict(returned: unknown, numTransactions: number): string | null {
  if (typeof returned !== 'object' || returned === null) {
    return `it returned ${returned === null ? 'null' : typeof returned}, expected a verdict`;
  }
  const { status, certificate, uncertified, warnings } = returned as { readonly [field: string]: unknown };
  if (uncertified !== undefined && (typeof uncertified !== 'string' || !Object.hasOwn(UNCERTIFIED, uncertified)))
    return `its reason for having no certificate is ${show(uncertified)}, expected one of ${Object.keys(UNCERTIFIED).join(', ')}`;
  if (status === 'satisfied') return whyNoCertificate(certificate) ?? whyNoWarnings(warnings);
  if (status === 'unknown') {
    const { reason, detail } = returned as { readonly reason?: unknown; readonly detail?: unknown };
    if (isCheckerReason(reason))
      return detail === undefined || typeof detail === 'string'
        ? null
        : `its detail is a ${typeof detail}, expected a string`;
    return `its verdict is unknown with the reason ${show(reason)}, expected one of ${CHECKER_REASONS.join(', ')}`;
  }
  if (status !== 'violated') {
    return `its verdict has the status ${show(status)}, expected satisfied, violated or unknown`;
  }
  const { anomalies } = returned as { readonly anomalies?: unknown };
  if (!Array.isArray(anomalies) || anomalies.length === 0) return 'its verdict is violated, but names no anomaly';
  for (const [i, anomaly] of anomalies.entries()) {
    const problem = whyNoAnomaly(anomaly, numTransactions);
    if (problem !== null) return `anomaly ${i + 1} of its verdict ${problem}`;
  }
  return whyNoWarnings(warnings);
}

/** Checks only the fields that all consumers read; the verifier checks the rest. */
function whyNoCertificate(certificate: unknown): string | null {
  if (certificate === undefined) return null;
  const { kind } = (certificate ?? {}) as { readonly kind?: unknown };
  return typeof kind === 'string' ? null : 'its certificate is not an object with a kind';
}

function whyNoWarnings(warnings: unknown): string | null {
  if (warnings === undefined) return null;
  const isWarning = (warning: unknown): boolean => {
    const { name, text } = (warning ?? {}) as { readonly name?: unknown; readonly text?: unknown };
    return typeof name === 'string' && typeof text === 'string';
  };
  return Array.isArray(warnings) && warnings.every(isWarning) ? null : 'its warnings are not a list of names and texts';
}

function whyNoAnomaly(anomaly: unknown, numTransactions: number): string | null {
  if (typeof anomaly !== 'object' || anomaly === null) return 'is not an object';
  const { name, transactions, pattern, certificate } = anomaly as Partial<FoundAnomaly>;
  if (![...ALL_ANOMALIES, ...CLAIM_ANOMALIES].some((known) => known.name === name)) {
    const meant = typeof name === 'string' ? findAnomaly(name) : null;
    const advice = meant
      ? `write '${meant.name}'`
      : `known names are ${ALL_ANOMALIES.map((known) => known.name).join(', ')}`;
    return `is named ${show(name)}, which is not the name of an anomaly: ${advice}`;
  }
  if (!Array.isArray(transactions)) return `(${name}) does not list its transactions`;
  const isTransaction = (t: unknown): boolean =>
    Number.isInteger(t) && (t as number) >= INITIAL_TXN && (t as number) < numTransactions;
  const wrong = transactions.find((t) => !isTransaction(t)) as unknown;
  if (wrong === undefined) {
    if (pattern !== undefined && typeof pattern !== 'string') return `(${name}) has a pattern that is not a string`;
    const problem = whyNoCertificate(certificate);
    return problem === null ? null : `(${name}): ${problem}`;
  }
  return `(${name}) names transaction ${String(wrong)}, expected numbers from ${INITIAL_TXN} to ${numTransactions - 1}`;
}

function withoutCertificates(verdict: CheckerVerdict): CheckerVerdict {
  if (verdict.status === 'satisfied') return { status: 'satisfied', uncertified: 'size' };
  if (verdict.status === 'unknown') return verdict;
  const anomalies = verdict.anomalies.map(({ name, pattern, transactions }) => ({
    name,
    ...(pattern !== undefined && { pattern }),
    transactions,
  }));
  return { status: 'violated', anomalies, uncertified: 'size' };
}

/** Adds the reason for a missing certificate to a verdict that lacks both. */
export function withReason(verdict: CheckerVerdict, isPolygraph: boolean): CheckerVerdict {
  if (verdict.status === 'unknown' || verdict.uncertified !== undefined || certificateOf(verdict) !== undefined)
    return verdict;
  const isBeyond = isPolygraph && verdict.status === 'violated';
  return { ...verdict, uncertified: isBeyond ? 'polygraph' : 'unstated' };
}

const show = (value: unknown): string => (typeof value === 'string' ? JSON.stringify(shortened(value)) : String(value));

const tooBig = ({ depth, size }: Measured): string =>
  depth > MAX_DEPTH
    ? `nested ${depth} deep, more than the limit of ${MAX_DEPTH}`
    : `${size} values, more than the limit of ${MAX_SIZE}`;

export const isCheckerReason = (reason: unknown): reason is CheckerReason =>
  (CHECKER_REASONS as readonly unknown[]).includes(reason);

const CHECKER_REASONS = [
  'timeout',
  'memory',
  'steps',
  'aborted',
  'incomplete',
  'unsupported',
  'crashed',
] as const satisfies readonly CheckerReason[];

/** JSON.stringify and structured clones fail at little more than twice this depth. */
const MAX_DEPTH = 1000;
const MAX_SIZE = 1 << 25;
