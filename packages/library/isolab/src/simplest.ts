/** Finds the simplest of several anomalies: the anomaly with the most understandable evidence. */
import type { Edge, FoundAnomaly, RowCases, ViolationCertificate } from '@isolab/contract';
import { type ChosenChecker, type Prepared, type Report, type RunOptions, runUnjudged } from '@isolab/runner';

/**
 * Returns a run with a simpler anomaly than the given run's, if a short search finds one; otherwise null. An anomaly of
 * two transactions needs no search.
 */
export async function withSimpler(
  run: Report,
  engine: ChosenChecker,
  prepared: Prepared,
  options: RunOptions,
): Promise<Report | null> {
  const { level, verdict, isPlugin } = run;
  if (verdict.status !== 'violated' || isPlugin || engine.checker.isFallback) return null;
  const found = simplestOf(verdict.anomalies);
  if (found.transactions.length <= 2) return null;
  const budget = { ...options.budget, steps: Math.min(options.budget?.steps ?? Infinity, SEARCHED) };
  const { verdict: all } = await runUnjudged({ ...engine, prepared, level }, { ...options, findAll: true, budget });
  if (all.status !== 'violated') return null;
  const simplest = simplestOf([found, ...all.anomalies]);
  return simplest === found ? null : { ...run, verdict: { ...verdict, anomalies: [simplest] } };
}

/**
 * Limit of the search in steps; the search takes a few tenths of a second. A limit in steps, unlike one in time, makes
 * the output independent of machine load.
 */
const SEARCHED = 100_000;

/** Returns the simplest of one or more anomalies, the first among equals. */
export const simplestOf = (anomalies: readonly FoundAnomaly[]): FoundAnomaly =>
  anomalies.reduce((simplest, each) => (isSimpler(each, simplest) ? each : simplest));

/** Sorts runs with a violation, simplest anomaly first; equal runs keep their order. */
export const simplestFirst = (runs: readonly Report[]): Report[] =>
  runs.toSorted((a, b) => {
    const [one, other] = [witness(a), witness(b)];
    return isSimpler(one, other) ? -1 : isSimpler(other, one) ? 1 : 0;
  });

const witness = ({ verdict }: Report): FoundAnomaly =>
  simplestOf(verdict.status === 'violated' ? verdict.anomalies : []);

function isSimpler(one: FoundAnomaly, other: FoundAnomaly): boolean {
  const [a, b] = [complexityOf(one), complexityOf(other)];
  const at = a.findIndex((part, i) => part !== b[i]);
  return at >= 0 && a[at]! < b[at]!;
}

/** Compares the kind of evidence, then the number of transactions, then the number of steps. */
function complexityOf({ certificate, transactions }: FoundAnomaly): readonly number[] {
  if (certificate === undefined) return [KINDS.length, transactions.length, 0];
  return [KINDS.indexOf(certificate.kind), transactions.length, stepsIn(certificate)];
}

/** Kinds of evidence, the easiest to understand first. */
const KINDS: readonly ViolationCertificate['kind'][] = [
  'internal',
  'lists',
  'updates',
  'timestamps',
  'cycle',
  'axioms',
  'cases',
  'proof',
  'aggregates',
];

function stepsIn(cases: ViolationCertificate | RowCases): number {
  switch (cases.kind) {
    case 'cycle':
      return stepsOf(cases.edges);
    case 'cases':
      return 1 + stepsIn(cases.ifFirst) + stepsIn(cases.ifSecond);
    case 'proof':
    case 'axioms':
      return cases.steps.length;
    case 'aggregates':
      return cases.aggregates.length + stepsIn(cases.cases);
    case 'rows':
      return cases.alternatives.reduce((sum, each) => sum + 1 + stepsIn(each.cases), 0);
    default:
      return 1;
  }
}

/**
 * Counts edges together with their reasons. Evidence of reads and writes is simpler than evidence of sessions and
 * clocks.
 */
const stepsOf = (edges: readonly Edge[]): number => edges.reduce((sum, { reason }) => sum + stepsFor(reason), 0);

function stepsFor(reason: Edge['reason']): number {
  switch (reason.kind) {
    case 'overwritten':
      return 1 + stepsOf(reason.visible);
    case 'overwrites':
      return 1 + stepsOf(reason.order);
    case 'session':
      return 3;
    case 'real-time':
      return 4;
    default:
      return 1;
  }
}
