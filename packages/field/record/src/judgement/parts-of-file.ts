import { isTransaction, type TransactionLine, transactionsIn, rewrite } from '../recorded/lines.ts';
import type { Level } from '../sql/planned.ts';

const WEAK_FIRST: readonly Level[] = ['read committed', 'repeatable read', 'serializable'];

export interface Levels {
  /** Number of recorded transactions at each level, weakest level first. */
  readonly counts: ReadonlyMap<Level, number>;
  /** Whether some transactions bypassed the proxy; their level is unknown. */
  readonly hasOthers: boolean;
}

export async function levelsIn(path: string): Promise<Levels> {
  const counts = new Map<Level, number>();
  let hasOthers = false;
  for await (const [, { level }] of transactionsIn(path))
    if (level) counts.set(level, (counts.get(level) ?? 0) + 1);
    else hasOthers = true;
  const sorted = [...counts].toSorted(([a], [b]) => WEAK_FIRST.indexOf(a) - WEAK_FIRST.indexOf(b));
  return { counts: new Map(sorted), hasOthers };
}

/**
 * Writes a copy of the recording, beside it, without the reads of transactions at weaker levels. A level still holds if
 * the other transactions keep their writes, with any reads: Adya's mixing of levels. Versions that a statement
 * replaced stay: the row was locked from then on, so it had the same version at the commit.
 */
export const withoutReadsBelow = (path: string, level: Level): Promise<string> =>
  changed(path, level.replace(' ', '-'), (line) => {
    if (line.level && WEAK_FIRST.indexOf(line.level) >= WEAK_FIRST.indexOf(level)) return line;
    const ends = endsOfSteps(line);
    return {
      ...line,
      ops: line.ops.filter(([kind], i) => kind === 'put' || (isReplaced(line, i) && !ends.has(i))),
    };
  });

/** Returns whether an operation reads the row that the next one writes. */
function isReplaced({ ops }: TransactionLine, i: number): boolean {
  const [kind, table, key] = ops[i]!;
  const next = ops[i + 1];
  return kind === 'get' && next?.[0] === 'put' && next[1] === table && next[2] === key;
}

/** The index of the last operation of each statement. */
function endsOfSteps({ steps = [] }: TransactionLine): ReadonlySet<number> {
  let end = -1;
  return new Set(steps.map(([, operations]) => (end += operations)));
}

/**
 * Writes a copy of the recording without the versions that an UPDATE or DELETE found if its transaction had read
 * another version of the row before. Such a read is a lost update, not a read by the application.
 */
export const withoutReadsOfUpdates = (path: string): Promise<string> =>
  changed(path, 'application', (line) => {
    const known = new Map<string, string>();
    const ops = line.ops.filter((operation, i) => {
      const [kind, table, key, row] = operation;
      if (kind === 'scan')
        for (const [foundKey, found] of row as [unknown, unknown][])
          known.set(named(table, foundKey), JSON.stringify(found));
      if (kind !== 'get' && kind !== 'put') return true;
      const before = known.get(named(table, key));
      const version = JSON.stringify(row);
      if (isReplaced(line, i) && before !== undefined && before !== version) return false;
      known.set(named(table, key), version);
      return true;
    });
    return ops.length === line.ops.length ? line : { ...line, ops };
  });

const named = (table: unknown, key: unknown): string => JSON.stringify([table, key]);

/** Rewrites the recording line by line into a copy beside it. */
async function changed(
  path: string,
  suffix: string,
  change: (line: TransactionLine) => TransactionLine,
): Promise<string> {
  const part = `${path}.${suffix}`;
  await rewrite(path, part, (text) => {
    if (!isTransaction(text)) return [text];
    const line = JSON.parse(text) as TransactionLine;
    const other = change(line);
    return [other === line ? text : JSON.stringify(other)];
  });
  return part;
}
