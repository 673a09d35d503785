/** Collects reports of workers. Every cell counts once, however often and in any order it is reported. */
import type { CellReport, GroupReport } from './job.ts';

interface Group {
  readonly size: number;
  attempt: number;
  host: string;
  readonly told: Set<number>;
}

export interface News {
  /** Cells that had not been reported before. */
  readonly cells: readonly CellReport[];
  readonly host: string;
  /** Whether all cells of the group have been reported. */
  readonly complete: boolean;
}

export class Collection {
  readonly #open = new Map<string, Group>();

  /** Ids of the incomplete groups. */
  get missing(): readonly string[] {
    return [...this.#open.keys()];
  }

  expect(id: string, size: number): void {
    this.#open.set(id, { size, attempt: 0, host: '', told: new Set() });
  }

  /** Indices of a group's cells that have not been reported. */
  missingOf(id: string): number[] {
    const { size, told } = this.#open.get(id) ?? { size: 0, told: new Set() };
    return Array.from({ length: size }, (_, cell) => cell).filter((cell) => !told.has(cell));
  }

  /** Resets the attempts of a group that starts again; its reported cells stay reported. */
  forgetAttempts(id: string): void {
    const group = this.#open.get(id);
    if (group) group.attempt = 0;
  }

  close(id: string): void {
    this.#open.delete(id);
  }

  /**
   * Accepts a report and returns its news. A report has no news if its group is complete or unknown, or if its worker
   * has lost the group to another worker. When a group moves to another kind of host, all of its cells are measured
   * there.
   */
  take(id: string, { attempt, host, cells }: GroupReport): News {
    const group = this.#open.get(id);
    if (!group || attempt < group.attempt) return { cells: [], host, complete: false };
    if (host !== group.host) group.told.clear();
    group.attempt = attempt;
    group.host = host;
    const news = cells.filter(({ cell }) => cell >= 0 && cell < group.size && !group.told.has(cell));
    for (const { cell } of news) group.told.add(cell);
    const complete = group.told.size === group.size;
    if (complete) this.#open.delete(id);
    return { cells: news, host, complete };
  }
}
