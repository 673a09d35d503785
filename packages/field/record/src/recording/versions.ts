import { NumberSet, PairSet } from './sets.ts';
import type { Transaction } from './transaction.ts';

interface Entry {
  readonly version: string;
  readonly writer: Transaction;
}

/** Versions of rows in the file, and the transactions that will add missing ones. */
export class RowVersions {
  /** Versions whose writers are not in the file, by row. */
  readonly #pending = new Map<string, Entry[]>();
  /** The numbers of writers all of whose versions are in the file. */
  readonly #writers = new NumberSet();
  /** Other versions in the file. */
  readonly #told = new PairSet();

  writes(row: string, version: string, writer: Transaction): void {
    const entries = this.#pending.get(row);
    if (entries) entries.push({ version, writer });
    else this.#pending.set(row, [{ version, writer }]);
  }

  remove(row: string, version: string, writer: Transaction): void {
    const entries = this.#pending.get(row);
    if (!entries) return;
    const i = entries.findLastIndex((entry) => entry.version === version && entry.writer === writer);
    if (i >= 0) entries.splice(i, 1);
    if (entries.length === 0) this.#pending.delete(row);
  }

  /** Transaction that will put it into the file. */
  writerOf(row: string, version: string): Transaction | null {
    return this.#pending.get(row)?.find((entry) => entry.version === version)?.writer ?? null;
  }

  /** Notes that it is in the file, and that its writer is unknown. */
  tell(row: string, version: string): void {
    this.#told.add(row, version);
  }

  isTold(row: string, version: string, xmin: number): boolean {
    return this.#writers.has(xmin) || this.#told.has(row, version);
  }

  /** The writer's line is in the file. `isWhole` says whether all of its versions are. */
  settle(writer: Transaction, isWhole: boolean): void {
    for (const { row, version } of writer.writes) {
      this.remove(row, version, writer);
      if (!isWhole) this.#told.add(row, version);
    }
    if (isWhole) for (const xmin of writer.xmins) this.#writers.add(xmin);
  }
}
