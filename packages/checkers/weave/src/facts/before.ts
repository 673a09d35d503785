import type { Chains } from '../problem/chains.ts';
import type { Versions } from '../problem/versions.ts';

/** Certain direct predecessors of transactions: by chains, read-from, and facts. */
export interface Before {
  readonly versions: Versions;
  readonly chains: Chains;
  /** Facts, grouped by the transaction that must wait. */
  readonly factStart: Int32Array;
  readonly factFrom: Int32Array;
}

/** Returns an upper bound on the number of direct predecessors of a transaction. */
export function countBefore({ versions: { readStart }, factStart }: Before, t: number): number {
  return 1 + readStart[t + 1] - readStart[t] + factStart[t + 1] - factStart[t];
}

/**
 * Returns the k-th direct predecessor of a transaction: first by its chain (k = 0), then by its reads, then by facts;
 * −1 if that predecessor is missing.
 */
export function directlyBefore({ versions, chains, factStart, factFrom }: Before, t: number, k: number): number {
  const { readStart, readVersion, writer, happened } = versions;
  const read = readStart[t] + k - 1;
  if (read >= readStart[t + 1]) return factFrom[factStart[t] + read - readStart[t + 1]];
  if (k > 0 && readVersion[read] >= writer.length) return -1;
  const from = k === 0 ? chains.previous[t] : writer[readVersion[read]];
  return from >= 0 && happened[from] === 1 ? from : -1;
}

/** Consequences of `Before`: all predecessors of each transaction, and the facts that follow from them. */
export interface Reach {
  /** Returns whether the first transaction is known to come before the second one. */
  has(first: number, second: number): boolean;
  /** Returns false only if the first transaction is known not to come before the second one. */
  mayHave(first: number, second: number): boolean;
  /** Returns the latest writers of a key that are known to come before a transaction. */
  writersBefore(t: number, key: number): number[];
  /** Returns the new facts, each as four numbers: first writer, second writer, its reader, and the version read. */
  newFacts(): number[];
}
