import { createWriteStream } from 'node:fs';
import { once } from 'node:events';
import { isTransaction, linesOf, type TransactionLine } from './lines.ts';
import type { Level } from './sql/planned.ts';

const WEAK_FIRST: readonly Level[] = ['read committed', 'repeatable read', 'serializable'];

/** How many transactions a recording has of each level, weak levels first. */
export async function levelsIn(path: string): Promise<ReadonlyMap<Level, number>> {
  const counts = new Map<Level, number>();
  for await (const [, text] of linesOf(path)) {
    const level = isTransaction(text) ? (JSON.parse(text) as TransactionLine).level : undefined;
    if (level) counts.set(level, (counts.get(level) ?? 0) + 1);
  }
  return new Map([...counts].toSorted(([a], [b]) => WEAK_FIRST.indexOf(a) - WEAK_FIRST.indexOf(b)));
}

/**
 * The recording without what transactions of weaker levels read, in a file beside it. A level is kept where the others'
 * writes are what they are, whatever those others saw: Adya's mixing of levels.
 */
export const withoutReadsBelow = (path: string, level: Level): Promise<string> =>
  changed(path, level.replace(' ', '-'), (line) => {
    if (line.level && WEAK_FIRST.indexOf(line.level) >= WEAK_FIRST.indexOf(level)) return line;
    return { ...line, ops: line.ops.filter(([kind]) => kind === 'put') };
  });

/**
 * The recording without the versions that an UPDATE or DELETE found, where its transaction had read another one of that
 * row before: then it is an update that was lost, and no read that the application made.
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
      const next = line.ops[i + 1];
      const isOfUpdate = kind === 'get' && next?.[0] === 'put' && next[1] === table && next[2] === key;
      if (isOfUpdate && before !== undefined && before !== version) return false;
      known.set(named(table, key), version);
      return true;
    });
    return ops.length === line.ops.length ? line : { ...line, ops };
  });

const named = (table: unknown, key: unknown): string => JSON.stringify([table, key]);

/** A copy beside it, line for line. */
async function changed(
  path: string,
  suffix: string,
  change: (line: TransactionLine) => TransactionLine,
): Promise<string> {
  const part = `${path}.${suffix}`;
  const out = createWriteStream(part);
  for await (const [, text] of linesOf(path)) {
    let written = text;
    if (isTransaction(text)) {
      const line = JSON.parse(text) as TransactionLine;
      const other = change(line);
      if (other !== line) written = JSON.stringify(other);
    }
    if (!out.write(`${written}\n`)) await once(out, 'drain');
  }
  out.end();
  await once(out, 'finish');
  return part;
}
