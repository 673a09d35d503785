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
import { renumberReads } from '../../proof/renumber.ts';
import { aggregatesToState } from '../rows/commit-order.ts';
import { placesIn } from '../../rounds/passed-over.ts';
import { certifying } from '../../problem/contexts.ts';
import { type AskedAggregate, askedIn } from '../rows/asked.ts';
import { type CheckReads, type Refuted, SearchOfCases } from './cases.ts';

/** Decides a level by cases over the possible rows of unexplained aggregates; null if that takes too long. */
export function decideByRows(
  withScans: History,
  level: LevelName,
  check: CheckReads,
  isStrong: boolean,
  context: RunContext,
): CheckerVerdict | null {
  if (passesOverMore(withScans, MOST_READS)) return null;
  if (toRegisters(withScans).undecidedAggregates.length === 0) return null;
  const undecided = aggregatesToState(withScans);
  const lowered = toRegisters(withScans, null, undefined, undecided);
  if (lowered.history.opKind.length > MOST_READS) return null;
  const asked = askedIn(withScans, lowered, undecided);
  const question = { withScans, lowered, asked, level, check, isStrong, context: certifying(context) };
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
  const opOf = placesIn(registersOf(withScans, { certificate: { kind: 'aggregates', aggregates } }), lowered);
  const numbers = { txnOf: Int32Array.from(withScans.txnStatus.keys()), opOf };
  const inNumbers = (part: RowCases): RowCases => {
    if (part.kind === 'total') return part;
    if (part.kind !== 'rows') return renumberReads(part, numbers);
    const alternatives = part.alternatives.map(({ read, matched, cases: rest }) => ({
      read: opOf[read],
      matched,
      cases: inNumbers(rest),
    }));
    return { kind: 'rows', alternatives };
  };
  const transactions = new Set([
    ...used.map(({ transaction }) => transaction),
    ...anomalies.flatMap((one) => one.transactions),
  ]);
  const numbered = inNumbers(cases);
  // If no assumptions are needed, the reads alone contradict one another.
  const certificate: ViolationCertificate =
    numbered.kind === 'rows' || numbered.kind === 'total'
      ? { kind: 'aggregates', aggregates, cases: numbered }
      : numbered;
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

/** Greatest number of operations of the history in which aggregates and scans read all rows. */
const MOST_READS = 100_000;
