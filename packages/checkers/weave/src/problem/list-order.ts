import { EdgeColumns, IntList } from '@isolab/graph';
import { type History, type ListVersions, OpKind, type ReadFromIndex, listVersions } from '@isolab/history';

/** Order of appends, where lists show it. Appends that no list shows come after all others. */
export interface ListOrder {
  readonly versions: ListVersions;
  /** Transactions that must come before each transaction, each with a read that shows it. */
  readonly start: Int32Array;
  readonly from: Int32Array;
  readonly read: Int32Array;
  /** Place of each version in the list of its key; UNSHOWN for versions that no list shows. */
  readonly place: Int32Array;
}

export const UNSHOWN = 2 ** 31 - 1;

/** Derives the order of appends from lists. `versionOf` has the version of every append. Null without lists. */
export function orderOfLists(history: History, index: ReadFromIndex, versionOf: Int32Array): ListOrder | null {
  const { opKind, txnStart } = history;
  if (!opKind.includes(OpKind.Append) && !opKind.includes(OpKind.ListRead)) return null;
  const versions = listVersions(history, index);
  const { keyStart, numShown, longestRead, append, txn } = versions;
  const place = new Int32Array(opKind.length).fill(UNSHOWN); // there are no more versions than operations
  const edges = new EdgeColumns(); // from later appends to earlier ones
  const reads = new IntList();
  for (let key = 0; key < numShown.length; key++) {
    const shownEnd = keyStart[key] + numShown[key];
    const read = longestRead[key];
    let last = -1;
    for (let v = keyStart[key]; v < keyStart[key + 1]; v++) {
      if (txn[v] < 0) continue;
      if (v < shownEnd) place[versionOf[append[v]]] = v;
      if (last >= 0 && txn[v] !== last) {
        edges.add(txn[v], last);
        reads.push(read);
      }
      if (v < shownEnd) last = txn[v];
    }
  }
  const { start, target: from, edge } = edges.digraph(txnStart.length - 1);
  return { versions, start, from, read: edge.map((e) => reads.items[e]), place };
}
