/**
 * Decides a level by cases over the possible rows of unexplained aggregates, and states the refuted cases in the
 * numbers of the history with scans. Null if that takes too long.
 */
import {
  type CheckerVerdict,
  type FoundAnomaly,
  INCONSISTENT_AGGREGATE,
  type LevelName,
  type RowCases,
  type RunContext,
  type ViolationCertificate,
} from '@isolab/contract';
import { type History, type RegisterHistory, passesOverMore, registersOf, toRegisters } from '@isolab/history';
import { numberingIn, renumber } from '../../proof/numbers.ts';
import { aggregatesToState } from '../rows/commit-order.ts';
import type { Tuning } from '../../problem/tuning.ts';
import { certifying } from '../../problem/contexts.ts';
import { type AskedAggregate, askedIn } from '../rows/asked.ts';
import { type CheckReads, type Refuted, SearchOfCases } from './cases.ts';

export function decideByRows(
  withScans: History,
  level: LevelName,
  check: CheckReads,
  isStrong: boolean,
  tuning: Tuning,
  context: RunContext,
): CheckerVerdict | null {
  if (passesOverMore(withScans, tuning.mostRowReads)) return null;
  if (toRegisters(withScans).undecidedAggregates.length === 0) return null;
  const undecided = aggregatesToState(withScans);
  const lowered = toRegisters(withScans, null, undefined, undecided);
  if (lowered.history.opKind.length > tuning.mostRowReads) return null;
  const asked = askedIn(withScans, lowered, undecided);
  const question = { withScans, lowered, asked, level, check, isStrong, tuning, context: certifying(context) };
  const outcome = new SearchOfCases(question).run();
  if (outcome === null) return null;
  if ('satisfied' in outcome) return context.certify ? outcome.satisfied : { status: 'satisfied' };
  const anomaly = asAnomaly(outcome.refuted, withScans, lowered, asked);
  if (context.certify) return { status: 'violated', anomalies: [anomaly] };
  return { status: 'violated', anomalies: [{ name: anomaly.name, transactions: anomaly.transactions }] };
}

function asAnomaly(
  { cases, anomalies }: Refuted,
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
  const rest = [cases];
  for (let part = rest.pop(); part !== undefined; part = rest.pop()) {
    if (part.kind === 'total') totals.add(part.aggregate);
    if (part.kind !== 'rows') continue;
    for (const { read, cases: further } of part.alternatives) {
      reads.add(read);
      rest.push(further);
    }
  }
  return { totals, reads };
}
