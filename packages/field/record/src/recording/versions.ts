import { NumberSet, PairSet } from './sets.ts';
import type { Transaction } from './transaction.ts';

interface Entry {
  readonly version: string;
  readonly writer: Transaction;
}

/** The versions of rows in the file, and the transactions that will add the missing versions. */
export class RowVersions {
  /** For each row, the versions whose writers are not yet in the file. */
  readonly #pending = new Map<string, Entry[]>();
  /** The numbers of writers whose versions are all in the file. */
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

  /** Returns the transaction that will add a version to the file. */
  writerOf(row: string, version: string): Transaction | null {
    return this.#pending.get(row)?.find((entry) => entry.version === version)?.writer ?? null;
  }

  /** Notes that a version is in the file and that its writer is unknown. */
  tell(row: string, version: string): void {
    this.#told.add(row, version);
  }

  isTold(row: string, version: string, xmin: number): boolean {
    return this.#writers.has(xmin) || this.#told.has(row, version);
  }

  /** Notes that the writer's line is in the file. `isWhole` states whether it has all of the writer's versions. */
  settle(writer: Transaction, isWhole: boolean): void {
    for (const { row, version } of writer.writes) {
      this.remove(row, version, writer);
      if (!isWhole) this.#told.add(row, version);
    }
    if (isWhole) for (const xmin of writer.xmins) this.#writers.add(xmin);
  }
}
