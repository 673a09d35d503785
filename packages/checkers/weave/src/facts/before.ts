import type { Chains } from '../problem/chains.ts';
import type { Versions } from '../problem/versions.ts';

/** Direct predecessors that are certain: chains, read-from, and facts. */
export interface Before {
  readonly versions: Versions;
  readonly chains: Chains;
  /** Facts, by the transaction that must wait. */
  readonly factStart: Int32Array;
  readonly factFrom: Int32Array;
}

/** Bounds of the number of events before a transaction. */
export function countBefore({ versions: { readStart }, factStart }: Before, t: number): number {
  return 1 + readStart[t + 1] - readStart[t] + factStart[t + 1] - factStart[t];
}

/** The k-th transaction directly before one, of its chain (0), its reads, and its facts; −1 where there is none. */
export function directlyBefore({ versions, chains, factStart, factFrom }: Before, t: number, k: number): number {
  const { readStart, readVersion, writer, happened } = versions;
  const read = readStart[t] + k - 1;
  if (read >= readStart[t + 1]) return factFrom[factStart[t] + read - readStart[t + 1]];
  if (k > 0 && readVersion[read] >= writer.length) return -1;
  const from = k === 0 ? chains.previous[t] : writer[readVersion[read]];
  return from >= 0 && happened[from] === 1 ? from : -1; // not if it is left aside
}

/** Consequences of `Before`: all transactions before another one, and the facts that this shows. */
export interface Reach {
  /** Returns whether the first transaction is known to come before the second one. */
  has(first: number, second: number): boolean;
  /** False if the first one is not before the second; for it may be unknown how things stand. */
  mayHave(first: number, second: number): boolean;
  /** Writers of a key that are known to come before a transaction, but for those that others of them come after. */
  writersBefore(t: number, key: number): number[];
  /** New facts, each as the first writer, the second writer, its reader, and the read version. */
  newFacts(): number[];
}
