import { withoutSecrets } from '@isolab/collector';
import type { LevelName } from '@isolab/contract';
import type { HuntSettings, TrialRecord } from './options.ts';
import type { LeftOut } from './turns.ts';
import { type Chances, chancesOf } from './chances.ts';
import type { FoundElsewhere, Together } from './shared.ts';

/** summary.json: the result of a hunt, described in schema/hunt.schema.json. */
export interface Summary {
  readonly isolab: 'hunt summary';
  readonly version: 1;
  readonly database: readonly string[];
  readonly description: string;
  /** The database's name of the level and the checked level; null if the hunt took turns at several. */
  readonly isolation: string | null;
  readonly level: LevelName | null;
  readonly levels: readonly LevelSummary[];
  /** Draws that the database does not support. */
  readonly leftOut: readonly LeftOut[];
  /** Near misses in satisfied histories: chances of a violation that the database did not take. */
  readonly chances: readonly Chances[];
  /** Satisfied: every history that could have shown a violation was checked completely, and none violates the level. */
  readonly verdict: 'satisfied' | 'violated' | 'unknown';
  readonly reason: string | null;
  readonly trials: number;
  readonly violated: number;
  readonly satisfied: number;
  readonly undecided: number;
  /** Number of histories in which nothing could have shown a violation. */
  readonly empty: number;
  readonly committed: number;
  readonly aborted: number;
  readonly seconds: number;
  readonly drawing: string;
  readonly seed: string;
  readonly findings: readonly string[];
  /** Totals of all machines, if several share the hunt. */
  readonly together?: Together;
  /** When the hunt ended. */
  readonly at: string;
}

/** The reason of a summary whose other results do not count. */
export const INTERRUPTED = 'the hunt was interrupted';

/** Facts about the database, known once it is open. */
interface Described {
  readonly description: string;
  readonly levels: readonly Pick<LevelSummary, 'isolation' | 'level'>[];
  readonly leftOut: readonly LeftOut[];
}

/** The histories at one level. */
export interface LevelSummary {
  readonly isolation: string;
  readonly level: LevelName;
  readonly trials: number;
  readonly violated: number;
  readonly satisfied: number;
  readonly undecided: number;
  readonly committed: number;
  readonly aborted: number;
}

/** Findings of the other machines of a hunt, and totals of all machines. */
export interface Others {
  readonly found: readonly FoundElsewhere[];
  readonly together: Together;
}

export function summaryOf(
  { database, drawing, seed }: HuntSettings,
  { description, levels, leftOut }: Described,
  records: readonly TrialRecord[],
  interrupted: boolean,
  others: Others | null = null,
): Summary {
  const of = (verdict: TrialRecord['verdict']): TrialRecord[] => records.filter((each) => each.verdict === verdict);
  const [violated, satisfied, undecided] = [of('violated'), of('satisfied'), of('unknown')];
  const reason = interrupted
    ? INTERRUPTED
    : undecided.length > 0
      ? `${undecided.length} of ${records.length} histories could not be decided: ${undecided[0]!.reason}`
      : satisfied.length === 0
        ? records.length === 0
          ? 'no history was checked'
          : 'nothing in any history could have shown a violation'
        : null;
  const isFound = violated.length + (others?.found.length ?? 0) > 0;
  return {
    isolab: 'hunt summary',
    version: 1,
    database: database.map(withoutSecrets),
    description,
    isolation: levels.length === 1 ? levels[0]!.isolation : null,
    level: levels.length === 1 ? levels[0]!.level : null,
    levels: levels.map((one) => ofLevel(one, records)),
    leftOut,
    chances: chancesOf(records),
    verdict: isFound ? 'violated' : reason === null ? 'satisfied' : 'unknown',
    reason: isFound ? null : reason,
    trials: records.length,
    violated: violated.length,
    satisfied: satisfied.length,
    undecided: undecided.length,
    empty: of('empty').length,
    ...transactionsOf(records),
    seconds: Math.max(0, ...records.map(({ atSeconds }) => atSeconds)),
    drawing,
    seed,
    findings: [...violated, ...(others?.found ?? [])].map(({ trial }) => `finding-${trial}`),
    ...(others !== null && { together: others.together }),
    at: new Date().toISOString(),
  };
}

function ofLevel(
  { isolation, level }: Pick<LevelSummary, 'isolation' | 'level'>,
  all: readonly TrialRecord[],
): LevelSummary {
  const records = all.filter((record) => record.isolation === isolation);
  const count = (verdict: TrialRecord['verdict']): number => records.filter((each) => each.verdict === verdict).length;
  return {
    isolation,
    level,
    trials: records.length,
    violated: count('violated'),
    satisfied: count('satisfied'),
    undecided: count('unknown'),
    ...transactionsOf(records),
  };
}

function transactionsOf(records: readonly TrialRecord[]): Pick<LevelSummary, 'committed' | 'aborted'> {
  const total = { committed: 0, aborted: 0 };
  for (const { committed, aborted } of records) {
    total.committed += committed;
    total.aborted += aborted;
  }
  return total;
}
