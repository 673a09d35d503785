/** How much a verdict rests on. */
import { type LevelName, definitionOf } from '@isolab/contract';
import type { Evidence as HistoryEvidence, PolygraphInput } from '@isolab/history';
import { type Level, relationsIn } from '@isolab/levels';

export type Evidence =
  | ({ readonly kind: 'history' } & HistoryEvidence & Overlooked)
  | { readonly kind: 'polygraph'; readonly nodes: number; readonly edges: number; readonly constraints: number };

/** What a history says that no level looks at, or none but linearizability. */
interface Overlooked {
  /** They say what a key did not hold. */
  readonly failedCompareAndSets: number;
  /** By conditions that are not modelled: of them only the rows count that they returned. */
  readonly opaqueScans: number;
}

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

/** Of any other level its axioms say it. */
function comparedBy({ axioms, eachKeySatisfies }: Level): Times | undefined {
  const relations = axioms.map(({ expression }) => relationsIn(expression));
  if (relations.some((each) => each.has('time'))) return 'ends';
  if (relations.some((each) => each.has('rt'))) return 'ends with begins';
  return eachKeySatisfies === null ? undefined : comparedBy(eachKeySatisfies);
}

/** Whether some pair of transactions is ordered, or could have been ordered, by its times. */
export function hasNeededTimes(evidence: Evidence, level: LevelName): boolean {
  const definition = definitionOf(level);
  const compares = COMPARES[level] ?? (definition === null ? undefined : comparedBy(definition));
  if (compares === undefined || evidence.kind === 'polygraph') return true;
  const { begun, ended, begunOrEnded } = evidence;
  return ended > 0 && begunOrEnded > 1 && (compares === 'ends' || begun > 0);
}

/** What a satisfied verdict rests on, in a line. */
export function restsOn(evidence: Evidence): string {
  if (evidence.kind === 'polygraph') {
    const { nodes, edges, constraints } = evidence;
    return `rests on ${counted(edges, 'known edge')} and ${counted(constraints, 'constraint')} between ${counted(nodes, 'transaction')}`;
  }
  const { reads, ambiguousReads, meetings, sessions, overlappingSessions, failedCompareAndSets, opaqueScans } =
    evidence;
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
    ...(opaqueScans === 0
      ? []
      : [`not on what ${counted(opaqueScans, 'scan')} passed over or counted by a condition that is not modelled`]),
  ].join(', ');
}

export function timesOf({ timed, transactions }: Extract<Evidence, { kind: 'history' }>): string {
  return timed === 0 ? 'no times' : `times of ${grouped(timed)} of ${counted(transactions, 'transaction')}`;
}

const counted = (n: number, noun: string): string => `${grouped(n)} ${noun}${n === 1 ? '' : 's'}`;

/** `1,204`. */
const grouped = (n: number): string => String(n).replaceAll(/\B(?=(\d{3})+$)/g, ',');
