import { type Adjacency, EdgeColumns, rowsBy } from '@isolab/graph';
import { type History, NO_TIME, OpKind, type ReadFromIndex, transactionOfOperations } from '@isolab/history';
import type { Model } from '../problem/model.ts';
import type { Versions } from '../problem/versions.ts';

/**
 * Returns the order that the timestamps of the database claim: the order of snapshots where begins count, otherwise of
 * commits. Null if there are no timestamps, or if too many reads contradict them.
 */
export function byClaimedTimes(
  history: History,
  { readFrom }: ReadFromIndex,
  { split }: Model,
  pace: Int32Array,
  mayBeBackward: number,
): Int32Array | null {
  const { txnStartTs, txnCommitTs, txnStart } = history;
  const [first, second] = split ? [txnStartTs, txnCommitTs] : [txnCommitTs, txnStartTs];
  if (first === null && second === null) return null;
  const at = new Float64Array(pace.length); // rounding does no harm: this is only a guess
  let latest = -Infinity;
  for (const t of pace) {
    const stated = first !== null && first[t] !== NO_TIME ? first[t] : second !== null ? second[t] : NO_TIME;
    if (stated !== NO_TIME) latest = Number(stated);
    at[t] = latest;
  }
  const txnOf = transactionOfOperations(history);
  let backward = 0;
  let all = 0;
  for (let t = 0; t < pace.length; t++) {
    for (let op = txnStart[t]; op < txnStart[t + 1]; op++) {
      if (readFrom[op] < 0 || txnOf[readFrom[op]] === t) continue;
      all++;
      if (!(at[txnOf[readFrom[op]]] < at[t])) backward++;
    }
  }
  return backward <= all * mayBeBackward ? pace.toSorted((a, b) => at[a] - at[b]) : null;
}

/**
 * Returns edges between likely neighbours: orders writers by claimed version numbers; null without such numbers. Where transactions are not split, a reader of a
 * version also comes before the next writer.
 */
export function hintsOf(history: History, versions: Versions, { split }: Model): Adjacency | null {
  if (history.opVersion === null) return null;
  return edgesClaimed(history, versions, history.opVersion, split).digraph(versions.numTxns);
}

function edgesClaimed(history: History, versions: Versions, stated: BigInt64Array, split: boolean): EdgeColumns {
  const edges = new EdgeColumns();
  const { numTxns, numKeys, happened, writeStart, writeKey, writer, readerStart, reader } = versions;
  const { txnStart, opKind, opKey } = history;
  const claim = new Float64Array(writer.length).fill(NaN);
  const versionOf = new Int32Array(numKeys);
  for (let t = 0; t < numTxns; t++) {
    for (let v = writeStart[t]; v < writeStart[t + 1]; v++) versionOf[writeKey[v]] = v;
    if (writeStart[t] === writeStart[t + 1] || happened[t] !== 1) continue;
    for (let op = txnStart[t]; op < txnStart[t + 1]; op++)
      if ((opKind[op] === OpKind.Write || opKind[op] === OpKind.Append) && stated[op] !== NO_TIME)
        claim[versionOf[opKey[op]]] = Number(stated[op]);
  }
  for (const own of versionsByKey(claim, writeKey, numKeys)) {
    for (let i = 1; i < own.length; i++) {
      const [v, next] = [own[i - 1], own[i]];
      if (claim[v] === claim[next]) continue;
      edges.add(writer[v], writer[next]);
      if (split) continue;
      for (let slot = readerStart[v]; slot < readerStart[v + 1]; slot++)
        if (reader[slot] !== writer[next]) edges.add(reader[slot], writer[next]);
    }
  }
  return edges;
}

/** Yields the versions of each key that have a claim, in the claimed order. */
function* versionsByKey(claim: Float64Array, writeKey: Int32Array, numKeys: number): Generator<Int32Array> {
  const { start, item } = rowsBy(
    writeKey.map((key, v) => (Number.isNaN(claim[v]) ? -1 : key)),
    numKeys,
  );
  for (let key = 0; key < numKeys; key++)
    yield item.subarray(start[key], start[key + 1]).toSorted((a, b) => claim[a] - claim[b]);
}
