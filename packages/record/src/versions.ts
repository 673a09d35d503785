import type { Transaction } from './transaction.ts';

interface Entry {
  readonly version: string;
  /** Null for one that was there in the beginning, or that somebody outside wrote. */
  readonly writer: Transaction | null;
}

/** Which versions of which rows have a writer in the recording. Forgets those that nobody can see any more. */
export class Versions {
  readonly #byRow = new Map<string, Entry[]>();

  add(row: string, version: string, writer: Transaction | null, oldestBegin: bigint | null): void {
    const entries = this.#byRow.get(row);
    if (!entries) {
      this.#byRow.set(row, [{ version, writer }]);
      return;
    }
    entries.push({ version, writer });
    // What was replaced before the oldest transaction began, nobody sees any more.
    if (entries.length > 2) forget(entries, oldestBegin);
  }

  remove(row: string, version: string, writer: Transaction): void {
    const entries = this.#byRow.get(row) ?? [];
    const i = entries.findLastIndex((entry) => entry.version === version && entry.writer === writer);
    if (i >= 0) entries.splice(i, 1);
  }

  has(row: string, version: string): boolean {
    return this.entryOf(row, version) !== undefined;
  }

  entryOf(row: string, version: string): Entry | undefined {
    return this.#byRow.get(row)?.find((entry) => entry.version === version);
  }
}

function forget(entries: Entry[], oldestBegin: bigint | null): void {
  const last = entries.findLastIndex(
    ({ writer }) =>
      writer !== null &&
      writer.outcome === 'committed' &&
      writer.end !== null &&
      (oldestBegin === null || writer.end < oldestBegin),
  );
  if (last > 0) entries.splice(0, last);
}
