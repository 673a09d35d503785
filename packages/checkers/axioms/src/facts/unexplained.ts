import { type History, OpKind, TxnStatus, UNKNOWN_VALUE, transactionOf } from '@isolab/history';
import type { AllowedRead } from '@isolab/levels';

/**
 * Reads that a level allows to have no writer. They saw a write in a way that the level allows, even if other
 * transactions may have left an equal value. A read without a writer is the best case: a writer could only add
 * relations.
 */
export type Unexplained = (read: number) => boolean;

export function unexplainedReads(history: History, allows: readonly AllowedRead[]): Unexplained {
  if (allows.includes('thin-air-reads')) return () => true;
  if (!KINDS.some((kind) => allows.includes(kind))) return () => false;
  const writes = new WritesOfVersions(history);
  return (read) => {
    if (history.opKind[read] !== OpKind.Read) return false;
    const t = transactionOf(history, read);
    return writes.of(read).some((write) => {
      const writer = transactionOf(history, write);
      if (writer === t) return allows.includes('future-reads');
      if (history.txnStatus[writer] === TxnStatus.Aborted) return allows.includes('aborted-reads');
      return allows.includes('intermediate-reads') && writes.isOverwritten(write);
    });
  };
}

const KINDS: readonly AllowedRead[] = ['aborted-reads', 'intermediate-reads', 'future-reads'];

/**
 * Returns whether only a choice decides the set of transactions that happened, because a level allows reads without a
 * writer.
 */
export function leavesOutcomesOpen(history: History): boolean {
  const { txnStatus, opKind, opKey, opValue, keyInitial } = history;
  if (!txnStatus.includes(TxnStatus.Unknown)) return false;
  const writes = new WritesOfVersions(history);
  for (let op = 0; op < opKind.length; op++) {
    if (opKind[op] !== OpKind.Read || opValue[op] === UNKNOWN_VALUE) continue;
    const writers = writes.of(op);
    const isSure = writers.length === 1 && opValue[op] !== keyInitial[opKey[op]];
    if (!isSure && writers.some((write) => txnStatus[transactionOf(history, write)] === TxnStatus.Unknown)) return true;
  }
  return false;
}

class WritesOfVersions {
  readonly #history: History;
  readonly #writes = new Map<string, number[]>(); // by key and value
  readonly #isOverwritten: Uint8Array; // 1 for writes that their transaction overwrites later

  constructor(history: History) {
    this.#history = history;
    const { opKind, opKey, txnStart } = history;
    this.#isOverwritten = new Uint8Array(opKind.length);
    for (let t = 0; t + 1 < txnStart.length; t++) {
      const latest = new Map<number, number>(); // by key
      for (let op = txnStart[t]; op < txnStart[t + 1]; op++) {
        if (opKind[op] !== OpKind.Write) continue;
        const before = latest.get(opKey[op]);
        if (before !== undefined) this.#isOverwritten[before] = 1;
        latest.set(opKey[op], op);
        const version = this.#version(op);
        const writes = this.#writes.get(version);
        if (writes === undefined) this.#writes.set(version, [op]);
        else writes.push(op);
      }
    }
  }

  #version(op: number): string {
    return `${this.#history.opKey[op]} ${this.#history.opValue[op]}`;
  }

  /** Writes, with any outcome, of the value that an operation reads or writes. */
  of(op: number): readonly number[] {
    return this.#writes.get(this.#version(op)) ?? [];
  }

  isOverwritten(write: number): boolean {
    return this.#isOverwritten[write] === 1;
  }
}
