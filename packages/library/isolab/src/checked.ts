/** Checks made on a satisfied history, and the result for every level, for its page. */
import { LEVELS, type LevelName, eachLevel, implies, levelsIn } from '@isolab/contract';
import {
  type History,
  STATUS_NAMES,
  countKeys,
  countOperations,
  countSessions,
  countTransactions,
  grouped,
  visibleLine,
} from '@isolab/history';
import type { Evidence } from '@isolab/runner';
import type { StoryChecked, StoryCount } from '@isolab/story';
import { keptInWords } from './answer.ts';
import type { CheckResult, LevelResult } from './result.ts';

export function checkedOf(history: History, result: CheckResult): StoryChecked {
  const asked = levelsIn(result.levels);
  const satisfied = asked.filter((level) => result.levels[level]!.verdict === 'satisfied');
  const violated = asked.filter((level) => result.levels[level]!.verdict === 'violated');
  const standing = (level: LevelName): readonly (readonly [string, 'kept' | 'not kept'])[] =>
    satisfied.some((kept) => implies(kept, level))
      ? [[level, 'kept']]
      : violated.some((broken) => implies(level, broken))
        ? [[level, 'not kept']]
        : [];
  return {
    holds: holds(history, result),
    evidence: result.evidence === null ? [] : evidenceOf(result.evidence),
    asked: eachLevel(result.levels).map(([what, found]) => ({ what, count: askedOf(found) })),
    kept: capitalised(keptInWords(result.strongest)),
    levels: Object.fromEntries(LEVELS.flatMap(({ name }) => standing(name))),
  };
}

function askedOf({ verdict, run, impliedBy, isUnverified, unknown }: LevelResult): string {
  if (unknown !== null) return `unknown: ${visibleLine(unknown.detail)}`;
  const by = impliedBy === null ? (run === null ? '' : `, checked by ${run.checker}`) : `, because ${impliedBy} is`;
  return `${verdict}${by}${isUnverified ? ' (unverified: claimed by a plug-in)' : ''}`;
}

function holds(history: History, { cutOff }: CheckResult): StoryCount[] {
  const { source, txnStatus, scans } = history;
  const byStatus = STATUS_NAMES.map(
    (name, status) => [name, txnStatus.filter((each) => each === status).length] as const,
  );
  const statuses = byStatus.filter(([, count]) => count > 0).map(([name, count]) => `${grouped(count)} ${name}`);
  return [
    ...(source.database === null ? [] : [{ what: 'database', count: source.database }]),
    { what: 'transactions', count: `${grouped(countTransactions(history))}: ${statuses.join(', ')}` },
    { what: 'sessions', count: grouped(countSessions(history)) },
    { what: 'operations', count: grouped(countOperations(history)) },
    { what: 'keys', count: grouped(countKeys(history)) },
    ...(scans.tables.length === 0 ? [] : [{ what: 'tables', count: grouped(scans.tables.length) }]),
    ...(cutOff === null ? [] : [{ what: 'end', count: cutOff }]),
  ];
}

/** Counts the evidence that could have shown a violation. With more evidence, the verdict means more. */
function evidenceOf(evidence: Evidence): StoryCount[] {
  if (evidence.kind === 'polygraph')
    return [
      { what: 'known edges', count: grouped(evidence.edges) },
      { what: 'constraints', count: grouped(evidence.constraints) },
    ];
  const { transactions, reads, ambiguousReads, meetings, sessions, overlappingSessions, timed } = evidence;
  const { opaqueScans, failedCompareAndSets } = evidence;
  const unless0 = (what: string, count: number): StoryCount[] => (count === 0 ? [] : [{ what, count: grouped(count) }]);
  return [
    { what: 'reads with a known writer', count: grouped(reads) },
    ...unless0('reads with several possible writers', ambiguousReads),
    { what: 'pairs of transactions that met', count: grouped(meetings) },
    {
      what: 'sessions that overlapped',
      count: overlappingSessions === null ? `unknown, of ${sessions}` : `${overlappingSessions} of ${sessions}`,
    },
    { what: 'transactions with times', count: `${grouped(timed)} of ${grouped(transactions)}` },
    ...unless0('scans by a condition that is not modelled (only their returned rows count)', opaqueScans),
    ...unless0('failed compare-and-sets, which only linearizability considers', failedCompareAndSets),
  ];
}

const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
