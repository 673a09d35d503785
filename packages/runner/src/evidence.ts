/**
 * How much a verdict rests on, and whether that is enough. Decided here and nowhere else, above all checkers: a level
 * that holds because nothing could have violated it is unknown. docs/levels.md states the minimum.
 */
import type { LevelName, Verdict } from '@isolab/contract';
import type { Evidence as HistoryEvidence, PolygraphInput } from '@isolab/history';

export type Evidence =
  | ({ readonly kind: 'history' } & HistoryEvidence & Overlooked)
  | { readonly kind: 'polygraph'; readonly nodes: number; readonly edges: number; readonly constraints: number };

/** What a history says that no level but linearizability looks at. */
interface Overlooked {
  /** They say what a key did not hold. */
  readonly failedCompareAndSets: number;
}

export type UnknownVerdict = Extract<Verdict, { status: 'unknown' }>;

export const evidenceOfPolygraph = ({ nodes, edges, constraints }: PolygraphInput): Evidence => ({
  kind: 'polygraph',
  nodes,
  edges: edges.length / 2,
  constraints: constraints.length / 4,
});

/** What times a level compares: ends with begins, or ends with whatever others have. */
type Times = 'ends with begins' | 'ends';

const COMPARES: Readonly<Partial<Record<LevelName, Times>>> = {
  'generalized-snapshot-isolation': 'ends',
  'strong-session-snapshot-isolation': 'ends',
  'strong-snapshot-isolation': 'ends with begins',
  'strict-serializable': 'ends with begins',
  linearizable: 'ends with begins',
};

/** What a user takes for satisfied although it is not. */
export interface Allowed {
  /** Levels that nothing in the history could have violated. */
  readonly allowVacuous?: boolean;
  /** Levels that hold in what was recorded until a collection was cut off. */
  readonly allowCutOff?: boolean;
}

/** Why a level that holds in the history is not to be called satisfied; null if it is. */
export function whyNotSatisfied(evidence: Evidence, level: LevelName, allowed: Allowed): UnknownVerdict | null {
  const cutOff = evidence.kind === 'history' ? evidence.cutOffAfterLine : null;
  if (cutOff !== null && allowed.allowCutOff !== true)
    return {
      status: 'unknown',
      reason: 'cut-off',
      detail: `cut off: the level holds in what was recorded, but the collection ended after line ${cutOff} of the file without being finished`,
    };
  return allowed.allowVacuous === true ? null : whyVacuous(evidence, level);
}

/** Why a level that holds is no news: nothing in the history could have violated it. Null if something could have. */
export function whyVacuous(evidence: Evidence, level: LevelName): UnknownVerdict | null {
  if (evidence.kind === 'polygraph')
    return evidence.edges + evidence.constraints > 0
      ? null
      : vacuous('nothing-to-judge', 'the polygraph has neither edges nor constraints');
  const { reads, ambiguousReads, repeatedReads, transactions } = evidence;
  if (reads + ambiguousReads === 0) {
    const what = transactions === 0 ? 'no transaction is known to have happened' : NO_READS;
    return vacuous('nothing-to-judge', what);
  }
  if (level === 'cut-isolation' && repeatedReads === 0)
    return vacuous('nothing-to-judge', 'no transaction reads a key twice, and cut isolation restricts nothing else');
  if (!hasNeededTimes(evidence, level))
    return vacuous(
      'needs-times',
      `the level compares begin and end times, and the history has no two transactions whose times can be compared (${timesOf(evidence)})`,
    );
  return null;
}

const NO_READS =
  'no transaction that happened has a read with a known result of a key that the history writes, so nothing could have shown a violation';

/** Whether some pair of transactions is ordered, or could have been ordered, by its times. */
export function hasNeededTimes(evidence: Evidence, level: LevelName): boolean {
  const compares = COMPARES[level];
  if (compares === undefined || evidence.kind === 'polygraph') return true;
  const { begun, ended, begunOrEnded } = evidence;
  return ended > 0 && begunOrEnded > 1 && (compares === 'ends' || begun > 0);
}

const vacuous = (reason: keyof typeof TITLES, why: string): UnknownVerdict => ({
  status: 'unknown',
  reason,
  detail: `${TITLES[reason]}: ${why}`,
});

const TITLES = { 'nothing-to-judge': 'nothing to judge', 'needs-times': 'needs times' } as const;

/** What a satisfied verdict rests on, in a line. */
export function restsOn(evidence: Evidence): string {
  if (evidence.kind === 'polygraph') {
    const { nodes, edges, constraints } = evidence;
    return `rests on ${counted(edges, 'known edge')} and ${counted(constraints, 'constraint')} between ${counted(nodes, 'transaction')}`;
  }
  const { reads, ambiguousReads, meetings, sessions, overlappingSessions, failedCompareAndSets } = evidence;
  return [
    `rests on ${counted(reads, 'read')} with a known writer`,
    ...(ambiguousReads === 0 ? [] : [`${counted(ambiguousReads, 'read')} with several possible writers`]),
    `${counted(meetings, 'pair')} of transactions that met`,
    overlappingSessions === null
      ? counted(sessions, 'session')
      : `${counted(overlappingSessions, 'session')} that overlapped`,
    timesOf(evidence),
    ...(failedCompareAndSets === 0
      ? []
      : [`not on ${counted(failedCompareAndSets, 'failed compare-and-set')}, which only linearizability considers`]),
  ].join(', ');
}

function timesOf({ timed, transactions }: Extract<Evidence, { kind: 'history' }>): string {
  return timed === 0 ? 'no times' : `times of ${grouped(timed)} of ${counted(transactions, 'transaction')}`;
}

const counted = (n: number, noun: string): string => `${grouped(n)} ${noun}${n === 1 ? '' : 's'}`;

/** `1,204`. */
const grouped = (n: number): string => String(n).replaceAll(/\B(?=(\d{3})+$)/g, ',');
