import { listsCertificate } from '@isolab/contract';
import { type ListVersions, TxnStatus, countKeys, countOperations, listVersions } from '@isolab/history';
import type { Model } from './model.ts';
import { type DirtyUpdate, Inference, VersionBuilder, type InferredVersions } from './versions.ts';

/**
 * List-append (Elle, section 5.2): the longest list read is the version order of its key, followed by the unseen
 * appends.
 */
export function versionsOfLists(model: Model): InferredVersions {
  const { history, index, nodeOf } = model;
  const lists = listVersions(history, index);
  const { keyStart, numShown, append, txn } = lists;
  const builder = new VersionBuilder(countKeys(history), append.length, countOperations(history));
  // Version seen by a reader whose list ends at each place of the lists; −1 if there is none.
  const at = new Int32Array(append.length);
  const dirtyUpdates: DirtyUpdate[] = [];

  for (let key = 0; key < numShown.length; key++) {
    const shownEnd = keyStart[key] + numShown[key];
    let latest = key;
    let aborted = -1;
    for (let place = keyStart[key]; place < shownEnd; place++) {
      const node = txn[place] < 0 ? -1 : nodeOf[txn[place]];
      // An aborted or thin-air element is not a version. Reading it is an internal anomaly.
      if (node < 0) {
        if (txn[place] >= 0 && history.txnStatus[txn[place]] === TxnStatus.Aborted) aborted = txn[place];
      } else if (builder.writer[latest] === node) {
        builder.write[latest] = append[place];
      } else {
        if (aborted >= 0) dirtyUpdates.push({ aborted, updated: txn[place] });
        aborted = -1;
        const version = builder.addVersion(key, node, append[place]);
        if (latest !== key) builder.addEdge(latest, version, Inference.Shown);
        latest = version;
      }
      at[place] = node < 0 ? -1 : latest;
    }
    addUnshown(builder, model, lists, key, latest);
  }
  placeReads(builder, model, lists, at);
  return builder.finish(model.numNodes, {
    longestRead: lists.longestRead,
    conflicts: lists.conflicts.map((conflict) => listsCertificate(lists, conflict)),
    dirtyUpdates,
  });
}

/** Adds the appends that no list shows, one version per transaction. */
function addUnshown(
  builder: VersionBuilder,
  { nodeOf }: Model,
  { keyStart, numShown, append, txn }: ListVersions,
  key: number,
  lastShown: number,
): void {
  let previous = -1;
  for (let place = keyStart[key] + numShown[key]; place < keyStart[key + 1]; place++) {
    const node = nodeOf[txn[place]];
    if (previous >= 0 && builder.writer[previous] === node) {
      builder.write[previous] = append[place];
      continue;
    }
    if (builder.writer[lastShown] === node) continue; // an intermediate read, or a list that separates the appends
    previous = builder.addVersion(key, node, append[place]);
    if (lastShown !== key) builder.addEdge(lastShown, previous, Inference.Unshown);
  }
}

function placeReads(
  { writer, versionRead }: VersionBuilder,
  { history, nodeOfOp }: Model,
  { keyStart, seen }: ListVersions,
  at: Int32Array,
): void {
  const { opKey } = history;
  for (let op = 0; op < seen.length; op++) {
    if (seen[op] < 0) continue;
    const version = seen[op] === 0 ? opKey[op] : at[keyStart[opKey[op]] + seen[op] - 1];
    if (version >= 0 && writer[version] !== nodeOfOp[op]) versionRead[op] = version;
  }
}
