import { isTransaction, type TransactionLine, rewrite } from '../recorded/lines.ts';
import type { Level } from '../sql/planned.ts';
import type { Stale } from './meetings.ts';

export const WEAK_FIRST: readonly Level[] = ['read committed', 'repeatable read', 'serializable'];

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

/** Writes a copy of the recording, beside it, without some reads. A scan leaves the reads of its other rows. */
export function withoutReads(path: string, stale: readonly Stale[]): Promise<string> {
  const gone = new Set<string>();
  const scans = new Set<string>();
  for (const { reader, step, row, scan } of stale) {
    if (scan === null) gone.add(`${reader.line} ${step} ${row.table.name}/${row.key}`);
    else scans.add(`${reader.line} ${step}`);
  }
  return changed(path, 'rest', (line, number) => {
    let end = 0;
    const ops = (line.steps ?? []).flatMap(([, count], step) =>
      line.ops.slice(end, (end += count)).flatMap((operation) => {
        const [kind, table, key, found] = operation;
        const isGone = (each: unknown): boolean => gone.has(`${number} ${step} ${String(table)}/${String(each)}`);
        if (kind === 'get') return isGone(key) ? [] : [operation];
        if (kind !== 'scan') return [operation];
        const rows = found as readonly (readonly [unknown, unknown])[];
        if (!scans.has(`${number} ${step}`) && !rows.some(([each]) => isGone(each))) return [operation];
        return rows.filter(([each]) => !isGone(each)).map(([each, row]) => ['get', table, each, row]);
      }),
    );
    return line.steps === undefined ? line : { ...line, ops };
  });
}

/** Rewrites the recording line by line into a copy beside it. */
async function changed(
  path: string,
  suffix: string,
  change: (line: TransactionLine, number: number) => TransactionLine,
): Promise<string> {
  const part = `${path}.${suffix}`;
  await rewrite(path, part, (text, number) => {
    if (!isTransaction(text)) return [text];
    const line = JSON.parse(text) as TransactionLine;
    const other = change(line, number);
    return [other === line ? text : JSON.stringify(other)];
  });
  return part;
}
