/** Evidence of a verdict. */
import { type LevelName, userDefinition } from '@isolab/contract';
import { type HistoryEvidence, type PolygraphInput, grouped, plural } from '@isolab/history';
import { TIMED, comparesTimes } from '@isolab/levels';

export type Evidence =
  | ({ readonly kind: 'history' } & HistoryEvidence & Overlooked)
  | { readonly kind: 'polygraph'; readonly nodes: number; readonly edges: number; readonly constraints: number };

/** Parts of a history that most or all levels ignore. */
interface Overlooked {
  /** Failed operations, which show that a key did not have a certain value. */
  readonly failedCompareAndSets: number;
  /** Number of scans with unmodelled conditions. Only their returned rows count. */
  readonly opaqueScans: number;
}

export const evidenceOfPolygraph = ({ nodes, edges, constraints }: PolygraphInput): Evidence => ({
  kind: 'polygraph',
  nodes,
  edges: edges.length / 2,
  constraints: constraints.length / 4,
});

/** Returns whether a level compares no times, or the times order some pair of transactions or could have ordered it. */
export function hasNeededTimes(level: LevelName, weigh: () => Evidence): boolean {
  const own = userDefinition(level);
  const isTimed = own === null ? TIMED.includes(level) : comparesTimes(own);
  if (!isTimed) return true; // the evidence may still be weighed in another thread
  const evidence = weigh();
  if (evidence.kind === 'polygraph') return true;
  const { begun, ended, begunOrEnded } = evidence;
  return ended > 0 && begun > 0 && begunOrEnded > 1;
}

/** Summarises the evidence for a satisfied verdict in one line. */
export function restsOn(evidence: Evidence): string {
  if (evidence.kind === 'polygraph') {
    const { nodes, edges, constraints } = evidence;
    return `rests on ${plural(edges, 'known edge')} and ${plural(constraints, 'constraint')} between ${plural(nodes, 'transaction')}`;
  }
  const { reads, ambiguousReads, meetings, sessions, overlappingSessions, failedCompareAndSets, opaqueScans } =
    evidence;
  return [
    `rests on ${plural(reads, 'read')} with a known writer`,
    ...(ambiguousReads === 0 ? [] : [`${plural(ambiguousReads, 'read')} with several possible writers`]),
    `${plural(meetings, 'pair')} of transactions that met`,
    overlappingSessions === null
      ? plural(sessions, 'session')
      : `${plural(overlappingSessions, 'session')} that overlapped`,
    timesOf(evidence),
    ...(failedCompareAndSets === 0
      ? []
      : [`only at linearizability on ${plural(failedCompareAndSets, 'failed compare-and-set')}`]),
    ...(opaqueScans === 0
      ? []
      : [`not on rows that ${plural(opaqueScans, 'scan')} passed over or counted by a condition that is not modelled`]),
  ].join(', ');
}

export function timesOf({ timed, transactions }: Extract<Evidence, { kind: 'history' }>): string {
  return timed === 0 ? 'no times' : `times of ${grouped(timed)} of ${plural(transactions, 'transaction')}`;
}
