import type { Budget, FoundAnomaly, LevelName } from '@isolab/contract';
import { type AnomalySummary, type Further, type Judgement, findFurther, smallestOf, survey } from '@isolab/explain';
import type { History } from '@isolab/history';
import { type Engine, type Report, prepare, run } from '@isolab/runner';
import { type Printer, count } from './print.ts';
import { patiently } from './patience.ts';
import { judgementOf } from './tell.ts';
import { progressLine } from './progress.ts';

/** All that was found to be wrong with a history at a level. */
export interface Findings {
  readonly anomalies: readonly FoundAnomaly[];
  /** Each kind once, by its canonical name, with counts. */
  readonly kinds: readonly AnomalySummary<FoundAnomaly>[];
  /** Whether the rest, without what was found, is known to satisfy the level. */
  readonly isComplete: boolean;
  /** What the list is worth, in a sentence. */
  readonly note: string;
}

/**
 * Goes on where the checker stopped: checks the history, given with the numbers that the report uses, again without the
 * transactions that were found to violate the level.
 */
export async function findAll(
  history: History,
  engine: Engine,
  report: Report,
  budget: Budget,
  interruptible: Printer['interruptible'] | null = null,
): Promise<Findings> {
  const { level, verdict } = report;
  if (verdict.status !== 'violated') return { anomalies: [], kinds: [], isComplete: true, note: '' };
  const limits = {
    budget: { timeMs: TIME_MS, ...budget },
    spentMs: budget.timeMs === undefined ? 0 : report.wallMs,
    lastMs: report.wallMs,
    interruptible,
    canMove: engine.checker.url !== null,
  };
  const line = progressLine((rounds) => `looking for further anomalies: round ${rounds}`);
  const further = await patiently(limits, async (patience) => {
    let rounds = 0;
    const again = (part: History, isAll: boolean): Promise<Report> =>
      patience.run((options) =>
        run(
          { ...engine, prepared: prepare(part), level },
          { ...options, certify: true, findAll: isAll, allowVacuous: true, allowCutOff: true },
        ),
      );
    const violates = async (part: History): Promise<Judgement> => judgementOf(await again(part, false));
    // One after the other, so that each has the time that the ones before have left.
    const smallest = async (part: History, anomalies: readonly FoundAnomaly[]): Promise<FoundAnomaly[]> => {
      const shrink = smallestOf(part, violates, { signal: patience });
      const small: FoundAnomaly[] = [];
      for (const anomaly of anomalies)
        small.push(small.length < SHRUNK && !patience.aborted ? await shrink(anomaly) : anomaly);
      return small;
    };
    const find = async (part: History): Promise<readonly FoundAnomaly[] | 'unknown'> => {
      line.show(++rounds, 0);
      const { verdict: found } = await again(part, true);
      if (found.status === 'violated') return smallest(part, found.anomalies);
      return found.status === 'satisfied' ? [] : 'unknown';
    };
    try {
      return await findFurther(history, await smallest(history, verdict.anomalies), find, { signal: patience });
    } finally {
      line.clear();
    }
  });
  const { anomalies, end } = further;
  return {
    anomalies,
    kinds: survey(history, level, anomalies),
    isComplete: end === 'satisfied',
    note: noteOf(level, further),
  };
}

function noteOf(level: LevelName, { transactions, end }: Further): string {
  const them = count(transactions, 'transaction');
  if (end === 'satisfied') return `Without the ${them} of these anomalies, the rest satisfies ${level}.`;
  return `The list may be incomplete: ${WHY[end]}. It names ${them}.`;
}

const WHY: Readonly<Record<Exclude<Further['end'], 'satisfied'>, string>> = {
  rounds: 'there is more to find, but enough was checked again',
  stopped: 'the search was ended before it was over',
  unknown: 'the rest of the history could not be decided',
};

/** So many anomalies of a round are made as small as they can be. */
const SHRUNK = 50;
/** For looking further, unless told. */
const TIME_MS = 30_000;
