import { type Anomaly, type LevelName, type VerdictStatus, check, findAll, open } from 'isolab';
import { rmSync } from 'node:fs';
import { type Involved, involvedIn } from './involved.ts';
import { levelsIn, withoutReadsBelow } from './levels-in-file.ts';
import type { Level } from './sql/planned.ts';

/** What isolab calls what PostgreSQL promises at its levels, weak ones first. */
export const PROMISES: Readonly<Record<Level, LevelName>> = {
  'read committed': 'read-committed',
  'repeatable read': 'snapshot-isolation',
  serializable: 'serializable',
};

export interface JudgeOptions {
  readonly timeMs?: number;
  readonly signal?: AbortSignal;
}

/** Whether the database kept its promise to the transactions of one level, and those that ask for more. */
export interface Promised {
  readonly level: Level;
  readonly transactions: number;
  readonly verdict: VerdictStatus;
  readonly reason: string | null;
  readonly anomalies: readonly string[];
}

/** An anomaly that the application met: transactions that would have needed a stronger level or a lock. */
export interface Trouble {
  readonly name: string;
  readonly count: number;
  /** The level of PostgreSQL at which it could not have happened. */
  readonly preventedBy: Level;
  readonly example: readonly Involved[];
}

export interface Judged {
  readonly promises: readonly Promised[];
  readonly troubles: readonly Trouble[];
  /** Whether the recording without its troubles is known to be serializable. */
  readonly isComplete: boolean;
  readonly verdict: VerdictStatus;
}

/** Judges a recording: the database by each transaction's own level, the application by what a stronger one would forbid. */
export async function judge(path: string, options: JudgeOptions = {}): Promise<Judged> {
  const counts = await levelsIn(path);
  const promises: Promised[] = [];
  for (const [level, transactions] of counts)
    promises.push(await promised(path, level, transactions, [...counts.keys()], options));
  const { troubles, isComplete } = await troublesIn(path, options);
  const verdicts = promises.map(({ verdict }) => verdict);
  const verdict = verdicts.includes('violated') ? 'violated' : verdicts.includes('unknown') ? 'unknown' : 'satisfied';
  return { promises, troubles, isComplete, verdict };
}

async function promised(
  path: string,
  level: Level,
  transactions: number,
  all: readonly Level[],
  options: JudgeOptions,
): Promise<Promised> {
  if (level === 'serializable' && all.length > 1) {
    // Others may break a serializable transaction's view, as the manual says; what is left is its snapshot.
    const reason = 'PostgreSQL promises it only where all transactions are serializable';
    const { verdict, anomalies } = await promised(path, 'repeatable read', transactions, all, options);
    return { level, transactions, verdict: verdict === 'satisfied' ? 'unknown' : verdict, reason, anomalies };
  }
  const part = all[0] === level ? path : await withoutReadsBelow(path, level);
  try {
    const history = await open(part);
    const result = await check(history, { level: PROMISES[level], allowVacuous: true, ...options });
    const anomalies = result.anomalies.map(({ name, transactions: names }) => `${name} of ${names.join(' and ')}`);
    return { level, transactions, verdict: result.verdict, reason: result.reason, anomalies };
  } finally {
    if (part !== path) rmSync(part);
  }
}

async function troublesIn(
  path: string,
  options: JudgeOptions,
): Promise<{ readonly troubles: readonly Trouble[]; readonly isComplete: boolean }> {
  const history = await open(path);
  if (history.kind !== 'history') return { troubles: [], isComplete: false };
  const lineOf = (number: number): number => history.history.txnPosition[number]!;
  const found: { readonly preventedBy: Level; readonly anomaly: Anomaly }[] = [];
  let isComplete = true;
  for (const preventedBy of ['repeatable read', 'serializable'] as const) {
    const first = await check(history, { level: PROMISES[preventedBy], allowVacuous: true, ...options });
    if (first.verdict === 'unknown') isComplete = false;
    if (first.verdict !== 'violated') continue;
    const { anomalies, complete } = await findAll(history, first, options);
    isComplete &&= complete === true;
    for (const anomaly of anomalies)
      if (!found.some(({ anomaly: weaker }) => weaker.numbers.every((t) => anomaly.numbers.includes(t))))
        found.push({ preventedBy, anomaly });
  }
  const involved = await involvedIn(
    path,
    found.map(({ anomaly }) => anomaly.numbers.filter((t) => t >= 0).map(lineOf)),
  );
  const troubles = new Map<string, Trouble>();
  for (const [i, { anomaly, preventedBy }] of found.entries()) {
    const example = involved[i]!;
    const shapes = example.map(({ statements }) => statements.join('; ')).toSorted();
    const key = JSON.stringify([anomaly.name, preventedBy, shapes]);
    const known = troubles.get(key);
    troubles.set(key, {
      name: anomaly.name,
      preventedBy,
      example: known?.example ?? example,
      count: (known?.count ?? 0) + 1,
    });
  }
  return { troubles: [...troubles.values()].toSorted((a, b) => b.count - a.count), isComplete };
}
