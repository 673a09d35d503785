import {
  type CheckInput,
  type FoundAnomaly,
  type LevelName,
  type RunContext,
  Stop,
  type Verdict,
} from '@isolab/contract';
import type { History } from '@isolab/history';
import { FurtherRounds, MOST_CONTRADICTIONS } from './certificate/further-rounds.ts';
import type { Model } from './model.ts';
import { type Violated, inNumbersOf, renumbered } from './passed-over.ts';
import { certifying } from './scans.ts';
import { type Check, SearchWithScans } from './search-with-scans.ts';
import type { Tuning } from './tuning.ts';
import { checkWeakWithScans } from './weak/with-scans.ts';

interface How {
  readonly model: Model;
  readonly tuning: Tuning;
}

/** Decides a strong level of a history with scans by a check of reads and writes. */
export function checkWithScans(
  first: CheckInput,
  withScans: History,
  how: How,
  context: RunContext,
  check: Check,
): Verdict {
  const search = new SearchWithScans(first, withScans, how, certifying(context), check);
  return ended(search.decide(), withScans, search, how.tuning, context);
}

/** Decides a weak level of a history with scans; null where it takes all the rows that they passed over. */
export function checkWeakly(withScans: History, level: LevelName, tuning: Tuning, context: RunContext): Verdict | null {
  const decided = checkWeakWithScans(withScans, level, tuning, context);
  return decided && ended(decided.verdict, withScans, decided, tuning, context);
}

/** Decides a strong level, but goes on behind a contradiction without what its reads saw, until there is no other. */
export function findAllWithScans(
  first: CheckInput,
  withScans: History,
  how: How,
  context: RunContext,
  check: Check,
): Verdict {
  const rounds = new FurtherRounds(context);
  const search = new SearchWithScans(first, withScans, how, rounds.context, check);
  let verdict = search.decide();
  if (verdict.status !== 'violated') return ended(verdict, withScans, search, how.tuning, context);
  let found: readonly FoundAnomaly[] = verdict.anomalies;
  let { numbered, passedOver } = search;
  const add = (anomalies: readonly FoundAnomaly[]): void => {
    found = [...inNumbersOf(search.numbered, numbered, found), ...anomalies];
    ({ numbered, passedOver } = search);
  };
  try {
    while (verdict.status === 'violated' && found.length < MOST_CONTRADICTIONS && search.forget(verdict.anomalies)) {
      rounds.next();
      verdict = search.decide();
      if (verdict.status === 'violated') add(verdict.anomalies);
    }
  } catch (error) {
    if (!(error instanceof Stop)) throw error; // the verdict is known all the same
  }
  return ended({ status: 'violated', anomalies: found }, withScans, { numbered, passedOver }, how.tuning, context);
}

/** A verdict with what was asked for. */
function ended(
  verdict: Verdict,
  withScans: History,
  numbers: Pick<SearchWithScans, 'numbered' | 'passedOver'>,
  tuning: Tuning,
  { certify }: RunContext,
): Verdict {
  if (verdict.status === 'unknown') return verdict;
  if (verdict.status === 'satisfied') return certify ? verdict : { status: 'satisfied' };
  return certify ? renumbered(verdict, withScans, numbers, tuning.mostPassedOver) : withoutCertificates(verdict);
}

const withoutCertificates = ({ anomalies }: Violated): Violated => ({
  status: 'violated',
  anomalies: anomalies.map(({ name, transactions }) => ({ name, transactions })),
});
