import { type Predicate, type Row, mayMatch } from '@isolab/history';
import { overwrites } from '../sql/assignments.ts';
import { type TransactionLine, isTransaction } from './lines.ts';

/**
 * Returns a function that removes misleading reads from each transaction's line. These are the versions that an UPDATE
 * or DELETE replaced if the transaction had read an older version of the row before, and the statement does not take the
 * newer version into account: the application decided by the version that it had read. Conditions that the returned rows
 * contradict were misread; their rows stay, and `onMisread` is called. In `uncertain` tables, whose definitions changed,
 * a statement may have been read with the columns of another definition: versions whose writes no earlier line has are
 * removed, too.
 */
export function withoutMisleadingReads(
  onMisread: () => void = () => {},
  uncertain: ReadonlySet<string> = new Set(),
): (text: string) => string {
  const shapes = new Map<number, string>();
  const written = new Set<string>();
  const writes = (version: readonly unknown[]): unknown =>
    uncertain.has(version[0] as string) && written.add(JSON.stringify(version));
  return (text) => {
    if (uncertain.size > 0 && text.startsWith('{"rows":'))
      for (const version of (JSON.parse(text) as { rows: unknown[][] }).rows) writes(version);
    if (!isTransaction(text) || (uncertain.size === 0 && !EXAMINED.some((part) => text.includes(part)))) return text;
    const line = JSON.parse(text) as TransactionLine;
    if (line.steps === undefined) {
      for (const [, ...version] of line.ops) writes(version);
      return text;
    }
    for (const [shape, sql] of line.shapes ?? []) shapes.set(shape, sql);
    const known = new Map<string, unknown>();
    const ops: (readonly unknown[])[] = [];
    let first = 0;
    let changes = false;
    const steps = line.steps.map(([shape, count, ...flag]) => {
      const before = ops.length;
      const done = line.ops.slice(first, (first += count));
      for (const [i, operation] of done.entries()) {
        const [kind, table, , row] = operation;
        if (kind === 'put') writes(operation.slice(1));
        const isUnwritten = uncertain.has(table as string) && !written.has(JSON.stringify(operation.slice(1)));
        if (kind === 'get' && row !== null && isUnwritten) continue;
        const place = placeOf(operation);
        if (kind === 'scan')
          for (const [foundKey, found] of row as [unknown, unknown][])
            known.set(placeOf([kind, table, foundKey]), found);
        if (kind === 'scan' && isMisread(operation)) {
          onMisread();
          changes = true;
          for (const [foundKey, found] of row as [unknown, unknown][]) ops.push(['get', table, foundKey, found]);
          continue;
        }
        if (kind !== 'get' && kind !== 'put') {
          ops.push(operation);
          continue;
        }
        const [seen, next] = [known.get(place), done[i + 1]];
        const isReplaced = kind === 'get' && next?.[0] === 'put' && placeOf(next) === place;
        if (isReplaced && seen !== undefined && !isSame(seen, row) && overwrites(shapes.get(shape) ?? '', seen, row))
          continue;
        known.set(place, row);
        ops.push(operation);
      }
      return [shape, ops.length - before, ...flag];
    });
    return ops.length === line.ops.length && !changes ? text : JSON.stringify({ ...line, ops, steps });
  };
}

const EXAMINED = ['["put",', '["scan",', '"shapes":['];

const isMisread = ([, , where, rows]: readonly unknown[]): boolean =>
  (rows as [unknown, Row | null][]).some(([, row]) => row !== null && !mayMatch(where as Predicate, row));

const placeOf = ([, table, key]: readonly unknown[]): string => JSON.stringify([table, key]);
const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
