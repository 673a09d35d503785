/** Parts of a result that the page shows. */

import { eachLevel } from 'isolab/skin';
import {
  type CheckResult,
  findAnomaly,
  type LevelName,
  type LevelResult,
  type Report,
  type VerdictStatus,
} from 'isolab/check';
import { ms } from '../worker/words.ts';

export interface Verdicts {
  /** Requested levels. */
  readonly levels: readonly LevelVerdict[];
  /** Answer for several levels as text: levels that are kept, not kept and not decided; null for one level. */
  readonly answer: CheckResult['answer'];
  readonly runs: readonly RunRow[];
  /** Evidence for the satisfied levels; null if there is none. */
  readonly restsOn: string | null;
  /** For a search of every kind of anomaly: each kind once, and notes on the completeness of the list. */
  readonly kinds: { readonly rows: readonly KindRow[]; readonly notes: readonly string[] } | null;
  /** Level whose story is most informative; null if there is no story. */
  readonly telling: LevelName | null;
}

export interface LevelVerdict {
  readonly level: LevelName;
  readonly status: VerdictStatus;
  /**
   * Level whose check decided this one: the level itself, or one that implies its verdict; null if none was checked.
   */
  readonly by: LevelName | null;
  readonly checker: string | null;
  /** Anomaly of a violated level; reason of an unknown one. */
  readonly why: string | null;
}

export interface KindRow {
  readonly level: LevelName;
  readonly name: string;
  readonly count: number;
  /** Transactions of the anomaly. */
  readonly example: string;
}

/** Run of a checker, as a detail. */
export interface RunRow {
  readonly level: LevelName;
  readonly checker: string;
  readonly status: VerdictStatus;
  readonly ms: number;
  /** Stages and counters as text. */
  readonly details: string;
}

export function verdictsOf(result: CheckResult): Verdicts {
  const levels = eachLevel(result.levels).map(([level, found]) => verdictAt(level, found));
  const known = levels.filter(({ status, by }) => status !== 'unknown' && by !== null);
  const { answer, deciding, restsOn, runs, kinds, notes = {} } = result;
  const told =
    known.find(({ level }) => level === deciding?.level) ?? known.find(({ by }) => by === deciding?.level) ?? known[0];
  return {
    levels,
    answer,
    runs: runs.map(rowOf),
    restsOn: levels.some(({ status }) => status === 'satisfied') ? restsOn : null,
    kinds: kinds === undefined ? null : { rows: kinds.map(rowOfKind), notes: Object.values(notes) as string[] },
    telling: told?.level ?? null,
  };
}

const verdictAt = (level: LevelName, { verdict, run, unknown }: LevelResult): LevelVerdict => ({
  level,
  status: verdict,
  by: run?.level ?? null,
  checker: run?.checker ?? null,
  why: unknown?.detail ?? anomalyIn(run),
});

function anomalyIn(run: Report | null): string | null {
  if (run?.verdict.status !== 'violated') return null;
  const { name } = run.verdict.anomalies[0]!;
  return `${name}: ${findAnomaly(name)?.title ?? ''}`;
}

const rowOfKind = ({ level, name, count, example }: NonNullable<CheckResult['kinds']>[number]): KindRow => ({
  level,
  name,
  count,
  example: example.join(', '),
});

function rowOf({ level, checker, verdict, wallMs, stages, counters, notes }: Report): RunRow {
  const details = [
    ...stages.map((stage) => `${stage.name} ${ms(stage.ms)}`),
    ...Object.entries(counters).map(([name, amount]) => `${name}: ${amount}`),
    ...notes,
  ];
  return { level, checker, status: verdict.status, ms: wallMs, details: details.join(', ') };
}
