/**
 * Decides a level by cases over the possible rows of unexplained aggregates, and states the refuted cases in the
 * numbers of the history with scans.
 */
import {
  type CheckerVerdict,
  type FoundAnomaly,
  INCONSISTENT_AGGREGATE,
  type IndexedHistory,
  type ReadsCertificate,
  type RowCases,
  type RunContext,
  type SatisfiedVerdict,
  type ViolationCertificate,
  numbersIn,
  renumber,
} from '@isolab/contract';
import {
  type History,
  type RegisterHistory,
  TxnStatus,
  passesOverMore,
  registersOf,
  toRegisters,
} from '@isolab/history';
import { certifying } from '../problem/contexts.ts';
import { isStrong } from '../problem/model.ts';
import type { Question } from '../problem/options.ts';
import { numberingIn } from '../proof/numbers.ts';
import { checkStrongLevel, orderOf } from '../strategy/strong.ts';
import { Cases, type ExplainedCase, type RefutedCase } from '../theories/aggregates/cases.ts';
import { type AskedAggregate, askedIn } from '../theories/rows/asked.ts';
import { aggregatesToState, seenAlong, stepsOf } from '../theories/rows/commit-order.ts';
import { checkReads } from './check-reads.ts';
import { type Proposer, decide } from './decide.ts';

/** Returns null if that takes too long. */
export function decideByCases(withScans: History, question: Question, context: RunContext): CheckerVerdict | null {
  const { mostRowReads } = question.tuning;
  if (passesOverMore(withScans, mostRowReads)) return null;
  if (toRegisters(withScans).undecidedAggregates.length === 0) return null;
  const undecided = aggregatesToState(withScans);
  const lowered = toRegisters(withScans, null, undecided);
  if (lowered.history.opKind.length > mostRowReads) return null;
  const asked = askedIn(withScans, lowered, undecided);
  const cases = new Cases(withScans, lowered, asked, question);
  const decided = decide(
    proposer(cases, lowered, question, certifying(context)),
    (order) => cases.refine(order),
    (refutation) => cases.retract(refutation),
  );
  if (decided === null || decided.verdict.status === 'unknown') return null;
  if ('cases' in decided) {
    const { name, transactions, ...evidence } = asAnomaly(decided, withScans, lowered, asked);
    return { status: 'violated', anomalies: [{ name, transactions, ...(context.certify && evidence) }] };
  }
  if (!context.certify) return { status: 'satisfied' };
  const { certificate } = decided.verdict;
  // The order of a strong level shows which rows its aggregates cover.
  if (isStrong(question.level) || asked.length === 0 || certificate === undefined || certificate.kind === 'each-key')
    return decided.verdict;
  return { status: 'satisfied', certificate: { ...certificate, rows: cases.rows() } };
}

interface Explained extends ExplainedCase {
  readonly verdict: SatisfiedVerdict;
}

/** Finds an order of the present case, an impossible total, or a contradiction with the supposed rows. */
function proposer(
  cases: Cases,
  { history }: RegisterHistory,
  question: Question,
  context: RunContext,
): Proposer<Explained, RefutedCase> {
  const { mostCases, caseOperations, deepestCase, shortHistory } = question.tuning;
  const audience = history.opKind.length <= shortHistory ? 'people' : 'search';
  // Where an outcome is unknown, a contradiction may rest on reads that it does not name.
  const namesAll = !history.txnStatus.includes(TxnStatus.Unknown);
  let left = Math.min(mostCases, Math.ceil(caseOperations / history.opKind.length));
  return () => {
    let made: IndexedHistory | null = null;
    const input = (): IndexedHistory => (made ??= cases.input());
    const total = cases.impossibleTotal(input);
    if (total !== null) return total;
    if (left-- === 0 || cases.depth === deepestCase) return null;
    const verdict = isStrong(question.level)
      ? checkStrongLevel(input(), question, context, { audience })
      : checkReads(input(), question, context);
    context.count('cases-of-aggregates', 1);
    if (verdict.status === 'satisfied') return explained(verdict, input());
    const certificate = verdict.status === 'violated' ? verdict.anomalies[0]!.certificate : undefined;
    if (verdict.status === 'unknown' || certificate === undefined) return null;
    const named = readsNamed(certificate as ReadsCertificate);
    const supposes = new Set(cases.supposed.filter((read) => !namesAll || named.has(read)));
    return {
      verdict: { status: 'violated', anomalies: verdict.anomalies.slice(0, 1) },
      cases: certificate as ReadsCertificate,
      supposes,
    };
  };
}

function explained(verdict: SatisfiedVerdict, input: IndexedHistory): Explained {
  const { certificate } = verdict;
  if (certificate?.kind === 'commit-order' || certificate?.kind === 'event-order') {
    const events = orderOf(verdict);
    const seen = seenAlong(input.history, stepsOf(input.history, events)).value;
    return { verdict, input, seen, happened: new Set(Array.from(events, (event) => event >> 1)) };
  }
  const happened = certificate?.kind === 'inspection' && certificate.happened ? new Set(certificate.happened) : null;
  return { verdict, input, seen: null, happened };
}

function readsNamed(certificate: ReadsCertificate): Set<number> {
  const named = new Set<number>();
  for (const [name, value] of numbersIn([certificate])) if (READS.has(name)) named.add(value);
  return named;
}

const READS: ReadonlySet<string> = new Set(['read', 'reads', 'other']);

function asAnomaly(
  { cases, verdict: { anomalies } }: RefutedCase,
  withScans: History,
  lowered: RegisterHistory,
  asked: readonly AskedAggregate[],
): FoundAnomaly {
  const names = new Set(anomalies.map(({ name }) => name));
  const name = names.size === 1 ? [...names][0]! : INCONSISTENT_AGGREGATE;
  const named = namedIn(cases);
  const used = asked.filter(
    ({ op, choices }) =>
      named.totals.has(op) || choices.some((choice) => choice.some(({ read }) => named.reads.has(read))),
  );
  const aggregates = used.map(({ op }) => op);
  const registers = registersOf(withScans, { certificate: { kind: 'aggregates', aggregates } });
  const renumbered = renumber(cases, numberingIn(registers, lowered));
  const transactions = new Set([
    ...used.map(({ transaction }) => transaction),
    ...anomalies.flatMap((one) => one.transactions),
  ]);
  // If no assumptions are needed, the reads alone contradict one another.
  const certificate: ViolationCertificate =
    renumbered.kind === 'rows' || renumbered.kind === 'total'
      ? { kind: 'aggregates', aggregates, cases: renumbered }
      : renumbered;
  return { name, transactions: [...transactions].filter((t) => t >= 0), certificate };
}

/** Returns the aggregates whose totals are examined, and the reads of rows with assumptions. */
function namedIn(cases: RowCases): { readonly totals: ReadonlySet<number>; readonly reads: ReadonlySet<number> } {
  const totals = new Set<number>();
  const reads = new Set<number>();
  for (const [name, value, part] of numbersIn([cases])) {
    if (name === 'aggregate') totals.add(value);
    else if (name === 'read' && 'matched' in part) reads.add(value);
  }
  return { totals, reads };
}
