import type { CheckInput } from '@isolab/contract';
import { OpKind, Outcome, ReadFrom, countKeys, countTransactions, transactionOfOperations } from '@isolab/history';

/** Stands for the initial transaction, which is no node. */
export const INITIAL = -1;

/** A read of what another transaction wrote. */
export interface Read {
  readonly reader: number;
  /** The operation. */
  readonly op: number;
  readonly key: number;
  /** A node, or INITIAL. */
  readonly writer: number;
}

/** Who read what from whom, among the transactions that happened: nodes 0, 1, … in the order of the history. */
export interface Facts {
  readonly numNodes: number;
  /** The transaction of each node. */
  readonly txnOf: Int32Array;
  /** The session of each node; nodes of a session are neighbours. */
  readonly session: Int32Array;
  /** In program order, node after node. */
  readonly reads: readonly Read[];
  /** The same, each reader, key and writer once. */
  readonly readFrom: readonly Read[];
  /** By key: the nodes that write it, ascending. */
  readonly writers: readonly (readonly number[])[];
}

export function factsOf({ history, index }: CheckInput): Facts {
  const { txnStart, opKind, opKey, txnSession } = history;
  const nodeOf = new Int32Array(countTransactions(history)).fill(-1);
  const txns: number[] = [];
  index.outcome.forEach((outcome, t) => {
    if (outcome === Outcome.Happened) nodeOf[t] = txns.push(t) - 1;
  });
  const txnOfOp = transactionOfOperations(history);
  const reads: Read[] = [];
  const readFrom: Read[] = [];
  const writers: number[][] = Array.from({ length: countKeys(history) }, () => []);
  for (let reader = 0; reader < txns.length; reader++) {
    const t = txns[reader]!;
    const seen = new Set<number>();
    for (let op = txnStart[t]; op < txnStart[t + 1]; op++) {
      const key = opKey[op];
      if (opKind[op] === OpKind.Write) {
        if (writers[key]!.at(-1) !== reader) writers[key]!.push(reader);
        continue;
      }
      const from = index.readFrom[op];
      if (opKind[op] !== OpKind.Read || (from < 0 && from !== ReadFrom.Initial)) continue;
      const writer = from < 0 ? INITIAL : nodeOf[txnOfOp[from]];
      if (writer === reader || (from >= 0 && writer < 0)) continue;
      const read = { reader, op, key, writer };
      reads.push(read);
      const identity = key * (txns.length + 1) + writer + 1;
      if (!seen.has(identity)) readFrom.push(read);
      seen.add(identity);
    }
  }
  const txnOf = Int32Array.from(txns);
  return { numNodes: txns.length, txnOf, session: txnOf.map((t) => txnSession[t]), reads, readFrom, writers };
}
