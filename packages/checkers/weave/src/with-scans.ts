import {
  type CheckerVerdict,
  type FoundAnomaly,
  type IndexedHistory,
  type LevelName,
  type RunContext,
  Stop,
} from '@isolab/contract';
import type { History } from '@isolab/history';
import { FurtherRounds, MOST_CONTRADICTIONS } from './proof/further-rounds.ts';
import { type Violated, inNumbersOf, inWhole, renumbered } from './rounds/passed-over.ts';
import { certifying } from './problem/contexts.ts';
import { type Check, type Decided, type How, SearchWithScans } from './rounds/search-with-scans.ts';
import type { Tuning } from './problem/tuning.ts';
import { decideCutIsolation, decideWeakWithScans } from './theories/weak/with-scans.ts';

/**
 * Decides a strong level of a history with scans by a check of reads and writes. To find all violations, repeats the
 * check without the reads of the found contradictions.
 */
export function checkWithScans(
  first: IndexedHistory,
  withScans: History,
  how: How,
  context: RunContext,
  check: Check,
): CheckerVerdict {
  const rounds = context.findAll ? new FurtherRounds(context) : null;
  const search = new SearchWithScans(first, withScans, how, rounds?.context ?? certifying(context), check);
  const inRealTime = search.inRealTime();
  const near = inRealTime === null && rounds === null ? search.nearStuck() : null;
  if (near !== null) return ended(near.verdict, near, withScans, how.tuning, context);
  const verdict = inRealTime ?? search.roundByRound();
  if (rounds === null || verdict.status !== 'violated') return ended(verdict, search, withScans, how.tuning, context);
  const found = findFurther(search, verdict, rounds);
  return ended(found.verdict, found, withScans, how.tuning, context);
}

/** Decides a weak level of a history with scans; null if that requires reads of all rows that they passed over. */
export function checkWeakWithScans(
  withScans: History,
  level: LevelName,
  tuning: Tuning,
  context: RunContext,
): CheckerVerdict | null {
  const decided =
    level === 'cut-isolation'
      ? decideCutIsolation(withScans, tuning, context)
      : decideWeakWithScans(withScans, level, tuning, context);
  return decided && ended(decided.verdict, decided, withScans, tuning, context);
}

function findFurther(search: SearchWithScans, first: Violated, rounds: FurtherRounds): Decided {
  let found: readonly FoundAnomaly[] = first.anomalies;
  let { numbered, passedOver } = search;
  try {
    for (let latest: CheckerVerdict = first; latest.status === 'violated';) {
      if (found.length >= MOST_CONTRADICTIONS || !search.forget(latest.anomalies)) break;
      rounds.next();
      latest = search.decide();
      if (latest.status !== 'violated') break;
      found = [...inNumbersOf(search.numbered, numbered, found), ...latest.anomalies];
      ({ numbered, passedOver } = search);
    }
  } catch (error) {
    if (!(error instanceof Stop)) throw error; // the verdict is already known
  }
  return { verdict: { status: 'violated', anomalies: found }, numbered, passedOver };
}

/** Reduces a verdict to the requested parts. */
function ended(
  verdict: CheckerVerdict,
  numbers: Omit<Decided, 'verdict'>,
  withScans: History,
  tuning: Tuning,
  { certify }: RunContext,
): CheckerVerdict {
  if (verdict.status === 'unknown') return verdict;
  if (verdict.status === 'satisfied') return certify ? verdict : { status: 'satisfied' };
  return certify
    ? renumbered(verdict, withScans, numbers, tuning.mostPassedOver)
    : withoutCertificates(verdict, numbers.txnOf);
}

const withoutCertificates = ({ anomalies }: Violated, txnOf?: Int32Array): Violated => ({
  status: 'violated',
  anomalies: anomalies.map(({ name, transactions }) => ({ name, transactions: inWhole(transactions, txnOf) })),
});
