import type { Programs } from '../judgement/programs.ts';

/** Pairs of statements in different transactions that touched the same rows, with at least one write. */
export interface Conflicts {
  /** The statements with conflicts, the busiest first. */
  readonly statements: readonly string[];
  /** Number of rows on which the two statements conflict. */
  rowsOf(a: string, b: string): number;
}

export function conflictsOf({ programs }: Programs): Conflicts {
  const counts = new Map<string, number>();
  const busy = new Map<string, number>();
  for (const touches of touchesByRow(programs).values())
    for (const [i, a] of touches.entries())
      for (const b of touches.slice(i)) {
        if (!(a.writes || b.writes) || new Set([...a.lines, ...b.lines]).size < 2) continue;
        counts.set(pairOf(a.statement, b.statement), (counts.get(pairOf(a.statement, b.statement)) ?? 0) + 1);
        for (const { statement } of new Set([a, b])) busy.set(statement, (busy.get(statement) ?? 0) + 1);
      }
  return {
    statements: [...busy].toSorted(([, a], [, b]) => b - a).map(([statement]) => statement),
    rowsOf: (a, b) => counts.get(pairOf(a, b)) ?? 0,
  };
}

export const pairOf = (a: string, b: string): string => JSON.stringify([a, b].toSorted());

/** How one statement touched one row, and the transactions in which it did so: two of them are enough. */
interface Touch {
  readonly statement: string;
  writes: boolean;
  readonly lines: Set<number>;
}

function touchesByRow(programs: Programs['programs']): Map<string, Touch[]> {
  const byRow = new Map<string, Map<string, Touch>>();
  for (const { runs } of programs)
    for (const { line, steps } of runs)
      for (const { statement, reads, writes } of steps)
        for (const row of new Set([...reads.keys(), ...writes.keys()])) {
          const touches = byRow.get(row) ?? new Map<string, Touch>();
          byRow.set(row, touches);
          const touch = touches.get(statement) ?? { statement, writes: false, lines: new Set<number>() };
          touches.set(statement, touch);
          if (touch.lines.size < 2) touch.lines.add(line);
          touch.writes ||= writes.has(row);
        }
  return new Map([...byRow].map(([row, touches]) => [row, [...touches.values()]]));
}
