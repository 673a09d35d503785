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
export async function withoutReadsBelow(path: string, level: Level): Promise<string> {
  const part = `${path}.${level.replace(' ', '-')}`;
  const out = createWriteStream(part);
  for await (const [, text] of linesOf(path))
    if (!out.write(`${isTransaction(text) ? withoutReads(text, level) : text}\n`)) await once(out, 'drain');
  out.end();
  await once(out, 'finish');
  return part;
}

function withoutReads(text: string, level: Level): string {
  const line = JSON.parse(text) as TransactionLine;
  if (line.level && WEAK_FIRST.indexOf(line.level) >= WEAK_FIRST.indexOf(level)) return text;
  return JSON.stringify({ ...line, ops: line.ops.filter(([kind]) => kind === 'put') });
}
