import { changedColumns } from '../sql/assignments.ts';
import type { Meeting } from './meetings.ts';
import type { Version } from './versions.ts';

/** Returns the effect of lost updates on the columns: `items.stock: 4 decrements, only 1 counted`; null if unknown. */
export function costOf(meetings: readonly Meeting[]): string | null {
  const lost = new Set<Version>();
  const made = new Set<Version>();
  for (const { lost: found } of meetings)
    if (found) {
      lost.add(found.version);
      made.add(found.version).add(found.by);
    }
  const columns = new Map<string, { updates: number; lost: number; readonly signs: Set<number> }>();
  for (const version of made) {
    const before = version.row.chain[version.place - 1]?.columns;
    if (!before || !version.columns) continue;
    // Two lost updates may write the same value, so the column changed against the version that the writer had read.
    const read = version.writer!.reads.findLast(({ row, isReplaced }) => row === version.row && !isReplaced)?.version;
    const base = read?.columns ?? before;
    for (const column of changedColumns(base, version.columns)) {
      const name = `${version.row.table.name}.${column}`;
      const known = columns.get(name) ?? { updates: 0, lost: 0, signs: new Set<number>() };
      columns.set(name, known);
      known.updates++;
      if (lost.has(version)) known.lost++;
      const [old, now] = [base[column], version.columns[column]];
      known.signs.add(typeof old === 'number' && typeof now === 'number' ? Math.sign(now - old) : 0);
    }
  }
  const told = [...columns].filter(([, { lost: some }]) => some > 0);
  if (told.length === 0) return null;
  return told
    .map(
      ([name, { updates, lost: some, signs }]) =>
        `${name}: ${updates} ${wordFor(signs)}, only ${updates - some} counted`,
    )
    .join('; ');
}

function wordFor(signs: ReadonlySet<number>): string {
  if (signs.size !== 1) return 'changes';
  return signs.has(-1) ? 'decrements' : signs.has(1) ? 'increments' : 'changes';
}
