import { type History, OpKind, atomOf, printAtom } from '@isolab/history';

/** A read of a value that no line had written when the horizon passed the read. */
export interface UnwrittenRead {
  readonly line: number;
  readonly key: string;
  readonly value: string;
  /** The latest line at that time. */
  readonly after: number;
  /** The line that wrote the value later; 0 if there is no such line. */
  readonly writtenAt: number;
  /** Whether the read's transaction has an unknown outcome. */
  readonly isOfOpen: boolean;
}

/**
 * Reads that are set aside because no transaction wrote their value within the horizon. They prove a violation only at
 * the end of the stream, because the writer may still arrive.
 */
export class UnwrittenReads {
  #reads: UnwrittenRead[] = [];
  #awaited = new Map<string, Set<string>>(); // values by key, both in printed form

  get size(): number {
    return this.#reads.length;
  }

  get all(): readonly UnwrittenRead[] {
    return this.#reads;
  }

  add(history: History, { key, value, ...read }: Omit<UnwrittenRead, 'key' | 'value' | 'writtenAt'> & Ids): void {
    const printed = { key: printAtom(atomOf(history.keys, key)), value: printAtom(atomOf(history.values, value)) };
    this.#put({ ...read, ...printed, writtenAt: 0 });
  }

  #put(read: UnwrittenRead): void {
    this.#reads.push(read);
    if (read.writtenAt > 0) return;
    const values = this.#awaited.get(read.key) ?? new Set<string>();
    this.#awaited.set(read.key, values.add(read.value));
  }

  /** Looks for the writers of these reads among lines, and returns the number found. */
  find(history: History, numberOf: (t: number) => number): number {
    if (this.#awaited.size === 0) return 0;
    const { txnStart, opKind, opKey, opValue, keys, values } = history;
    const awaited = Array.from(history.keyInitial, (_, key) => this.#awaited.get(printAtom(atomOf(keys, key))));
    let found = 0;
    for (let t = 0; t + 1 < txnStart.length; t++)
      for (let op = txnStart[t]!; op < txnStart[t + 1]!; op++) {
        if (opKind[op] !== OpKind.Write && opKind[op] !== OpKind.Append) continue;
        const value = awaited[opKey[op]!] && printAtom(atomOf(values, opValue[op]!));
        if (value === undefined || !awaited[opKey[op]!]!.has(value)) continue;
        found += this.#resolve(printAtom(atomOf(keys, opKey[op]!)), value, numberOf(t));
      }
    return found;
  }

  #resolve(key: string, value: string, line: number): number {
    let found = 0;
    for (const [i, read] of this.#reads.entries()) {
      // A line that existed before cannot be the missing writer.
      if (read.writtenAt > 0 || read.key !== key || read.value !== value || line <= read.after) continue;
      this.#reads[i] = { ...read, writtenAt: line };
      found++;
    }
    if (!this.#reads.some((read) => read.writtenAt === 0 && read.key === key && read.value === value)) {
      this.#awaited.get(key)?.delete(value);
      if (this.#awaited.get(key)?.size === 0) this.#awaited.delete(key);
    }
    return found;
  }

  /** Removes and returns the reads whose writers arrived. */
  takeWritten(): UnwrittenRead[] {
    const written = this.#reads.filter(({ writtenAt }) => writtenAt > 0);
    this.#reads = this.#reads.filter(({ writtenAt }) => writtenAt === 0);
    return written;
  }

  clear(): void {
    this.#reads = [];
    this.#awaited.clear();
  }

  restore(saved: readonly UnwrittenRead[]): void {
    for (const read of saved) this.#put(read);
  }
}

interface Ids {
  readonly key: number;
  readonly value: number;
}

/** Returns the reason why a level is undecided while reads are set aside. */
export function whyUnwritten({ line, key, value, writtenAt, isOfOpen }: UnwrittenRead, others: number): string {
  const what =
    writtenAt > 0
      ? `whose writer came in line ${writtenAt}, after the horizon; the log will be checked again later, or at the end`
      : `which no transaction has written within the horizon; ${isOfOpen ? 'if its transaction committed, ' : ''}it is a violation unless its writer comes before the end`;
  return `line ${line} read ${key} = ${value}, ${what}${others > 0 ? ` (and ${others} other reads)` : ''}`;
}
