import type { IndexedHistory } from '@isolab/contract';
import type { History } from '@isolab/history';
import { NO_SOURCE, Relations } from '@isolab/graph/relations';

/** A read of another transaction's write. */
export interface Read {
  readonly reader: number;
  readonly op: number;
  readonly key: number;
  /** A node, or INITIAL. */
  readonly writer: number;
}

/** Read-from among the transactions that happened: nodes 0, 1, … in the order of the history. */
export interface EncodedFacts {
  readonly history: History;
  readonly numNodes: number;
  readonly txnOf: Int32Array;
  /** The session of each node; nodes of one session are contiguous. */
  readonly session: Int32Array;
  /** In program order, node after node. */
  readonly reads: readonly Read[];
  /** Read-from edges without duplicates of reader, key and writer. */
  readonly readFrom: readonly Read[];
  /** Nodes that write each key, in ascending order. */
  readonly writers: readonly (readonly number[])[];
}

export function factsOf({ history, index }: IndexedHistory): EncodedFacts {
  const relations = new Relations(history, index);
  const { nodes, nodeOfOp, source, writers } = relations;
  const { opKey, txnSession } = history;
  const reads: Read[] = [];
  for (let op = 0; op < source.length; op++)
    if (source[op] !== NO_SOURCE) reads.push({ reader: nodeOfOp[op], op, key: opKey[op], writer: source[op] });
  const { reader, first, key, writer } = relations.reads;
  return {
    history,
    numNodes: nodes.numNodes,
    txnOf: nodes.txnOf,
    session: nodes.txnOf.map((t) => txnSession[t]),
    reads,
    readFrom: Array.from(reader, (r, row) => ({ reader: r, op: first[row], key: key[row], writer: writer[row] })),
    writers: Array.from({ length: writers.start.length - 1 }, (_, k) =>
      Array.from(writers.node.subarray(writers.start[k], writers.start[k + 1])),
    ),
  };
}
